/* y = exp(x) - 1 by glibc's libmvec: mvec_vec.h. Promised 4 ulp; glibc 2.36: over all 2^32 inputs
 * at most 2.353404, at -0x1.6374b8p-7 with 16 lanes; at most 1.678203, at 0x1.be6522p-6 with 8. */
// build: isas=avx2,avx512 policies=off
#include "mvec_vec.h"

static inline vf y_of(vf x) { return mvec_expm1(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "expm1", .algorithm = "libmvec", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8, .lanes = VL,
    .promise = {.ulp_off = 4.0, .ulp_fused = 4.0, .specials = true},
    .run = run,
};
