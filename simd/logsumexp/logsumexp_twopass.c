// SPDX-License-Identifier: MIT
/* y = n ln 2 + log(sum), sum_j exp(x_j) = sum 2^n, in one pass (pairs.h); n ln 2_hi is exact and is
 * added last.
 * Bound: BOUND_LOGSUMEXP_SHIFTED (docs/method.md). Near y = 0 no ulp can be promised: the condition
 * is max|x| / |y|. The kernel stays below the bound, since it rounds no difference x - max. A row
 * whose maximum is outside [-1871, 2010], or that has a NaN, takes shifted's path. 23 flops, 4
 * bytes per element. Source: Dukhan and Ablavatski 2020. */
#include "own.h"
#include "pairs.h"
#include "logsumexp.h"
#include "scanned.h"

static inline void row(const struct job *j, const float *x, float *y)
{
    struct pairs_row p = pairs_row(x, j->n);
    if (p.valid)
        *y = p.exponent * exp_k.ln2_hi + (p.exponent * exp_k.ln2_lo + v_scalar(log_of, p.sum));
    else
        logsumexp_shifted_row(j, x, y);
}
static void run(const struct job *j) { each_row(j, row); }

const struct kernel KERNEL = {
    .op = "logsumexp",
    .algorithm = "twopass",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 3 + EXP_FLOPS + 3.0 / K,
    .bytes = 4,
    .lanes = VL,
    .chains = K,
    .bound = BOUND_LOGSUMEXP_SHIFTED,
    .exp_ulp = OWN_EXP_ULP,
    .log_ulp = OWN_LOG_ULP,
    .promise = {.specials = true, .bound = true},
    .run = run,
    .ops = {.mad = PAIRS_MAD,
            .mul = PAIRS_MUL,
            .add = PAIRS_ADD,
            .max = PAIRS_MAX,
            .other = PAIRS_OTHER},
};
