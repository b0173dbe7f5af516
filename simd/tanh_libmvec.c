/* y = tanh(x) by glibc's libmvec: mvec_vec.h. Promised 4 ulp; glibc 2.36: over all 2^32 inputs at
 * most 1.373600, at -0x1.014e06p-1 with 16 lanes; at most 1.026502, at -0x1.0daba4p+1 with 8. */
// build: isas=avx2,avx512 policies=off
#include "mvec_vec.h"

static inline vf y_of(vf x) { return mvec_tanh(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "tanh", .algorithm = "libmvec", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8, .lanes = VL,
    .promise = {.ulp_off = 4.0, .ulp_fused = 4.0, .specials = true},
    .run = run,
};
