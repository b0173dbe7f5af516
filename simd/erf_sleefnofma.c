/* y = erf(x) by SLEEF 3.5.1, built without FMA: sleef_vec.h. Promised 1.0 ulp. Over all 2^32
 * inputs at most 2.028788, at -0x1.18d9fcp-126. That is more than promised, where the results are
 * small. */
// build: policies=off
#include "sleef_vec.h"

static inline vf y_of(vf x) { return sleefnofma_erf(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "erf", .algorithm = "sleefnofma", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8, .lanes = VL,
    .promise = {.ulp_off = 2.029, .ulp_fused = 2.029, .specials = true},
    .run = run,
};
