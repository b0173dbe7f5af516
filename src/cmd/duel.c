// SPDX-License-Identifier: MIT
/* duel: this build and another one's program, variant by variant, in one run. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/common.h"
#include "cmd/other_program.h"
#include "cmd/reasons.h"
#include "cmd/timing_options.h"
#include "measure/bench.h"
#include "model/record.h"
#include "publish/compare/compare.h"
#include "publish/render/query.h"
#include "publish/render/rows.h"
#include "publish/sql/sql.h"

struct duel {
    const struct options *o;
    struct other_program other;
    json_t *rows;
    bool partial; /* some cell crashed or hung */
};

/* ---- Measuring ------------------------------------------------------------------------------- */

static int duel_make_plan(struct bench_plan *p, const struct duel *d, const struct registry *r,
                          const struct bench_setup *s, struct error *e)
{
    struct bench_request request = timing_options_at_one_shape(d->o, &(struct npy){0});
    if (!request.processes) request.processes = 8;
    int code = bench_plan_request(p, r, s, &request, e);
    if (code) return code;
    p->hashes_outputs = true;
    code = bench_plan_add_program(p, d->other.path, other_has, &d->other, e);
    if (code) bench_plan_free(p);
    return code;
}

static int duel_measure(struct duel *d, const struct cpu *cpu, const struct registry *r,
                        struct error *e)
{
    struct bench_setup setup;
    struct bench_plan plan;
    struct progress progress;
    json_t *raw = json_array(), *limits = json_array();
    int code = bench_open(&setup, cpu, e);
    if (!code) {
        code = duel_make_plan(&plan, d, r, &setup, e);
        if (!code) {
            progress_begin(&progress, "duel", d->o->quiet);
            code = bench_run(&plan, &setup, NULL, record_sink_array(raw), &progress, e);
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

/* Puts each record beside those of its program, the other one's under this one's ids. Controls say
 * how far identical code is apart, whichever program timed it. */
static void part_rows(const json_t *rows, json_t *mine, json_t *its)
{
    const json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        char id[CELL_ID_MAX];
        json_t *copy = json_copy((json_t *)(uintptr_t)row);
        snprintf(id, sizeof id, "%s", record_text(row, "id"));
        char *suffix = strstr(id, PROGRAM_SUFFIX);
        if (suffix)
            memmove(suffix, suffix + strlen(PROGRAM_SUFFIX),
                    strlen(suffix + strlen(PROGRAM_SUFFIX)) + 1);
        json_object_set_new(copy, "id", json_string(id));
        const bool is_control = !strcmp(record_text(row, "record"), "control");
        json_array_append_new(suffix || is_control ? its : mine, copy);
    }
}

static int duel_tell(const struct duel *d, const struct registry *r, const struct lab_db *l,
                     struct error *e)
{
    int code;
    if (d->o->json) {
        json_t *document = rows_document(l, sql_duel_document, e);
        if (!document) return EXIT_BAD_INPUT;
        json_object_set_new(document, "other", json_string(d->other.path));
        code = print_document(document, 0, e);
    } else {
        code = query_print(l, sql_duel_text, d->o->quiet, stdout, e);
        print_reasons(d->rows, terminal_of(stdout));
        print_left_out(r, NULL, terminal_of(stdout));
    }
    return code;
}

/* Compares what was measured, as `compare` does, and judges the gates that were asked for. */
static int duel_judge(const struct duel *d, const struct cpu *cpu, const struct registry *r,
                      struct error *e)
{
    char gates[GATE_ROOM];
    struct lab_db l;
    json_t *mine = json_array(), *its = json_array(), *document = new_document(cpu);
    const struct compare_side sides[] = {{d->other.commit, its}, {"this build", mine}};
    const struct compare_request q = {
        .margin = d->o->threshold.given ? d->o->threshold.value / 100 : compare_usual_margin,
        .gates = gates,
        .detect = d->o->detect.given ? d->o->detect.value : compare_usual_detect,
    };
    gate_kinds_of_threshold(d->o, gates);
    part_rows(d->rows, mine, its);
    int code = compare_open_sides(&q, document, sides, &l, e);
    json_decref(document);
    json_decref(mine);
    json_decref(its);
    if (code) return code;
    code = duel_tell(d, r, &l, e);
    if (!code && d->partial)
        code = fail(e, EXIT_PARTIAL, "duel: some cells crashed or hung: their rows say which");
    if (!code) code = compare_judge(&l, e);
    lab_close(&l);
    return code;
}

int cmd_duel(const struct options *o, struct error *e)
{
    struct duel d = {.o = o, .rows = json_array()};
    struct cpu cpu;
    struct registry r;
    if (o->positional.count != 1)
        return json_decref(d.rows),
               fail(e, EXIT_USAGE, "duel: name one other program; see 'ulplab duel --help'");
    int code = other_open(&d.other, o->positional.items[0], e);
    if (!code) code = open_variants(o, &cpu, &r, e);
    if (!code) {
        code = duel_measure(&d, &cpu, &r, e);
        if (!code) code = duel_judge(&d, &cpu, &r, e);
        registry_close(&r);
    }
    json_decref(d.rows);
    other_close(&d.other);
    return code;
}
