// SPDX-License-Identifier: MIT
/* An element's value depends on its place in the row: constant rows, whose results have to be
 * equal, through kernels that compute their tail in another way than their body. */
#include <stdlib.h>

#include "cases/case.h"

enum { VALUES = 1000 };

/* The share of rows whose elements differ; the instructions in the code. */
enum { SPLIT, FMA, MUL, FIGURES };
static const struct case_figure figures[] = {[SPLIT] = {"split", "split"},
                                             [FMA] = {"fma", "fma", true},
                                             [MUL] = {"mul", "mul", true},
                                             [FIGURES] = {0}};

static const struct case_prediction plain[] = {
    {"plain tail, off: rows that are not alike (share)", NULL, "off", true, SPLIT, LARGEST, 0, 0,
     IF_BUILT},
    {"plain tail, gcc's default", "gcc", "default", true, SPLIT, LARGEST, 0, 0, IF_BUILT},
    {"plain tail, clang's default: least share", "clang", "default", true, SPLIT, LEAST, 0.1, 1,
     NEEDED},
    {0},
};
static const struct case_prediction masked[] = {
    {"masked tail, off", NULL, "off", true, SPLIT, LARGEST, 0, 0, IF_BUILT},
    {"masked tail, clang fast", "clang", "fast", true, SPLIT, LARGEST, 0, 0, IF_BUILT},
    {"masked tail, gcc fast", "gcc", "fast", true, SPLIT, LEAST, 0.1, 1, NEEDED},
    {0},
};

/* Rows of two whole vectors and a tail of all lanes but one. */
static void tail_measure(const void *context, const struct variant *v, void *result)
{
    const float *values = context;
    double *found = result;
    size_t n = 3 * v->kernel->lanes - 1, split = 0;
    float *x = case_alloc(VALUES * n * sizeof *x), *y = case_alloc(VALUES * n * sizeof *y);
    for (size_t i = 0; i < VALUES * n; i++) x[i] = values[i / n];
    struct job job = case_job(VALUES, n, x, y, n);
    job.scale = 0.7f;
    case_call(v, job);
    for (size_t r = 0; r < VALUES; r++) {
        size_t i = 1;
        while (i < n && y[r * n + i] == y[r * n]) i++;
        split += i < n;
    }
    free(x);
    free(y);
    found[SPLIT] = (double)split / VALUES;
    found[FMA] = v->build->counts.fma;
    found[MUL] = v->build->counts.mul;
}

static bool tail_is_broken(const double *found)
{
    return found[SPLIT] > 0;
}

static void run(const struct case_context *c, struct case_result *r)
{
    static const struct case_kernel kernels[] = {
        {"plaintail", figures, plain, tail_measure, tail_is_broken},
        {"maskedtail", figures, masked, tail_measure, tail_is_broken},
    };
    float *values = case_inputs(FAMILY_NORMAL, DOMAIN_EXPONENT, c->seed, 1, VALUES);
    json_t *table =
        case_table(r, "1000 constant rows through y = 0.7 x + 1/3, by build", "algorithm=kernel",
                   "cc=compiler", "isa=ISA", "policies=policies", "fma=FMA", "mul=multiplications",
                   "split=rows that are not alike", NULL);
    bool plain_is_shown = case_kernel_study(c, r, table, &kernels[0], values);
    if (!case_kernel_study(c, r, table, &kernels[1], values) && !plain_is_shown)
        case_skip(r, "no build here whose body and tail could differ: it needs clang's default, or "
                     "gcc's fast on AVX-512");
    case_price(r, "-ffp-contract=off: see fma-softmax; masks that blend behind whole operations "
                  "cost one instruction per row");
}

const struct case_study case_masked_tail = {
    .name = "masked-tail",
    .title = "An element's value depends on its place in the row",
    .reported = "The same x gives another y once it falls into the last, partial vector: results "
                "change with the row length, with padding, with batching.",
    .mechanism = "Body and tail contract differently: gcc never fuses masked AVX-512 operations, "
                 "clang's default never fuses intrinsics but does fuse the plain C of a tail.",
    .remedy = "-ffp-contract=off; or FMA written out in both; or a tail of whole operations behind "
              "which a mask blends.",
    .run = run,
};
