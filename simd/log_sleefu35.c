/* y = log(x) by SLEEF 3.5.1's faster form, built with FMA: sleef_vec.h. Promised 3.5 ulp;
 * over all 2^32 inputs at most 2.844581, at 0x1.21bd82p+0.
 * About 22 flops as its source counts them, 8 bytes per element. */
// build: policies=off,fast
#include "sleef_vec.h"

static inline vf y_of(vf x) { return sleef_log_u35(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "log", .algorithm = "sleefu35", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 22, .bytes = 8, .lanes = VL,
    .log_ulp = 2.845,
    .promise = {.ulp_off = 3.5, .ulp_fused = 3.5, .specials = true},
    .run = run,
};
