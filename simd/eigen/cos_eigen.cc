/* y = cos(x) by Eigen 3.4: eigen_vec.h. The promise is what `scan` finds. Over all 2^32 inputs (16
 * lanes, gcc 12.2, `off`) at most 1.495214 ulp, at -0x1.4124bap+110. */
// build: isas=avx2,avx512 policies=off,fast,fastmath needs=eigen
#include "eigen_vec.h"

static inline vf y_of(vf x) { return eigen_cos(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

extern "C" const struct kernel KERNEL = {
    .op = "cos", .algorithm = "eigen", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 0, .bytes = 8, .lanes = VL,
    .promise = {.ulp_off = 1.496, .ulp_fused = 1.496, .specials = true},
    .run = run,
};
