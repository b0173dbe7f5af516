/* y = 1 / sqrt(x) by xsimd 8.1: xsimd_vec.h. A hazard: it is the instruction's approximation by 12
 * bits, and nothing refines it. `scan` measures it. */
// build: isas=avx2 policies=off,fast,fastmath needs=xsimd
#include "xsimd_vec.h"

static inline vf y_of(vf x) { return xsimd_rsqrt(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

extern "C" const struct kernel KERNEL = {
    .op = "rsqrt", .algorithm = "xsimd", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY, .hazard = true,
    .flops = 0, .bytes = 8, .lanes = VL,
    .run = run,
};
