/* y = log(x) by glibc's libmvec: mvec_vec.h. Promised 4 ulp; glibc 2.36: over all 2^32 inputs at
 * most 3.937292 (16 lanes), at 0x1.c3dff4p-1.
 * 24 flops, 8 bytes per element. */
// build: isas=avx2,avx512 policies=off,fast
#include "mvec_vec.h"

static inline vf y_of(vf x) { return mvec_log(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

const struct kernel KERNEL = {
    .op = "log", .algorithm = "libmvec", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 24, .bytes = 8, .lanes = VL,
    .log_ulp = 4.0,
    .promise = {.ulp_off = 4.0, .ulp_fused = 4.0, .specials = true},
    .run = run,
};
