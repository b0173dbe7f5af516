// SPDX-License-Identifier: MIT
/* Two sides that are timed alternately in one run, and compared: by duel this build and another
 * build's program, variant by variant; by bench --pair two variants. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common.h"
#include "cmd/parameters.h"
#include "measure/bench.h"
#include "measure/peers.h"
#include "measure/ratio.h"
#include "measure/work.h"
#include "model/record.h"
#include "publish/compare/compare.h"
#include "publish/render/query.h"
#include "publish/render/rows.h"
#include "publish/sql/found.h"
#include "publish/sql/judge.h"
#include "publish/sql/sql.h"
#include "study/workshop.h"

/* sides[0] holds the rows of the other program in a duel, and of pair[0] in bench --pair. */
struct duel {
    const struct options *o;
    struct cpu cpu;
    const struct variant *pair;           /* of bench --pair; else NULL */
    const struct npy *input;              /* of bench --pair */
    char path[PEER_PATH_MAX], commit[64]; /* the other program's */
    json_t *ids;                          /* {id: true} of its variants that can run here */
    json_t *rows, *sides[2];
    bool partial; /* some cell crashed or hung */
};

/* ---- The other program ----------------------------------------------------------------------- */

static int duel_read_variants(struct duel *d, const json_t *document, struct error *e)
{
    const json_t *variants = json_object_get(document, "variants"), *variant;
    double protocol = record_number(document, "bench_protocol");
    size_t i;
    if (!json_array_size(variants))
        return fail(e, EXIT_USAGE, "duel: %s: not a program of this lab; name a build/ulplab",
                    d->path);
    if (protocol != WORK_PROTOCOL)
        return fail(e, EXIT_USAGE,
                    "duel: %s: %s, and cannot be timed side by side with this one; rebuild it from "
                    "a newer commit, or compare two runs with 'ulplab compare'",
                    d->path,
                    protocol > WORK_PROTOCOL ? "measures by a newer protocol"
                                             : "measures by an older protocol");
    d->ids = json_object();
    json_array_foreach(variants, i, variant)
    {
        if (!strcmp(record_text(variant, "status"), "ok"))
            json_object_set_new(d->ids, record_text(variant, "id"), json_true());
    }
    snprintf(d->commit, sizeof d->commit, "%s",
             record_text(json_object_get(document, "tool"), "commit"));
    return 0;
}

/* Asks a program which variants it has (`list --json`). */
static int duel_ask_other(struct duel *d, const char *path, struct error *e)
{
    char resolved[PATH_MAX];
    if (!realpath(path, resolved) || strlen(resolved) >= sizeof d->path)
        return fail(e, EXIT_USAGE, "duel: %s: %s; name the other build's program", path,
                    strerror(errno));
    memcpy(d->path, resolved, strlen(resolved) + 1);
    char *words[] = {d->path, "list", "--json", "--quiet", NULL};
    json_t *document = workshop_document(words, 60);
    int code = duel_read_variants(d, document, e);
    json_decref(document);
    return code;
}

static bool other_program_has(const void *context, const char *id)
{
    const struct duel *d = context;
    return json_object_get(d->ids, id) != NULL;
}

/* ---- The pair -------------------------------------------------------------------------------- */

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

static int duel_make_plan(struct bench_plan *p, const struct duel *d, const struct registry *r,
                          const struct bench_setup *s, struct error *e)
{
    const struct npy none = {0};
    struct bench_request request = timing_options_at_one_shape(d->o, d->pair ? d->input : &none);
    if (!d->pair && !request.processes) request.processes = 8;
    int code = bench_plan_request(p, r, s, &request, e);
    if (code) return code;
    if (d->pair) {
        p->control_count = p->limit_count = 0;
        if (p->cell_count != 2)
            code = fail(e, EXIT_USAGE, "--pair: %zu cells: give one shape and one family",
                        p->cell_count / 2);
    } else {
        p->hashes_outputs = true;
        code = bench_plan_add_program(p, d->path, other_program_has, d, e);
    }
    if (code) bench_plan_free(p);
    return code;
}

