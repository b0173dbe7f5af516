// SPDX-License-Identifier: MIT
/* Mean and variance (ddof 0), each the float that is nearest to it: docs/correct.md says how. Sums
 * about a pivot in double, a bound of their error, and integers where the two ends of the enclosure
 * round differently; ties, too, which are decided to even. At most 0.5 ulp. 4 flops, 4 bytes per
 * element. */
#include "rows_moments.h"

static void run(const struct job *j)
{
    for (size_t row = 0; row < j->rows; row++) {
        const float *x = row_in(j, row);
        float *y = row_out(j, row);
        struct row_moments s = centred_moments(x, j->n);
        struct exact_row r;
        exact_row_open(&r, x, j->n, 1, 0.0f);
        y[0] = s.special ? special_mean(x, j->n)
                         : moment_rounded(&r, MEAN, d_add(s.pivot, s.m), s.m_error);
        y[1] = s.special ? f_nan() : moment_rounded(&r, VARIANCE, s.variance, s.variance_error);
    }
}

const struct kernel KERNEL = {
    .op = "moments",
    .algorithm = "correct",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 4,
    .bytes = sizeof(float),
    .lanes = VL,
    .chains = MOMENT_CHAINS,
    .promise = {.specials = true},
    .run = run,
};
