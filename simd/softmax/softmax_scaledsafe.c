// SPDX-License-Identifier: MIT
/* softmax(scale x) with the scale outside: exp(scale (x_i - max x)), with the minimum instead of
 * the maximum if the scale is negative. The largest element's exponent is 0 under every policy: no
 * contraction reaches across the subtraction and the product.
 * Bound, for normal results: BOUND_SOFTMAX (docs/method.md). The rounding of x - max is most of it.
 * This holds for scale 1 or another power of two; else the terms max - x count twice. 25 flops, 8
 * compulsory bytes per element. */
#include "exp.h"
#include "log.h"
#include "ops.h"
#include "row.h"
#include "scanned.h"

/* Returns x, or -x: a negative scale reverses the order. */
static inline vf score(vf x, const struct row_context *c)
{
    return v_select(v_lt(c->scale, v_set1(0.0f)), v_sub(v_set1(0.0f), x), x);
}
static inline vf shifted(vf x, const struct row_context *c)
{
    return v_mul(c->scale, v_sub(x, score(c->max, c)));
}
static inline vf exp_of(vf x) { return v_exp_nonpositive(x); }
static inline vf log_of(vf x) { return v_log(x); }
#include "softmax.h"

static void run(const struct job *j) { each_row(j, softmax_threepass_row); }

const struct kernel KERNEL = {
    .op = "softmax",
    .algorithm = "scaledsafe",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 6 + EXP_FLOPS,
    .bytes = 8,
    .lanes = VL,
    .chains = K,
    .bound = BOUND_SOFTMAX,
    .exp_ulp = OWN_EXP_ULP,
    .log_ulp = OWN_LOG_ULP,
    .promise = {.ulp_off = 14, .ulp_fused = 14, .specials = true, .bound = true},
    .run = run,
    /* The passes: -x or x (by a mask, or a selection that is not counted), maximum; x - max,
     * product, exp, sum; product. */
    .ops = {.mad = EXP_MAD,
            .mul = EXP_NONPOSITIVE_MUL + 2,
            .add = EXP_ADD + 3,
            .max = 2,
            .other = EXP_NONPOSITIVE_OTHER},
    .also =
        &(const struct second_form){
            .op = "log_softmax",
            .flops = 8 + EXP_FLOPS,
            .promise = {.specials = true},
            .ops = {.mad = EXP_MAD + 1,
                    .mul = EXP_NONPOSITIVE_MUL + 1,
                    .add = EXP_ADD + 4,
                    .max = 2,
                    .other = EXP_NONPOSITIVE_OTHER},
        },
};