/* Measures a pair in fresh processes, one after the other, until the time is up. */
static struct bench_goal duel_goal(const struct duel *d)
{
    if (!d->pair) return (struct bench_goal){0};
    return (struct bench_goal){.half_width = 1e-9,
                               .of_every_cell = true,
                               .processes = RATIO_PROCESSES_MAX,
                               .more_s = d->o->seconds ? (double)d->o->seconds : 5};
}

static int duel_measure(struct duel *d, const struct registry *r, struct error *e)
{
    const struct bench_goal goal = duel_goal(d);
    struct bench_setup setup;
    struct bench_plan plan;
    struct progress progress;
    json_t *raw = json_array(), *limits = json_array();
    int code = bench_open(&setup, &d->cpu, e);
    if (!code) {
        code = duel_make_plan(&plan, d, r, &setup, e);
        if (!code) {
            progress_begin(&progress, d->pair ? "pair" : "duel", d->o->quiet);
            code =
                bench_run_until(&plan, &setup, NULL, &goal, record_sink_array(raw), &progress, e);
            progress_end(&progress);
            bench_plan_free(&plan);
        }
        bench_close(&setup);
    }
    if (!code) code = bench_summarise(raw, limits, record_sink_array(d->rows), &d->partial, e);
    json_decref(raw);
    json_decref(limits);
    return code;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Returns which side a row is of; *id: the id that both sides' rows have. Controls say how far
 * identical code is apart, whichever program timed it. */
static size_t duel_side_of(const struct duel *d, const json_t *row, json_t **id)
{
    const char *own = record_text(row, "id"), *suffix = strstr(own, PROGRAM_SUFFIX);
    if (d->pair) {
        const size_t side = !strcmp(record_text(row, "variant"), d->pair[1].id);
        *id = json_sprintf("%s%s", d->pair[0].id, own + strlen(d->pair[side].id));
        return side;
    }
    *id = suffix ? json_sprintf("%.*s%s", (int)(suffix - own), own, suffix + strlen(PROGRAM_SUFFIX))
                 : json_string(own);
    return !suffix && strcmp(record_text(row, "record"), "control") != 0;
}

/* Compares the measurements like `compare`. */
static int duel_compare(struct duel *d, struct lab_db *l, struct error *e)
{
    char gates[GATE_ROOM];
    json_t *document = new_document(&d->cpu), *row, *id;
    size_t i;
    const struct compare_side sides[] = {{d->pair ? "a" : d->commit, d->sides[0]},
                                         {d->pair ? "b" : "this build", d->sides[1]}};
    const struct compare_request q = {
        .margin = d->o->threshold.given ? d->o->threshold.value / 100 : compare_usual_margin,
        .gates = gates,
        .detect = d->o->detect.given ? d->o->detect.value : compare_usual_detect,
    };
    gate_kinds_of_threshold(d->o, gates);
    json_array_foreach(d->rows, i, row)
    {
        json_t *copy = json_copy(row), *side = d->sides[duel_side_of(d, row, &id)];
        json_object_set_new(copy, "id", id);
        json_array_append_new(side, copy);
    }
    int code = compare_open_sides(&q, document, sides, l, e);
    json_decref(document);
    return code;
}

/* ---- Output -----------------------------------------------------------------------------------
 */

/* Prints the text of a query over the document, and frees the document. */
static int duel_print(const struct duel *d, const struct lab_db *l, json_t *document,
                      const char *sql, struct error *e)
{
    int code = found_load(l, document, e);
    json_decref(document);
    return code ? code : query_print(l, sql, d->o->quiet, stdout, e);
}

static int duel_tell(const struct duel *d, const struct registry *r, const struct lab_db *l,
                     struct error *e)
{
    int code;
    if (d->o->json) {
        json_t *document = rows_document(l, sql_duel_document, e);
        if (!document) return EXIT_BAD_INPUT;
        json_object_set_new(document, "other", json_string(d->path));
        code = print_document(document, 0, e);
    } else {
        json_t *document = json_pack("{s:O}", "rows", d->rows);
        add_left_out(d->o, document, r, NULL);
        code = duel_print(d, l, document, sql_duel_text, e);
    }
    if (!code && d->partial)
        code = fail(e, EXIT_PARTIAL, "duel: some cells crashed or hung: their rows say which");
    return code ? code : judge_gate(l, e);
}

static const char pair_document[] =
    "SELECT 0 AS \"\", r.document -> 'machine' AS \"machine:json\" FROM runs r WHERE id = 1; "
    "SELECT 0 AS \"\", ratio, low, high, p, processes, off, verdict, "
    "iif(flag = 'two-modes', '[\"two-modes\"]', NULL) AS \"flags?:json\" FROM temp.duel_rows";

static int tell_pair(const struct duel *d, const struct lab_db *l, struct error *e)
{
    const struct variant *v = d->pair;
    const json_t *const row[] = {json_array_get(d->sides[0], 0), json_array_get(d->sides[1], 0)};
    json_t *found = rows_document(l, pair_document, e);
    if (!found) return EXIT_BAD_INPUT;
    if (!(record_number(found, "processes") >= 3)) {
        json_decref(found);
        return fail(e, EXIT_PARTIAL, "--pair: %s, %s: fewer than three processes were timed",
                    record_text(row[0], "status"), record_text(row[1], "status"));
    }
    json_t *rest = json_pack("{s:s, s:s, s:s, s:o}", "a", v[0].id, "b", v[1].id, "block",
                             record_text(row[0], "block"), "input", input_record(d->o, d->input));
    json_object_update_new(found, rest);
    if (d->o->json) return print_document(found, 0, e);
    return duel_print(d, l, json_pack("{s:o, s:[O, O]}", "pair", found, "rows", row[0], row[1]),
                      sql_pair_text, e);
}

/* ---- The commands ---------------------------------------------------------------------------- */

/* Measures the variants of the registry on both sides, compares them and prints the result. */
static int duel_run(struct duel *d, const struct registry *r, struct error *e)
{
    struct lab_db l;
    d->rows = json_array();
    d->sides[0] = json_array();
    d->sides[1] = json_array();
    int code = duel_measure(d, r, e);
    if (!code) code = duel_compare(d, &l, e);
    if (!code) {
        code = d->pair ? tell_pair(d, &l, e) : duel_tell(d, r, &l, e);
        lab_close(&l);
    }
    json_decref(d->rows);
    json_decref(d->sides[0]);
    json_decref(d->sides[1]);
    return code;
}

int cmd_duel(const struct options *o, struct error *e)
{
    struct duel d = {.o = o};
    struct registry r;
    if (o->positional.count != 1)
        return fail(e, EXIT_USAGE, "duel: name one other program; see 'ulplab duel --help'");
    int code = duel_ask_other(&d, o->positional.items[0], e);
    if (!code) code = open_variants(o, &d.cpu, &r, e);
    if (!code) {
        code = duel_run(&d, &r, e);
        registry_close(&r);
    }
    json_decref(d.ids);
    return code;
}

int bench_pair(const struct options *o, const struct npy *input, struct error *e)
{
    struct registry opened[2];
    struct variant v[2] = {{.id = ""}, {.id = ""}};
    const struct variant *found;
    struct duel d = {.o = o, .pair = v, .input = input};
    const struct registry pair = {.variants = v, .count = 2};
    size_t count = 0;
    if (o->pair.count != 2)
        return fail(e, EXIT_USAGE, "--pair: %zu variants: give two, as A,B", o->pair.count);
    int code = cpu_detect(&d.cpu, o->hide_isa, e);
    for (; count < 2 && !code; count += !code) {
        code =
            open_one("--pair", o->pair.items[count], &d.cpu, o->peers, &opened[count], &found, e);
        if (!code) v[count] = *found;
    }
    if (!code) code = check_pair(v, e);
    if (!code) code = duel_run(&d, &pair, e);
    while (count) registry_close(&opened[--count]);
    return code;
}
