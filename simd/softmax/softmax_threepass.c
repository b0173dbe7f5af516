// SPDX-License-Identifier: MIT
/* y_i = exp(x_i - max x) / sum_j exp(x_j - max x): maximum; exp, stored, and its sum;
 * multiplication by 1 / sum.
 * Bound, for normal results: BOUND_SOFTMAX (docs/method.md). The rounding of x - max is most of it.
 * 23 flops, 8 compulsory bytes per element; it moves 20. */
// build: stored=bf16,f16
#include "own.h"
#include "softmax.h"
#include "ops.h"
#include "scanned.h"

static void run(const struct job *j) { each_row(j, softmax_threepass_row); }

const struct kernel KERNEL = {
    .op = "softmax",
    .algorithm = "threepass",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 4 + EXP_FLOPS,
    .bytes = 2 * sizeof(element),
    .lanes = VL,
    .chains = K,
    .bound = BOUND_SOFTMAX,
    .exp_ulp = OWN_EXP_ULP,
    .log_ulp = OWN_LOG_ULP,
    .promise = {.ulp_off = STORED_ULP(14),
                .ulp_fused = STORED_ULP(14),
                .specials = true,
                .bound = true},
    .run = run,
    /* The passes: maximum; x - max, exp, sum; product. */
    .ops = {.mad = EXP_MAD,
            .mul = EXP_NONPOSITIVE_MUL + 1,
            .add = EXP_ADD + 2,
            .max = 2,
            .other = EXP_NONPOSITIVE_OTHER},
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
