/* y = ln(1 + x) by Eigen 3.4: eigen_vec.h. The promise is what `scan` finds. Over all 2^32 inputs
 * (16 lanes, gcc 12.2, `off`) at most 2.445771 ulp, at 0x1.049262p+24. */
// build: isas=avx2,avx512 policies=off,fast,fastmath needs=eigen
#include "eigen_vec.h"

static inline vf y_of(vf x) { return eigen_log1p(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

extern "C" const struct kernel KERNEL = {
    .op = "log1p", .algorithm = "eigen", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 0, .bytes = 8, .lanes = VL,
    .promise = {.ulp_off = 2.446, .ulp_fused = 2.446, .specials = true},
    .run = run,
};
