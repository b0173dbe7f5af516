// SPDX-License-Identifier: MIT
/* mean = sum(x) / n;  d = x - mean;  variance = (sum(d^2) - sum(d)^2 / n) / n.
 * The second term removes the effect of the mean's rounding on the first (Bjorck's correction,
 * 1983). Bound: BOUND_VARIANCE_CORRECTED (docs/method.md). 5 flops, 4 bytes
 * per element. Source: Chan, Golub, LeVeque 1983. */
// build: stored=bf16,f16
#include "sums.h"

static struct moments corrected(const element *x, size_t n)
{
    float mean = row_sums(x, n, 0.0f).d / to_float(n);
    struct sums s = row_sums(x, n, mean);
    return (struct moments){mean, (s.dd - s.d * (s.d / to_float(n))) / to_float(n)};
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) store_moments(j, r, corrected(row_of(j, r), j->n));
}

const struct kernel KERNEL = {
    .op = "moments",
    .algorithm = "corrected",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 5,
    .bytes = sizeof(element),
    .lanes = VL,
    .chains = CHAINS,
    .bound = BOUND_VARIANCE_CORRECTED,
    .promise = {.specials = true, .bound = true},
    .run = run,
    .ops = {.mad = 1, .add = 3}, /* a sum; a difference, and two sums of it and of its square */
};
