/* y = sin(x) by glibc's libmvec: mvec_vec.h. Promised 4 ulp; glibc 2.36: over all 2^32 inputs at
 * most 2.111725, at -0x1.2d99acp+2. */
// build: isas=avx2,avx512 policies=off
#include "mvec_vec.h"

static inline vf y_of(vf x) { return mvec_sin(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "sin", .algorithm = "libmvec", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8, .lanes = VL,
    .promise = {.ulp_off = 4.0, .ulp_fused = 4.0, .specials = true},
    .run = run,
};
