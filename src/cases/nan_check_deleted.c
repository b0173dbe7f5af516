// SPDX-License-Identifier: MIT
/* The number of the NaNs in a row that a check finds under every build. */
#include <math.h>

#include "cases/case.h"

enum { ROWS = 16, N = 203, EVERY = 7, PLANTED = N / EVERY, OUTPUTS = 2 };

/* The share of the NaNs that intrinsics find, and x != x; the comparisons in the code. */
enum { VECTORS, EXPRESSION, COMPARISONS, FIGURES };
static const struct case_figure figures[] = {
    [VECTORS] = {"vectors", "found_by_intrinsics"},
    [EXPRESSION] = {"expression", "found_by_expression"},
    [COMPARISONS] = {"compare", "comparisons", true},
    [FIGURES] = {0},
};

static const struct case_prediction predictions[] = {
    {"every policy but fastmath: found by x != x", NULL, "!fastmath", false, EXPRESSION, LEAST, 1,
     1, NEEDED},
    {"every policy but fastmath: found by intrinsics", NULL, "!fastmath", false, VECTORS, LEAST, 1,
     1, IF_BUILT},
    {"fastmath: found by x != x", NULL, "fastmath", false, EXPRESSION, LARGEST, 0, 0, NEEDED},
    {"fastmath, gcc: found by intrinsics", "gcc", "fastmath", true, VECTORS, LEAST, 1, 1, IF_BUILT},
    {"fastmath, clang: found by intrinsics", "clang", "fastmath", true, VECTORS, LARGEST, 0, 0,
     IF_BUILT},
    {0},
};

static void nan_check_measure(const void *x, const struct variant *v, void *result)
{
    float y[ROWS][OUTPUTS];
    double *found = result;
    case_call(v, case_job(ROWS, N, x, y, OUTPUTS));
    for (size_t r = 0; r < ROWS; r++)
        for (size_t k = 0; k < OUTPUTS; k++) found[k] += (double)y[r][k] / (ROWS * PLANTED);
    found[COMPARISONS] = v->build->counts.compare;
}

static bool nan_check_is_broken(const double *found)
{
    return !(found[VECTORS] >= 1 && found[EXPRESSION] >= 1);
}

static void run(const struct case_context *c, struct case_result *r)
{
    static const struct case_kernel kernel = {"nancheck", figures, predictions, nan_check_measure,
                                              nan_check_is_broken};
    float x[ROWS * N];
    for (size_t i = 0; i < ROWS * N; i++) x[i] = i % N % EVERY == EVERY - 1 ? NAN : 1;
    json_t *table = case_table(r, "Share of the NaNs that are found", "cc=compiler", "isa=ISA",
                               "policies=policies", "compare=comparisons in the code",
                               "vectors=found by intrinsics", "expression=found by x != x", NULL);
    if (!case_kernel_study(c, r, table, &kernel, x))
        case_skip(r, "needs litmus/nancheck under fastmath and under another policy");
    case_price(r, "none worth naming: an unordered comparison per vector");
}

const struct case_study case_nan_check_deleted = {
    .name = "nan-check-deleted",
    .title = "-ffast-math deletes the check for NaN; clang deletes it in intrinsics too",
    .reported = "isnan(x) and x != x are constant false under -ffinite-math-only: inputs that were "
                "to be refused get through.",
    .mechanism = "Under -ffinite-math-only no value is a NaN, so that an unordered comparison of a "
                 "value with itself is known; gcc knows it of expressions, clang of intrinsics as "
                 "well.",
    .remedy = "-fno-finite-math-only behind -ffast-math, or a test of the bits.",
    .run = run,
};
