// SPDX-License-Identifier: MIT
#include "cmd/bench_pair.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common.h"
#include "cmd/timing_options.h"
#include "measure/bench_refine.h"
#include "measure/peers.h"
#include "measure/ratio.h"
#include "model/record.h"
#include "publish/compare/compare.h"
#include "publish/render/rows.h"

/* ---- Which two ------------------------------------------------------------------------------- */

/* Finds the variant of that id, or the only one that a regex or filter matches. */
static int find_one(const struct cpu *cpu, const struct options *o, const char *text,
                    struct variant *v, struct registry *r, struct error *e)
{
    int code = registry_open_peers(r, cpu, &text, 1, o->peers, e);
    if (code) return code;
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->variants[i].id, text)) *v = r->variants[i];
    if (!v->id[0] && r->count == 1) *v = r->variants[0];
    if (!v->id[0])
        code =
            fail(e, EXIT_USAGE, "--pair: '%s': matches %zu variants, such as %s and %s; name one",
                 text, r->count, r->variants[0].id, r->variants[1].id);
    else if (v->status != STATUS_OK)
        code = fail(e, EXIT_USAGE, "--pair: %s: %s: %s; choose one that runs here", v->id,
                    status_name(v->status), v->reason);
    if (code) registry_close(r);
    return code;
}

static int check_pair(const struct variant *v, struct error *e)
{
    if (!strcmp(v[0].id, v[1].id))
        return fail(e, EXIT_USAGE, "--pair: %s: twice the same; name two variants", v[0].id);
    if (strcmp(v[0].op, v[1].op) != 0 || strcmp(v[0].dtype, v[1].dtype) != 0)
        return fail(e, EXIT_USAGE,
                    "--pair: %s and %s: of different operations or storage types; name two that do "
                    "the same work",
                    v[0].id, v[1].id);
    return 0;
}

/* ---- Measuring ------------------------------------------------------------------------------- */

static int bench_pair_make_plan(struct bench_plan *p, const struct bench_request *request,
                                const struct registry *pair, const struct bench_setup *s,
                                struct error *e)
{
    int code = bench_plan_request(p, pair, s, request, e);
    if (code) return code;
    p->control_count = 0;
    if (p->cell_count == 2) return 0;
    code =
        fail(e, EXIT_USAGE, "--pair: %zu cells: give one shape and one family", p->cell_count / 2);
    bench_plan_free(p);
    return code;
}

/* Measures in fresh processes, one after the other, until the time is up. */
static int bench_pair_measure(const struct options *o, const struct npy *input,
                              const struct cpu *cpu, const struct registry *pair, json_t *rows,
                              struct error *e)
{
    const struct bench_request request = timing_options_at_one_shape(o, input);
    const struct bench_goal goal = {.half_width = 1e-9,
                                    .of_every_cell = true,
                                    .processes = RATIO_PROCESSES_MAX,
                                    .more_s = o->seconds ? (double)o->seconds : 5};
    struct bench_setup setup;
    struct bench_plan plan;
    struct progress progress;
    bool partial;
    json_t *raw = json_array(), *limits = json_array();
    int code = bench_open(&setup, cpu, e);
    if (!code) {
        code = bench_pair_make_plan(&plan, &request, pair, &setup, e);
        plan.limit_count = 0;
        progress_begin(&progress, "pair", o->quiet);
        if (!code)
            code =
                bench_run_until(&plan, &setup, NULL, &goal, record_sink_array(raw), &progress, e);
        progress_end(&progress);
        bench_plan_free(&plan);
        bench_close(&setup);
    }
    if (!code) code = bench_summarise(raw, limits, record_sink_array(rows), &partial, e);
    json_decref(raw);
    json_decref(limits);
    return code;
}

/* ---- The line -------------------------------------------------------------------------------- */

static const json_t *bench_pair_row_of(const json_t *rows, const struct variant *v)
{
    const json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        if (!strcmp(record_text(row, "variant"), v->id)) return row;
    }
    return NULL;
}

