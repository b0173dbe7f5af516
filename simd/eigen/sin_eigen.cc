/* y = sin(x) by Eigen 3.4: eigen_vec.h. The promise is what `scan` finds. Over all 2^32 inputs (16
 * lanes, gcc 12.2, `off`) at most 1.501073 ulp, at -0x1.bce2c6p+63. */
// build: isas=avx2,avx512 policies=off,fast,fastmath needs=eigen
#include "eigen_vec.h"

static inline vf y_of(vf x) { return eigen_sin(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

extern "C" const struct kernel KERNEL = {
    .op = "sin", .algorithm = "eigen", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 0, .bytes = 8, .lanes = VL,
    .promise = {.ulp_off = 1.502, .ulp_fused = 1.502, .specials = true},
    .run = run,
};
