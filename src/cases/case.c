// SPDX-License-Identifier: MIT
/* Memory, calls and ratios of times. The two sides of a ratio are timed in turns, so that a change
 * of clock or a neighbour's load affects both; the result is the median over the pairs, with the
 * interval of its order statistics. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case.h"
#include "machine/clock.h"
#include "machine/mxcsr.h"
#include "measure/peers.h"
#include "measure/stats.h"

enum { PAIRS_MAX = 401, CALLS_MAX = 1 << 20 };
static const size_t pairs_of[] = {[CASE_QUICK] = 21, [CASE_DEFAULT] = 101, [CASE_FULL] = PAIRS_MAX};
static const double sample_s = 100e-6;

void *case_alloc(size_t bytes)
{
    size_t size = (bytes + 63) / 64 * 64 + 64;
    void *p = aligned_alloc(64, size);
    if (!p) {
        fprintf(stderr, "ulplab: out of memory: a case study needs %zu bytes; free some\n", size);
        _Exit(EXIT_PARTIAL);
    }
    return memset(p, 0, size);
}

float *case_inputs(enum family f, enum domain d, uint64_t seed, size_t rows, size_t n)
{
    float *x = case_alloc(rows * n * sizeof *x);
    for (size_t r = 0; r < rows; r++) inputs_row(f, d, seed, r, n, x + r * n);
    return x;
}

double case_larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

struct job case_job(size_t rows, size_t n, const void *x, void *y, size_t columns)
{
    return (struct job){
        .rows = rows, .n = n, .x = x, .x_stride = n, .y = y, .y_stride = columns, .scale = 1};
}

static float *case_scratch(const struct job *job)
{
    return aligned_alloc(64, (2 * job->n + 256 + 15) / 16 * 64);
}

void case_call(const struct variant *v, struct job job)
{
    kernel_construct(v->kernel);
    const unsigned modes = kernel_modes(v->kernel);
    job.scratch = case_scratch(&job);
    _mm_setcsr(modes);
    v->kernel->run(&job);
    if (!modes_restore_after(modes)) {
        fprintf(stderr, "ulplab: wrong: %s: it left MXCSR, x87 or MMX changed; report this\n",
                v->id);
        _Exit(EXIT_PARTIAL);
    }
    free(job.scratch);
}

static double case_time_ticks_of(const struct case_work *w, size_t calls)
{
    uint64_t start = clock_now();
    for (size_t i = 0; i < calls; i++) w->call(w->context);
    return (double)(clock_now() - start);
}

/* The number of calls that fill a sample. The first calls warm up. */
static size_t calls_of(const struct clock *clock, const struct case_work *w)
{
    size_t calls = 1;
    while (calls < CALLS_MAX && case_time_ticks_of(w, calls) < sample_s * clock->tsc_hz) calls *= 2;
    return calls;
}

struct case_ratio case_ratio_of_work(const struct case_context *c, struct case_work a,
                                     struct case_work b)
{
    double ratios[PAIRS_MAX], a_ns[PAIRS_MAX], b_ns[PAIRS_MAX];
    size_t pairs = pairs_of[c->effort];
    struct clock clock;
    clock_calibrate(&clock, 0.005);
    size_t a_calls = calls_of(&clock, &a), b_calls = calls_of(&clock, &b);
    for (size_t i = 0; i < pairs; i++) {
        double a_ticks = i % 2 ? 0 : case_time_ticks_of(&a, a_calls);
        double b_ticks = case_time_ticks_of(&b, b_calls);
        if (i % 2) a_ticks = case_time_ticks_of(&a, a_calls);
        a_ns[i] = clock_ns(&clock, a_ticks) / (double)a_calls;
        b_ns[i] = clock_ns(&clock, b_ticks) / (double)b_calls;
        ratios[i] = a_ns[i] / b_ns[i];
    }
    struct case_ratio r = {.pairs = pairs, .ratio = stats_median(ratios, pairs)};
    size_t rank = stats_median_rank(pairs, 0.95);
    r.low = ratios[rank - 1];
    r.high = ratios[pairs - rank];
    r.a_ns = stats_median(a_ns, pairs);
    r.b_ns = stats_median(b_ns, pairs);
    return r;
}

