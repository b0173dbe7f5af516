/* y = tanh(x) by SLEEF 3.5.1, built with FMA: sleef_vec.h. Promised 1.0 ulp. Over all 2^32 inputs
 * at most 1.000000, at -0x1.3ffffep-24. */
// build: policies=off
#include "sleef_vec.h"

static inline vf y_of(vf x) { return sleef_tanh(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "tanh", .algorithm = "sleef", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8, .lanes = VL,
    .promise = {.ulp_off = 1.001, .ulp_fused = 1.001, .specials = true},
    .run = run,
};
