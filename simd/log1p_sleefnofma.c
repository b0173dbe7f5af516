/* y = log(1 + x) by SLEEF 3.5.1, built without FMA: sleef_vec.h. A hazard: from 1e38 on, where its domain
 * ends, the result is infinite, and should be 88. Over all other inputs at most 1.000000 ulp, at
 * -0x1.fffffep-126. */
// build: policies=off
#include "sleef_vec.h"

static inline vf y_of(vf x) { return sleefnofma_log1p(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "log1p", .algorithm = "sleefnofma", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY, .hazard = true,
    .bytes = 8, .lanes = VL,
    .run = run,
};
