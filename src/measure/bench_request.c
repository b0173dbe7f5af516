// SPDX-License-Identifier: MIT
#include "measure/bench_request.h"

#include <stdlib.h>
#include <string.h>

#include "measure/plan_builder.h"
#include "measure/ratio.h"
#include "measure/shapes.h"
#include "oracle/inputs.h"
#include "oracle/oracle.h"

int bench_plan_sweep(struct bench_plan *p, const struct bench_setup *s, uint64_t seed,
                     struct error *e)
{
    size_t sizes[SWEEP_MAX], count = sweep_sizes(&s->topology, sizes);
    *p = (struct bench_plan){.processes = 2, .timeout_s = 60, .seed = seed};
    struct plan_builder b = {.plan = p, .setup = s};
    for (size_t i = 0; i < count; i++)
        plan_add_limit(
            &b, (struct limit_task){
                    .kind = LIMIT_SWEEP, .width = s->widest, .threads = 1, .bytes = sizes[i]});
    return plan_finish(&b, e);
}

struct bench_ask {
    const struct bench_request *request;
    const struct registry *registry;
    unsigned threads;
};

/* Adds one shape, named or given, for every variant and family. */
static void add_shape(struct plan_builder *b, const struct bench_ask *ask,
                      const struct named_shape *named, struct shape given)
{
    const struct bench_request *q = ask->request;
    const char *const usual[] = {q->input.data ? INPUT_FAMILY : "normal"};
    const char *const *families = q->family_count ? q->families : usual;
    size_t family_count = q->family_count ? q->family_count : 1;
    for (size_t i = 0; i < ask->registry->count; i++) {
        const struct variant *v = &ask->registry->variants[i];
        struct shape shape = named ? shape_resolve(named, v, b->setup, ask->threads) : given;
        for (size_t f = 0; f < family_count && !v->study; f++)
            plan_add_cell(b, v, shape, ask->threads, families[f]);
    }
}

static void add_shape_text(struct plan_builder *b, const struct bench_ask *ask, const char *text)
{
    const struct named_shape *named = NULL;
    while ((named = shape_named(text, named))) add_shape(b, ask, named, (struct shape){0});
    add_shape(b, ask, NULL, shape_given(text));
}

static int check_request(const struct bench_request *q, const struct bench_setup *s,
                         struct error *e)
{
    for (size_t i = 0; i < q->family_count; i++)
        if (family_find(q->families[i]) == FAMILY_COUNT)
            return fail(e, EXIT_USAGE, "--family: '%s': not a family that can be timed; see --help",
                        q->families[i]);
    for (size_t i = 0; i < q->n_count; i++)
        if (!q->n[i])
            return fail(e, EXIT_USAGE, "--n: 0: an empty row takes no time; give 1 or more");
    for (size_t i = 0; i < q->row_count; i++)
        if (!q->rows[i])
            return fail(e, EXIT_USAGE, "--rows: 0: no row takes no time; give 1 or more");
    if (q->input.data && (!q->input.rows || !q->input.n))
        return fail(e, EXIT_USAGE, "--input: %zu rows of %zu: no element takes no time; give some",
                    q->input.rows, q->input.n);
    if (q->threads > s->topology.cores)
        return fail(e, EXIT_USAGE, "--threads: %u: the cpuset has %u cores; give at most that",
                    q->threads, s->topology.cores);
    if (q->processes > RATIO_PROCESSES_MAX)
        return fail(e, EXIT_USAGE, "--processes: %zu: more than %d; raise --samples", q->processes,
                    RATIO_PROCESSES_MAX);
    if (q->rounds > BENCH_ROUNDS_MAX)
        return fail(e, EXIT_USAGE, "--samples: %zu: more than 1000 per process; raise --processes",
                    q->rounds);
    return 0;
}

static int bench_request_check_memory(const struct bench_plan *p, const struct bench_setup *s,
                                      struct error *e)
{
    for (size_t i = 0; i < p->cell_count; i++) {
        const struct cell *c = &p->cells[i];
        double bytes = 8.0 * (double)c->rows * (double)c->n;
        if (bytes > 0.5 * (double)s->topology.memory_bytes)
            return fail(
                e, EXIT_USAGE,
                "bench: %zux%zu: %.1f GB is over half of the memory; choose a smaller shape",
                c->rows, c->n, bytes * 1e-9);
    }
    return 0;
}

int bench_plan_request(struct bench_plan *p, const struct registry *r, const struct bench_setup *s,
                       const struct bench_request *q, struct error *e)
{
    static const char *const default_shape[] = {"default"};
    static const size_t default_n = 4096, default_rows = 64;
    *p = (struct bench_plan){.parameters = q->parameters ? *q->parameters : parameters_default,
                             .processes = q->processes ? q->processes : 6,
                             .rounds = q->rounds ? q->rounds : 24,
                             .warmup_s = 2e-3,
                             .sample_s = 100e-6,
                             .patience_s = 0.5,
                             .timeout_s = 60,
                             .seed = q->seed,
                             .input = q->input};
    struct plan_builder b = {.plan = p, .setup = s};
    struct bench_ask ask = {.request = q, .registry = r, .threads = q->threads ? q->threads : 1};
    bool listed = q->n_count || q->row_count;
    const struct shape given = {q->input.rows, q->input.n};
    const char *const *shapes = q->shape_count ? q->shapes : default_shape;
    size_t shape_count = q->shape_count ? q->shape_count : !listed && !given.rows;
    int code = check_request(q, s, e);
    if (!code) code = bench_check_shapes(shapes, shape_count, e);
    if (given.rows && !code) add_shape(&b, &ask, NULL, given);
    for (size_t i = 0; i < shape_count && !code; i++) add_shape_text(&b, &ask, shapes[i]);
    for (size_t i = 0; listed && i < (q->row_count ? q->row_count : 1) && !code; i++)
        for (size_t k = 0; k < (q->n_count ? q->n_count : 1); k++)
            add_shape(&b, &ask, NULL,
                      (struct shape){q->row_count ? q->rows[i] : default_rows,
                                     q->n_count ? q->n[k] : default_n});
    if (!code) code = bench_request_check_memory(p, s, e);
    if (code) return bench_plan_free(p), code;
    return plan_finish(&b, e);
}

int bench_plan_add_program(struct bench_plan *p, const char *program,
                           bool (*has)(const void *context, const char *id), const void *context,
                           struct error *e)
{
    struct cell *all = calloc(4 * p->cell_count + 1, sizeof *all);
    size_t kept = 0;
    if (!all) return fail(e, EXIT_PARTIAL, "bench: out of memory: choose fewer with --filter");
    for (size_t i = 0; i < p->cell_count; i++) {
        const struct variant *v = p->cells[i].variant;
        if (v->status != STATUS_OK || v->peer || !has(context, v->id)) continue;
        all[kept] = all[kept + 1] = p->cells[i];
        all[kept + 1].program = program;
        kept += 2;
    }
    free(p->cells);
    p->cells = all;
    p->cell_count = kept;
    p->control_count = 0;
    if (!kept)
        return fail(e, EXIT_USAGE,
                    "duel: %s: no variant in common that can run here; see its 'list'", program);
    /* Every cell of this program is also its own control, the noise that a ratio has to exceed. */
    for (size_t i = 0; i < kept; i += 2) {
        p->cells[kept + p->control_count] = p->cells[i];
        p->cells[kept + p->control_count++].control = true;
    }
    return 0;
}
