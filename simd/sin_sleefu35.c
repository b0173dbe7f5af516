/* y = sin(x) by SLEEF 3.5.1's faster form, built with FMA: sleef_vec.h. Promised 3.5 ulp. Over all
 * 2^32 inputs at most 2.473923, at -0x1.b76d24p+14. */
// build: policies=off
#include "sleef_vec.h"

static inline vf y_of(vf x) { return sleef_sin_u35(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "sin", .algorithm = "sleefu35", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8, .lanes = VL,
    .promise = {.ulp_off = 3.5, .ulp_fused = 3.5, .specials = true},
    .run = run,
};
