// SPDX-License-Identifier: MIT
/* softmax(scale x) as it is usually written: max_j fl(scale x_j), then exp(scale x_i - max). A
 * hazard: if the compiler contracts scale x_i - max, its product is not the one whose maximum was
 * taken, and the exponent of the largest element is the product's rounding error instead of 0: up
 * to scale max|x| u, which overflows for large scale x. Under off both products round alike, and
 * the error is that of threepass with 2 (max - x_i).
 * 25 flops, 8 compulsory bytes per element. No bound holds for all policies. */
#include "exp.h"
#include "log.h"
#include "ops.h"
#include "row.h"
#include "scanned.h"

static inline vf score(vf x, const struct row_context *c) { return v_mul(x, c->scale); }
static inline vf shifted(vf x, const struct row_context *c)
{
    return v_mad(x, c->scale, v_sub(v_set1(0.0f), c->max));
}
/* This is v_exp, not v_exp_nonpositive: contracted, the difference may be positive and large. */
static inline vf exp_of(vf x) { return v_exp(x); }
static inline vf log_of(vf x) { return v_log(x); }
#include "softmax.h"

static void run(const struct job *j) { each_row(j, softmax_threepass_row); }

const struct kernel KERNEL = {
    .op = "softmax",
    .algorithm = "scaled",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .hazard = true,
    .flops = 6 + EXP_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .chains = K,
    .bound = BOUND_NONE,
    .exp_ulp = OWN_EXP_ULP,
    .log_ulp = OWN_LOG_ULP,
    .promise = {0},
    .run = run,
    /* The passes: product, maximum; product and difference, exp, sum; product. */
    .ops =
        {.mad = EXP_MAD + 1, .mul = EXP_MUL + 2, .add = EXP_ADD + 1, .max = 3, .other = EXP_OTHER},
    .also =
        &(const struct second_form){
            .op = "log_softmax",
            .flops = 8 + EXP_FLOPS,
            .ops = {.mad = EXP_MAD + 2,
                    .mul = EXP_MUL + 1,
                    .add = EXP_ADD + 2,
                    .max = 3,
                    .other = EXP_OTHER},
        },
};