struct call {
    const struct variant *variant;
    const struct job *job;
};

static void case_time_call(void *context)
{
    const struct call *c = context;
    c->variant->kernel->run(c->job);
}

struct case_ratio case_ratio(const struct case_context *c, const struct variant *a,
                             const struct variant *b, struct job job)
{
    struct call x = {a, &job}, y = {b, &job};
    kernel_construct(a->kernel);
    kernel_construct(b->kernel);
    job.scratch = case_scratch(&job);
    struct case_ratio ratio = case_ratio_of_work(c, (struct case_work){case_time_call, &x},
                                                 (struct case_work){case_time_call, &y});
    free(job.scratch);
    return ratio;
}

json_t *case_ratio_text(const struct case_ratio *r, int digits)
{
    return r->pairs ? json_sprintf("%.*f [%.*f, %.*f]", digits, r->ratio, digits, r->low, digits,
                                   r->high)
                    : json_null();
}

/* ---- Variants ------------------------------------------------------------------------------- */

/* The variants that a case looks at, and tables with one line per finding. */

static bool case_variants_is_of(const struct variant *v, const char *op, const char *algorithm,
                                const char *dtype)
{
    return v->status == STATUS_OK && !strcmp(v->op, op) && !strcmp(v->algorithm, algorithm) &&
           (!dtype || !strcmp(v->dtype, dtype));
}

struct case_variants case_variants(const struct case_context *c, const char *op,
                                   const char *algorithm, const char *dtype)
{
    const struct registry *r = c->registry;
    struct case_variants found = {.items = case_alloc((r->count + 1) * sizeof *found.items),
                                  .same = case_alloc((r->count + 1) * sizeof *found.same)};
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        size_t same = 0;
        if (!case_variants_is_of(v, op, algorithm, dtype)) continue;
        while (same < found.count && found.items[same]->build->code_hash != v->build->code_hash)
            same++;
        found.items[found.count] = v;
        found.same[found.count++] = same;
    }
    return found;
}

static bool case_variants_matches(const char *value, const char *pattern)
{
    return !pattern || !strcmp(value, pattern);
}

const struct variant *case_pick(const struct case_variants *v, const char *isa, const char *cc,
                                const char *policy)
{
    for (size_t i = 0; i < v->count; i++)
        if (case_variants_matches(v->items[i]->isa, isa) &&
            case_variants_matches(v->items[i]->cc, cc) &&
            case_variants_matches(v->items[i]->policy, policy))
            return v->items[i];
    return NULL;
}

bool case_is_off(const struct variant *v)
{
    return !strcmp(v->policy, "off");
}

bool case_policies_alike(const struct case_variants *v, size_t i, const void *results, size_t size,
                         char policies[CASE_POLICIES])
{
    const struct variant *x = v->items[i];
    const char *result = results;
    size_t used = 0;
    for (size_t k = 0; k < v->count; k++) {
        const struct variant *y = v->items[k];
        if (strcmp(x->isa, y->isa) || strcmp(x->cc, y->cc) ||
            memcmp(result + i * size, result + k * size, size))
            continue;
        if (k < i) return false;
        if (used < CASE_POLICIES)
            used += (size_t)snprintf(policies + used, CASE_POLICIES - used, "%s%s",
                                     used ? ", " : "", y->policy);
    }
    return true;
}

void *case_measure(const struct case_variants *v, size_t size,
                   void (*measure)(const void *context, const struct variant *, void *result),
                   const void *context)
{
    char *results = case_alloc((v->count + 1) * size);
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t i = 0; i < v->count; i++)
        if (v->same[i] == i) measure(context, v->items[i], results + i * size);
    for (size_t i = 0; i < v->count; i++)
        memmove(results + i * size, results + v->same[i] * size, size);
    return results;
}
