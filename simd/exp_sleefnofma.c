/* y = exp(x) by SLEEF 3.5.1, built without FMA: sleef_vec.h. Promised 1.0 ulp; over all 2^32
 * inputs at most 0.951453, at -0x1.762532p+2.
 * 21 flops as its source counts them, 8 bytes per element. */
// build: policies=off,fast
#include "sleef_vec.h"
#include "scanned.h"

static inline vf y_of(vf x) { return sleefnofma_exp(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "exp", .algorithm = "sleefnofma", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 21, .bytes = 8, .lanes = VL,
    .exp_ulp = SLEEFNOFMA_EXP_ULP,
    .promise = {.ulp_off = 1.0, .ulp_fused = 1.0, .specials = true},
    .run = run,
};
