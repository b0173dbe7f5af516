// SPDX-License-Identifier: MIT
/* Compensated summation under every build: where a policy allows regrouping, the error terms
 * vanish. */
#include <math.h>

#include "cases/case.h"

enum { ROWS = 128, N = 1000, OUTPUTS = 2 };

/* The largest errors over the rows, in u = 2^-24 of the sum, and the additions in the code. */
enum { PLAIN, COMPENSATED, ADDITIONS, FIGURES };
static const struct case_figure figures[] = {
    [PLAIN] = {"plain", "plain_u"},
    [COMPENSATED] = {"compensated", "compensated_u"},
    [ADDITIONS] = {"add", "additions", true},
    [FIGURES] = {0},
};

static const struct case_prediction predictions[] = {
    {"compensated, without regrouping: largest error in u", NULL, "!reassoc fastmath", false,
     COMPENSATED, LARGEST, 0, 1.01, NEEDED},
    {"compensated, reassoc and fastmath: least of the builds' errors in u", NULL,
     "reassoc fastmath", false, COMPENSATED, LEAST, 1.5, INFINITY, NEEDED},
    {0},
};

struct sums {
    float *x;
    double exact[ROWS];
};

static void twosum_measure(const void *context, const struct variant *v, void *result)
{
    const struct sums *s = context;
    float y[ROWS][OUTPUTS];
    double *worst = result;
    case_call(v, case_job(ROWS, N, s->x, y, OUTPUTS));
    for (size_t r = 0; r < ROWS; r++)
        for (size_t k = 0; k < OUTPUTS; k++)
            worst[k] = case_larger(worst[k], fabs((double)y[r][k] - s->exact[r]) /
                                                 (fabs(s->exact[r]) * 0x1p-24));
    worst[ADDITIONS] = v->build->counts.add;
}

static bool twosum_is_broken(const double *worst)
{
    return !(worst[COMPENSATED] <= 1.5);
}

static void run(const struct case_context *c, struct case_result *r)
{
    static const struct case_kernel kernel = {"twosum", figures, predictions, twosum_measure,
                                              twosum_is_broken};
    struct sums s = {.x = case_inputs(FAMILY_OFFSET, DOMAIN_MOMENTS, c->seed, ROWS, N)};
    for (size_t i = 0; i < ROWS; i++) {
        long double sum = 0;
        for (size_t k = 0; k < N; k++) sum += (long double)s.x[i * N + k];
        s.exact[i] = (double)sum;
    }
    json_t *table =
        case_table(r, "Largest error of 128 sums of 1000 elements 1e4 + N(0,1), in u of the sum",
                   "cc=compiler", "isa=ISA", "policies=policies", "add=additions in the code",
                   "plain=plain sum, u", "compensated=compensated sum, u", NULL);
    if (!case_kernel_study(c, r, table, &kernel, &s))
        case_skip(r, "needs litmus/twosum under reassoc or fastmath, and under another policy");
    case_price(r, "none: what the flag saves is what the result was for");
}

const struct case_study case_twosum_vanishes = {
    .name = "twosum-vanishes",
    .title = "-ffast-math deletes the error terms of a compensated sum, in intrinsics too",
    .reported = "Kahan and TwoSum summation give the plain sum under -ffast-math, or under "
                "-fassociative-math alone; writing it in intrinsics does not help.",
    .mechanism = "In real arithmetic (a - (s - (s - a))) + (b - (s - a)) is 0, and a compiler that "
                 "may regroup makes it that.",
    .remedy = "No -fassociative-math in that file, or barriers on the sums.",
    .run = run,
};
