// SPDX-License-Identifier: MIT
/* y = max x + log(sum_j exp(x_j - max x)).
 * Bound: BOUND_LOGSUMEXP_SHIFTED (docs/method.md). Near y = 0 no ulp can be promised: the condition
 * is max|x| / |y|. 22 flops, 4 bytes per element; it moves 8. */
#include "own.h"
#include "logsumexp.h"
#include "ops.h"
#include "scanned.h"

static void run(const struct job *j) { each_row(j, logsumexp_shifted_row); }

const struct kernel KERNEL = {
    .op = "logsumexp",
    .algorithm = "shifted",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 3 + EXP_FLOPS,
    .bytes = 4,
    .lanes = VL,
    .chains = K,
    .bound = BOUND_LOGSUMEXP_SHIFTED,
    .exp_ulp = OWN_EXP_ULP,
    .log_ulp = OWN_LOG_ULP,
    .promise = {.specials = true, .bound = true},
    .run = run,
    /* The passes: maximum; x - max, exp, sum. */
    .ops = {.mad = EXP_MAD,
            .mul = EXP_NONPOSITIVE_MUL,
            .add = EXP_ADD + 2,
            .max = 2,
            .other = EXP_NONPOSITIVE_OTHER},
};
