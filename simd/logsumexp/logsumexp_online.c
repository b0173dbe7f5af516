// SPDX-License-Identifier: MIT
/* y = max x + log(sum_j exp(x_j - max x)), in one pass (online.h).
 * Bound: BOUND_LOGSUMEXP_SHIFTED (docs/method.md). Near y = 0 no ulp can be promised: the condition
 * is max|x| / |y|. 25 flops, 4 bytes per element. Source: Milakov and Gimelshein 2018. */
#include "own.h"
#include "online.h"
#include "logsumexp.h"
#include "scanned.h"

static inline void row(const struct job *j, const float *x, float *y)
{
    struct online_row o = online_row(x, j->n);
    *y = logsumexp_finish(x, j->n, o.max, o.sum);
}
static void run(const struct job *j) { each_row(j, row); }

const struct kernel KERNEL = {
    .op = "logsumexp",
    .algorithm = "online",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 3 + EXP_FLOPS + (EXP_FLOPS + 3) / (double)WIDE,
    .bytes = 4,
    .lanes = VL,
    .chains = WIDE,
    .bound = BOUND_LOGSUMEXP_SHIFTED,
    .exp_ulp = OWN_EXP_ULP,
    .log_ulp = OWN_LOG_ULP,
    .promise = {.specials = true, .bound = true},
    .run = run,
    .ops = {.mad = ONLINE_MAD,
            .mul = ONLINE_MUL,
            .add = ONLINE_ADD,
            .max = ONLINE_MAX,
            .other = ONLINE_OTHER},
};
