/* y = tanh(x) by Highway 1.0.3: highway_vec.h. The promise is what `scan` finds. Over all 2^32
 * inputs (16 lanes, gcc 12.2, `off`) at most 2.859643 ulp, at -0x1.65aabep-3. */
// build: isas=avx2,avx512 policies=off,fast,fastmath needs=highway
#include "highway_vec.h"

static inline vf y_of(vf x) { return highway_tanh(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

extern "C" const struct kernel KERNEL = {
    .op = "tanh", .algorithm = "highway", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 0, .bytes = 8, .lanes = VL,
    .promise = {.ulp_off = 2.86, .ulp_fused = 2.86, .specials = true},
    .run = run,
};