/* Compares both rows, as `compare` does, under one id. */
static int compare_rows_of(const struct cpu *cpu, const json_t *const row[2], struct lab_db *l,
                           struct error *e)
{
    json_t *document = new_document(cpu), *lists[2];
    for (size_t i = 0; i < 2; i++) {
        json_t *copy = json_copy((json_t *)(uintptr_t)row[i]);
        json_object_set(copy, "id", json_object_get(row[0], "id"));
        lists[i] = json_pack("[o]", copy);
    }
    const struct compare_side sides[] = {{"a", lists[0]}, {"b", lists[1]}};
    const struct compare_request q = {
        .margin = compare_usual_margin, .gates = "", .detect = compare_usual_detect};
    int code = compare_open_sides(&q, document, sides, l, e);
    json_decref(document);
    json_decref(lists[0]);
    json_decref(lists[1]);
    return code;
}

static const char pair_document[] =
    "SELECT 0 AS \"\", r.document -> 'machine' AS \"machine:json\" FROM runs r WHERE id = 1; "
    "SELECT 0 AS \"\", ratio, low, high, p, processes, off, verdict, "
    "iif(flag = 'two-modes', '[\"two-modes\"]', NULL) AS \"flags?:json\" FROM temp.duel_rows";

static void print_modes(const struct variant *v, const json_t *const row[2], const json_t *found)
{
    if (!json_object_get(found, "flags")) return;
    printf("two-modes: %g of %g processes are off the majority\n", record_number(found, "off"),
           record_number(found, "processes"));
    for (size_t i = 0; i < 2; i++) {
        char *modes = record_modes_text(row[i]);
        if (*modes) printf("  %s: %s\n", v[i].id, modes);
        free(modes);
    }
}

static void print_pair(const struct variant *v, const json_t *const row[2], const json_t *found)
{
    if (json_is_null(json_object_get(found, "ratio")))
        printf("%s against %s: no ratio: no majority of the processes agrees\n", v[1].id, v[0].id);
    else
        printf("%s takes %.4f [%.4f, %.4f] times as long as %s: %s (%s, %g processes)\n", v[1].id,
               record_number(found, "ratio"), record_number(found, "low"),
               record_number(found, "high"), v[0].id, record_text(found, "verdict"),
               record_text(row[0], "block"), record_number(found, "processes"));
    print_modes(v, row, found);
}

static int tell_pair(const struct options *o, const struct cpu *cpu, const struct npy *input,
                     const struct variant *v, const json_t *rows, struct error *e)
{
    const json_t *const row[2] = {bench_pair_row_of(rows, &v[0]), bench_pair_row_of(rows, &v[1])};
    struct lab_db l;
    int code = compare_rows_of(cpu, row, &l, e);
    if (code) return code;
    json_t *found = rows_document(&l, pair_document, e);
    lab_close(&l);
    if (!found) return EXIT_BAD_INPUT;
    if (!(record_number(found, "processes") >= 3))
        code = fail(e, EXIT_PARTIAL, "--pair: %s, %s: fewer than three processes were timed",
                    record_text(row[0], "status"), record_text(row[1], "status"));
    else if (!o->json)
        print_pair(v, row, found);
    else {
        json_t *rest = json_pack("{s:s, s:s, s:s, s:o}", "a", v[0].id, "b", v[1].id, "block",
                                 record_text(row[0], "block"), "input", input_record(o, input));
        json_object_update(found, rest);
        json_decref(rest);
        return print_document(found, 0, e);
    }
    json_decref(found);
    return code;
}

int bench_pair(const struct options *o, const struct npy *input, struct error *e)
{
    struct cpu cpu;
    struct registry opened[2];
    struct variant v[2] = {{.id = ""}, {.id = ""}};
    if (o->pair.count != 2)
        return fail(e, EXIT_USAGE, "--pair: %zu variants: give two, as A,B", o->pair.count);
    int code = cpu_detect(&cpu, o->hide_isa, e);
    if (code) return code;
    code = find_one(&cpu, o, o->pair.items[0], &v[0], &opened[0], e);
    if (code) return code;
    code = find_one(&cpu, o, o->pair.items[1], &v[1], &opened[1], e);
    if (!code) {
        struct registry pair = {.variants = v, .count = 2};
        json_t *rows = json_array();
        code = check_pair(v, e);
        if (!code) code = bench_pair_measure(o, input, &cpu, &pair, rows, e);
        if (!code) code = tell_pair(o, &cpu, input, v, rows, e);
        json_decref(rows);
        registry_close(&opened[1]);
    }
    registry_close(&opened[0]);
    return code;
}
