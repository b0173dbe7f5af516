/* y = exp(x) - 1 by xsimd 8.1: xsimd_vec.h. A hazard: it is infinite for 45,426 arguments whose
 * result is a number. Over all 2^32 inputs (16 lanes, gcc 12.2, `off`) at most 1.999999 ulp, at
 * -0x1.fe2806p+3. */
// build: isas=avx2,avx512 policies=off,fast,fastmath needs=xsimd
#include "xsimd_vec.h"

static inline vf y_of(vf x) { return xsimd_expm1(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

extern "C" const struct kernel KERNEL = {
    .op = "expm1", .algorithm = "xsimd", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY, .hazard = true,
    .flops = 0, .bytes = 8, .lanes = VL,
    .run = run,
};
