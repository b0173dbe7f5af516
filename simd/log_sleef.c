/* y = log(x) by SLEEF 3.5.1, built with FMA: sleef_vec.h. Promised 1.0 ulp; over all 2^32 inputs
 * at most 0.628299, at 0x1.7fcb3ep-1: it carries pairs of floats. About
 * 44 flops as its source counts them, 8 bytes per element. */
// build: policies=off,fast
#include "sleef_vec.h"
#include "scanned.h"

static inline vf y_of(vf x) { return sleef_log(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "log", .algorithm = "sleef", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 44, .bytes = 8, .lanes = VL,
    .log_ulp = SLEEF_LOG_ULP,
    .promise = {.ulp_off = 1.0, .ulp_fused = 1.0, .specials = true},
    .run = run,
};
