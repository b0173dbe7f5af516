// SPDX-License-Identifier: MIT
/* The plan of `ulplab run`: which cells it times. */
#include <string.h>

#include "measure/bench_field.h"
#include "measure/bench_request.h"
#include "measure/plan_builder.h"
#include "oracle/oracle.h"

/* Returns whether the registry has the kernel whose object the variant's is a copy of. */
static bool is_copy(const struct registry *r, const struct variant *v)
{
    for (size_t i = 0; v->build && v->build->algorithm && i < r->count; i++) {
        const struct variant *o = &r->variants[i];
        if (o->build && !o->build->algorithm && o->build->code_hash == v->build->code_hash &&
            !strcmp(o->op, v->op) && !strcmp(o->isa, v->isa) && !strcmp(o->cc, v->cc) &&
            !strcmp(o->policy, v->policy) && !strcmp(o->dtype, v->dtype))
            return true;
    }
    return false;
}

/* Returns whether timing the variant at that level adds information. A function of one element has
 * the same speed as in L1 except for the bandwidth, which other kernels show. The same holds for a
 * kernel in another storage type, for a copy of another kernel, and for the second operation of a
 * kernel's code unless its bits are the same everywhere: that one is what people would ship. */
static bool tells_more(const struct registry *r, enum level level, const struct variant *v)
{
    const struct oracle *o = oracle_find(v->op);
    if (level == LEVEL_L1) return true;
    if (strcmp(v->dtype, "f32") || (o && o->unary) || is_copy(r, v)) return false;
    bool second = v->kernel && variant_file_kernel(v) != v->kernel;
    return !second || v->kernel->arithmetic == ARITHMETIC_EXPLICIT;
}

enum team { ALONE, ALL_CORES };

static const struct effort {
    size_t processes, rounds;
    double warmup_s, sample_s, patience_s;
    struct slice {
        enum choice choice;
        enum level level;
        enum team team;
        const char *family;
    } slices[10]; /* up to the first without a family */
} efforts[] = {
    [BENCH_QUICK] = {6, 12, 0.5e-3, 50e-6, 0.02, {{ALL, LEVEL_L1, ALONE, "normal"}}},
    [BENCH_DEFAULT] = {6,
                       16,
                       0.5e-3,
                       60e-6,
                       0.004,
                       {{ALL, LEVEL_L1, ALONE, "normal"},
                        {VECTOR_OFF, LEVEL_L1, ALONE, "tiny"},
                        {VECTOR_OFF, LEVEL_L1, ALL_CORES, "normal"},
                        {VECTOR_SHIPPABLE, LEVEL_L2, ALONE, "normal"},
                        {VECTOR_OFF, LEVEL_L3, ALONE, "normal"},
                        {VECTOR_EXPLICIT, LEVEL_DRAM, ALONE, "normal"},
                        {VECTOR_EXPLICIT, LEVEL_DRAM, ALL_CORES, "normal"}}},
    [BENCH_FULL] = {12,
                    40,
                    5e-3,
                    200e-6,
                    0.5,
                    {{ALL, LEVEL_L1, ALONE, "normal"},
                     {ALL, LEVEL_L1, ALONE, "tiny"},
                     {ALL, LEVEL_L1, ALL_CORES, "normal"},
                     {ALL, LEVEL_L2, ALONE, "normal"},
                     {ALL, LEVEL_L2, ALL_CORES, "normal"},
                     {ALL, LEVEL_L3, ALONE, "normal"},
                     {ALL, LEVEL_L3, ALL_CORES, "normal"},
                     {ALL, LEVEL_DRAM, ALONE, "normal"},
                     {ALL, LEVEL_DRAM, ALL_CORES, "normal"}}},
};

static void add_slice(struct plan_builder *b, const struct slice *slice, const struct registry *r)
{
    unsigned cores = b->setup->topology.cores;
    unsigned threads = slice->team == ALL_CORES ? cores : 1;
    if (slice->team == ALL_CORES && cores < 2) return;
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        if (v->study) continue;
        if (!v->kernel) { /* one row with the reason is enough */
            if (slice->choice == ALL && slice->level == LEVEL_L1 && threads == 1)
                plan_add_cell(b, v, shape_in(LEVEL_L1, NULL, b->setup), 1, slice->family);
            continue;
        }
        if (!choice_takes(slice->choice, v)) continue;
        if (slice->choice != ALL && !tells_more(r, slice->level, v)) continue;
        struct shape shape = shape_in(slice->level, v->kernel, b->setup);
        /* Each core's own caches hold a share; a shared cache holds one working set. */
        if (slice->level < LEVEL_L3) shape.rows *= threads;
        plan_add_cell(b, v, shape, threads, slice->family);
    }
}

/* Adds one row on all cores, and on one, for the kernels that a person would ship, if they can
 * share a row. */
static void add_one_row(struct plan_builder *b, const struct registry *r)
{
    static const size_t lengths[] = {1 << 18, 1 << 20};
    unsigned cores = b->setup->topology.cores;
    for (size_t i = 0; i < r->count && cores > 1; i++) {
        const struct variant *v = &r->variants[i];
        if (!v->kernel || v->study || !v->kernel->stages || !choice_takes(VECTOR_OFF, v) ||
            !tells_more(r, LEVEL_L3, v))
            continue;
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            struct shape shape = {1, lengths[k]};
            if (!plan_has_cell(b, v, shape)) plan_add_cell(b, v, shape, 1, "normal");
            plan_add_cell(b, v, shape, cores, "normal");
        }
    }
}

/* Adds a suite, whose shapes are the same on every machine. A quick run has time for the shortest,
 * under the first policy: every run has those cells. */
static void add_suite(struct plan_builder *b, const struct registry *r, const struct suite *suite,
                      bool quick)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        if (!suite_has(suite, v) || (quick && strcmp(v->policy, suite->policies[0]) != 0)) continue;
        for (size_t k = 0; k < (quick ? 1 : suite->shape_count); k++) {
            struct shape shape = {suite->shapes[k].rows, suite->shapes[k].n};
            if (!plan_has_cell(b, v, shape)) plan_add_cell(b, v, shape, 1, "normal");
        }
    }
}

static void add_suites(struct plan_builder *b, const struct registry *r, bool quick)
{
    const struct suite *suite;
    for (size_t number = 1; (suite = suite_find(number)); number++) add_suite(b, r, suite, quick);
}

int bench_plan_run(struct bench_plan *p, const struct registry *r, const struct bench_setup *s,
                   const struct run_request *q, struct error *e)
{
    const struct effort *f = &efforts[q->effort];
    *p = (struct bench_plan){.parameters = parameters_default,
                             .processes = f->processes,
                             .rounds = f->rounds,
                             .warmup_s = f->warmup_s,
                             .sample_s = f->sample_s,
                             .patience_s = f->patience_s,
                             .timeout_s = q->shape_count ? 120 : 20, /* 2 GB take their time */
                             .seed = q->seed};
    struct plan_builder b = {.plan = p, .setup = s};
    if (q->suite) {
        add_suite(&b, r, q->suite, false);
        return plan_finish(&b, e);
    }
    for (const struct slice *slice = f->slices; slice->family && !b.failed; slice++)
        add_slice(&b, slice, r);
    plan_add_field(&b, r, q);
    if (q->effort != BENCH_QUICK) add_one_row(&b, r);
    add_suites(&b, q->timed ? q->timed : r, q->effort != BENCH_FULL);
    return plan_finish(&b, e);
}
