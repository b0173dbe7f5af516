/* y = erf(x) by xsimd 8.1: xsimd_vec.h. The promise is what `scan` finds. Over all 2^32 inputs (16
 * lanes, gcc 12.2, `off`) at most 2.471879 ulp, at -0x1.e4a522p-2. */
// build: isas=avx2,avx512 policies=off,fast,fastmath needs=xsimd
#include "xsimd_vec.h"

static inline vf y_of(vf x) { return xsimd_erf(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

extern "C" const struct kernel KERNEL = {
    .op = "erf", .algorithm = "xsimd", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 0, .bytes = 8, .lanes = VL,
    .promise = {.ulp_off = 2.472, .ulp_fused = 2.422, .specials = true},
    .run = run,
};
