/* y = exp(x) by Eigen 3.4: eigen_vec.h. A hazard: it flushes subnormal results to zero and is
 * infinite below the largest argument (AVX-512), or wrong where they are subnormal (AVX2). Over all
 * 2^32 inputs (16 lanes, gcc 12.2, `off`) at most 4.551393 ulp, at 0x1.601e28p+6. */
// build: isas=avx2,avx512 policies=off,fast,fastmath needs=eigen
#include "eigen_vec.h"

static inline vf y_of(vf x) { return eigen_exp(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

extern "C" const struct kernel KERNEL = {
    .op = "exp", .algorithm = "eigen", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY, .hazard = true,
    .flops = 0, .bytes = 8, .lanes = VL,
    .run = run,
};
