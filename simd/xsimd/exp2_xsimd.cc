/* y = 2^x by xsimd 8.1: xsimd_vec.h. A hazard: it is infinite for 131,072 arguments whose result is
 * a number, and flushes subnormal results to zero. Over all 2^32 inputs (16 lanes, gcc 12.2, `off`)
 * at most 1.513537 ulp, at -0x1.fe1f8ep-2. */
// build: isas=avx2,avx512 policies=off,fast,fastmath needs=xsimd
#include "xsimd_vec.h"

static inline vf y_of(vf x) { return xsimd_exp2(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

extern "C" const struct kernel KERNEL = {
    .op = "exp2", .algorithm = "xsimd", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY, .hazard = true,
    .flops = 0, .bytes = 8, .lanes = VL,
    .run = run,
};
