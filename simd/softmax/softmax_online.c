// SPDX-License-Identifier: MIT
/* y_i = exp(x_i - max x) / sum_j exp(x_j - max x), with the maximum and the sum in one pass
 * (online.h): 12 bytes moved per element, and two exps and an eighth.
 * Bound, for normal results: BOUND_SOFTMAX (docs/method.md). The rounding of x - max is most of it.
 * Raising a lane's maximum costs the terms before it eps_e/u + 1 more, which the bound leaves out;
 * the largest measured share of the bound, 0.81 on logits, is nevertheless the same as threepass's.
 * 44 flops, 8 compulsory bytes per element. Source: Milakov and Gimelshein 2018. */
// build: stored=bf16,f16
#include "own.h"
#include "online.h"
#include "softmax.h"
#include "scanned.h"

static inline void row(const struct job *j, const element *x, element *y)
{
    struct online_row o = online_row(x, j->n);
    struct row_context c = {.max = v_set1(o.max)};
    softmax_finish(j, x, y, &c, o.sum);
}
static void run(const struct job *j) { each_row(j, row); }

const struct kernel KERNEL = {
    .op = "softmax",
    .algorithm = "online",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 6 + 2 * EXP_FLOPS + (EXP_FLOPS + 3) / (double)WIDE,
    .bytes = 2 * sizeof(element),
    .lanes = VL,
    .chains = WIDE,
    .bound = BOUND_SOFTMAX,
    .exp_ulp = OWN_EXP_ULP,
    .log_ulp = OWN_LOG_ULP,
    .promise = {.ulp_off = STORED_ULP(14),
                .ulp_fused = STORED_ULP(14),
                .specials = true,
                .bound = true},
    .run = run,
    .ops = {.mad = ONLINE_MAD + EXP_MAD,
            .mul = ONLINE_MUL + EXP_NONPOSITIVE_MUL + 1,
            .add = ONLINE_ADD + EXP_ADD + 1,
            .max = ONLINE_MAX + 1,
            .other = ONLINE_OTHER + EXP_NONPOSITIVE_OTHER},
    .also =
        &(const struct second_form){
            .op = "log_softmax",
            .flops = 6 + EXP_FLOPS + (EXP_FLOPS + 3) / (double)WIDE,
            .promise = {.specials = true},
            .ops = {.mad = ONLINE_MAD,
                    .mul = ONLINE_MUL,
                    .add = ONLINE_ADD + 2,
                    .max = ONLINE_MAX,
                    .other = ONLINE_OTHER},
        },
};
