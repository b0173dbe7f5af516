// SPDX-License-Identifier: MIT
/* y_i = exp(x_i - max x) / sum_j exp(x_j - max x): maximum; sum; exp again, times 1 / sum. One exp
 * more than threepass and no pass over y: 16 bytes moved per element instead of 20.
 * Bound, for normal results: BOUND_SOFTMAX (docs/method.md). The rounding of x - max is most of it.
 * 42 flops, 8 compulsory bytes per element. */
#include "own.h"
#include "softmax.h"
#include "ops.h"
#include "scanned.h"

static void run(const struct job *j) { each_row(j, softmax_recompute_row); }

const struct kernel KERNEL = {
    .op = "softmax",
    .algorithm = "recompute",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 4 + 2 * EXP_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .chains = K,
    .bound = BOUND_SOFTMAX,
    .exp_ulp = OWN_EXP_ULP,
    .log_ulp = OWN_LOG_ULP,
    .promise = {.ulp_off = 14, .ulp_fused = 14, .specials = true, .bound = true},
    .run = run,
    /* The passes: maximum; x - max, exp, sum; x - max, exp, product. */
    .ops = {.mad = 2 * EXP_MAD,
            .mul = 2 * EXP_NONPOSITIVE_MUL + 1,
            .add = 2 * EXP_ADD + 3,
            .max = 3,
            .other = 2 * EXP_NONPOSITIVE_OTHER},
    .also =
        &(const struct second_form){
            .op = "log_softmax",
            .flops = 5 + EXP_FLOPS,
            .promise = {.specials = true},
            .ops = {.mad = EXP_MAD,
                    .mul = EXP_NONPOSITIVE_MUL,
                    .add = EXP_ADD + 4,
                    .max = 2,
                    .other = EXP_NONPOSITIVE_OTHER},
        },
};
