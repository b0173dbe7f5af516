/* y = exp(x) - 1 by Eigen 3.4: eigen_vec.h. A hazard: it is infinite for 45,426 arguments whose
 * result is a number (AVX-512). Over all 2^32 inputs (16 lanes, gcc 12.2, `off`) at most 4.551393
 * ulp, at 0x1.601e28p+6. */
// build: isas=avx2,avx512 policies=off,fast,fastmath needs=eigen
#include "eigen_vec.h"

static inline vf y_of(vf x) { return eigen_expm1(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

extern "C" const struct kernel KERNEL = {
    .op = "expm1", .algorithm = "eigen", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY, .hazard = true,
    .flops = 0, .bytes = 8, .lanes = VL,
    .run = run,
};
