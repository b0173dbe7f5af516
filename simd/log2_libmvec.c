/* y = log2(x) by glibc's libmvec: mvec_vec.h. Promised 4 ulp; glibc 2.36: over all 2^32 inputs at
 * most 2.115543, at 0x1.7e2fccp-1 with 16 lanes; at most 2.081320, at 0x1.2bdc3cp+0 with 8. */
// build: isas=avx2,avx512 policies=off
#include "mvec_vec.h"

static inline vf y_of(vf x) { return mvec_log2(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "log2", .algorithm = "libmvec", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .bytes = 8, .lanes = VL,
    .promise = {.ulp_off = 4.0, .ulp_fused = 4.0, .specials = true},
    .run = run,
};
