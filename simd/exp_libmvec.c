/* y = exp(x) by glibc's libmvec: mvec_vec.h. Promised 4 ulp; glibc 2.36: over all 2^32 inputs at
 * most 2.637403 (16 lanes), at 0x1.0fb666p+4.
 * 20 flops, 8 bytes per element. */
// build: isas=avx2,avx512 policies=off,fast
#include "mvec_vec.h"

static inline vf y_of(vf x) { return mvec_exp(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "exp", .algorithm = "libmvec", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 20, .bytes = 8, .lanes = VL,
    .exp_ulp = 4.0,
    .promise = {.ulp_off = 4.0, .ulp_fused = 4.0, .specials = true},
    .run = run,
};
