// SPDX-License-Identifier: MIT
/* bench: the times of variants, and the limits of the core. */
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "cmd/common.h"
#include "cmd/parameters.h"
#include "measure/bench.h"
#include "measure/peers.h"
#include "measure/ratio.h"
#include "model/record.h"
#include "publish/sql/sql.h"

struct bench_result {
    json_t *limits, *rows;
    bool partial;
};

static struct bench_goal goal_of(const struct options *o, const struct bench_plan *p)
{
    if (!o->precision.given) return (struct bench_goal){0};
    return (struct bench_goal){.half_width = o->precision.value / 100,
                               .of_every_cell = true,
                               .processes = p->processes + RATIO_PROCESSES_MAX,
                               .more_s = o->seconds ? (double)o->seconds : 60};
}

/* Sweeps, plans with the sizes found, measures. */
static int measure_raw(const struct options *o, const struct registry *r,
                       const struct bench_request *request, struct bench_setup *s,
                       struct record_sink sink, struct error *e)
{
    struct bench_plan p;
    struct progress progress;
    /* The request is checked before anything is measured. */
    int code = bench_plan_request(&p, r, s, request, e);
    if (code) return code;
    bench_plan_free(&p);
    progress_begin(&progress, "bench", o->quiet);
    if (!o->no_limits) code = bench_sweep(s, NULL, sink, &progress, e);
    if (!code) code = bench_plan_request(&p, r, s, request, e);
    if (!code) {
        if (o->no_limits) p.limit_count = 0;
        struct bench_goal goal = goal_of(o, &p);
        code = bench_run_until(&p, s, NULL, &goal, sink, &progress, e);
        bench_plan_free(&p);
    }
    progress_end(&progress);
    return code;
}

/* Measures and summarises, also after an interruption. */
static int bench_measure(const struct options *o, const struct cpu *cpu, const struct registry *r,
                         const struct bench_request *request, struct bench_result *result,
                         struct error *e)
{
    struct bench_setup setup;
    struct error second = {.text = ""};
    json_t *raw = json_array();
    int code = bench_open(&setup, cpu, e);
    if (!code) {
        code = measure_raw(o, r, request, &setup, record_sink_array(raw), e);
        result->limits = limits_summarise(raw, &setup.topology, &setup.effective);
        int failed = bench_summarise(raw, result->limits, record_sink_array(result->rows),
                                     &result->partial, code ? &second : e);
        code = code ? code : failed;
        bench_close(&setup);
    }
    json_decref(raw);
    return code;
}

static int bench_print(const struct options *o, const struct cpu *cpu,
                       const struct parameters *parameters, const struct npy *input,
                       const struct bench_result *result, struct error *e)
{
    json_t *document = new_document(cpu);
    json_object_set_new(document, "parameters", given_record(parameters));
    json_object_set_new(document, "input", input_record(o, input));
    json_object_set(document, "limits", result->limits);
    add_kind(document, "rows", result->rows, "timing");
    add_kind(document, "controls", result->rows, "control"); /* the contract lists them apart */
    for (size_t i = 0; i < o->params.count; i++)
        add_note(o, document, "With %s.", o->params.items[i]);
    if (o->input) add_note(o, document, "Rows of %s.", o->input);
    if (o->precision.given && !o->json)
        json_object_set_new(document, "precision", json_real(o->precision.value));
    return print_found(o, document, sql_found_bench, 0, e);
}

static int numbers_given(const struct options *o, struct parameters *p, struct error *e)
{
    struct given given;
    int code = given_parse(o, &given, e);
    *p = given.p;
    if (!code && (p->gamma || p->beta))
        code = fail(e, EXIT_USAGE,
                    "--param: gamma, beta: bench uses the lab's own, which have every length; "
                    "leave them out");
    p->gamma = p->beta = NULL;
    given_free(&given);
    return code;
}

static size_t bench_count_wrong(const json_t *rows)
{
    size_t i, wrong = 0;
    const json_t *row;
    json_array_foreach(rows, i, row) wrong += !strcmp(record_text(row, "record"), "timing") &&
                                              !strcmp(record_text(row, "status"), "wrong");
    return wrong;
}

static int bench_variants(const struct options *o, const struct npy *input, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    struct parameters parameters;
    struct bench_request request = timing_options(o, input);
    request.parameters = &parameters;
    int code = numbers_given(o, &parameters, e);
    if (!code) code = open_all_variants(o, &cpu, &r, e);
    if (code) return code;
    for (size_t i = 0; i < r.count && !code; i++) code = given_fits(o, &r.variants[i], e);
    if (code) return registry_close(&r), code;

    struct bench_result result = {.rows = json_array()};
    code = bench_measure(o, &cpu, &r, &request, &result, e);
    const size_t wrong = bench_count_wrong(result.rows);
    /* An interrupted measurement still prints its results so far. */
    bool said = !code || code == interrupt_requested();
    if (said && result.limits) {
        struct error ignored = {.text = ""};
        int failed = bench_print(o, &cpu, &parameters, input, &result, code ? &ignored : e);
        code = code ? code : failed;
    }
    if (!code && result.partial)
        code = fail(e, EXIT_PARTIAL,
                    "bench: some cells crashed or hung: their rows say which; "
                    "look at them with --filter");
    if (!code && wrong)
        code = fail(e, EXIT_GATE, "bench: %zu rows are wrong; see their reason", wrong);
    json_decref(result.rows);
    json_decref(result.limits);
    registry_close(&r);
    return code;
}

int cmd_bench(const struct options *o, struct error *e)
{
    struct npy input = {0};
    int code = o->input ? read_array(o->input, &input, e) : 0;
    if (!code) code = (o->pair.count ? bench_pair : bench_variants)(o, &input, e);
    npy_free(&input);
    return code;
}
