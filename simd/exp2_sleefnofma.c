/* y = 2^x by SLEEF 3.5.1, built without FMA: sleef_vec.h. Promised 1.0 ulp. Over all 2^32 inputs
 * at most 0.907518, at -0x1.fa039p+6. */
// build: policies=off
#include "sleef_vec.h"

static inline vf y_of(vf x) { return sleefnofma_exp2(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "exp2", .algorithm = "sleefnofma", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8, .lanes = VL,
    .promise = {.ulp_off = 1.0, .ulp_fused = 1.0, .specials = true},
    .run = run,
};
