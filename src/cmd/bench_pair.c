#include "cmd/bench_pair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common.h"
#include "cmd/timing_options.h"
#include "measure/bench_refine.h"
#include "measure/bench_resolution.h"
#include "measure/peers.h"
#include "model/record.h"
#include "publish/compare/verdict.h"

/* ---- Which two ------------------------------------------------------------------------------- */

/* The variant of that id, or the only one that a regex or filter matches. */
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

static int make_plan(struct bench_plan *p, const struct options *o, const struct registry *pair,
                     const struct bench_setup *s, struct error *e)
{
    struct bench_request request = timing_options_at_one_shape(o);
    int code = bench_plan_request(p, pair, s, &request, e);
    if (code) return code;
    p->control_count = 0;
    if (p->cell_count == 2) return 0;
    code =
        fail(e, EXIT_USAGE, "--pair: %zu cells: give one shape and one family", p->cell_count / 2);
    bench_plan_free(p);
    return code;
}

/* Fresh processes, one after the other, until the time is up. */
static int measure(const struct options *o, const struct cpu *cpu, const struct registry *pair,
                   json_t *rows, struct error *e)
{
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
        code = make_plan(&plan, o, pair, &setup, e);
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

static const json_t *row_of(const json_t *rows, const struct variant *v)
{
    const json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        if (!strcmp(record_text(row, "variant"), v->id)) return row;
    }
    return NULL;
}

static int print_line(const struct options *o, const struct cpu *cpu, const struct variant *v,
                      const json_t *rows, struct error *e)
{
    const json_t *row[2] = {row_of(rows, &v[0]), row_of(rows, &v[1])};
    struct by_process a = resolution_low(row[0]), b = resolution_low(row[1]);
    struct ratio r = ratio_of_times(a, b);
    enum verdict verdict = verdict_of(r, r.p, 0, 0.02);
    free((void *)a.values);
    free((void *)b.values);
    if (isnan(r.low))
        return fail(e, EXIT_PARTIAL, "--pair: %s, %s: fewer than three processes were timed",
                    record_text(row[0], "status"), record_text(row[1], "status"));
    if (o->json) {
        json_t *document = new_document(cpu);
        json_t *rest =
            json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:I, s:s}", "a", v[0].id, "b", v[1].id,
                      "block", record_text(row[0], "block"), "ratio", record_real(r.value), "low",
                      record_real(r.low), "high", record_real(r.high), "p", record_real(r.p),
                      "processes", (json_int_t)r.processes, "verdict", verdict_name(verdict));
        json_object_update(document, rest);
        json_decref(rest);
        return print_document(document, 0, e);
    }
    printf("%s takes %.4f [%.4f, %.4f] times as long as %s: %s (%s, %zu processes)\n", v[1].id,
           r.value, r.low, r.high, v[0].id, verdict_name(verdict), record_text(row[0], "block"),
           r.processes);
    return 0;
}

int bench_pair(const struct options *o, struct error *e)
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
        if (!code) code = measure(o, &cpu, &pair, rows, e);
        if (!code) code = print_line(o, &cpu, v, rows, e);
        json_decref(rows);
        registry_close(&opened[1]);
    }
    registry_close(&opened[0]);
    return code;
}
