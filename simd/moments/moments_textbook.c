// SPDX-License-Identifier: MIT
/* mean = sum(x) / n;  variance = sum(x^2) / n - mean^2, in one pass.
 * Bound: BOUND_VARIANCE_TEXTBOOK (docs/method.md): every digit is lost once the mean
 * is some 2^12 standard deviations away from zero, and the result can be negative, so that this
 * kernel is a hazard by design. Contraction shows in the last line: fused, the variance of one
 * element is the rounding error of its square and not 0, so that specials are not promised either.
 * 3 flops, 4 bytes per element. Source: Chan, Golub, LeVeque 1983 (as the one to avoid). */
// build: stored=bf16,f16,f64
#include "sums.h"

static struct moments textbook(const element *x, size_t n)
{
    struct sums s = row_sums(x, n, 0.0f);
    float mean = s.d / to_float(n);
    return (struct moments){mean, s.dd / to_float(n) - mean * mean};
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) store_moments(j, r, textbook(row_of(j, r), j->n));
}

const struct kernel KERNEL = {
    .op = "moments",
    .algorithm = "textbook",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .hazard = true,
    .flops = 3,
    .bytes = sizeof(element),
    .lanes = VL,
    .chains = CHAINS,
    .bound = BOUND_VARIANCE_TEXTBOOK,
    .promise = {.specials = false, .bound = true},
    .run = run,
    .ops = {.mad = 1, .add = 1}, /* two sums */
};
