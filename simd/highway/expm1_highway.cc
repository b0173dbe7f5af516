/* y = exp(x) - 1 by Highway 1.0.3: highway_vec.h. Nothing is promised of it. Over all
 * 2^32 inputs (16 lanes, gcc 12.2, `off`) at most 3.548220 ulp, at 0x1.63f5d2p-2.
 * 287940 inputs give a number where NaN is right, or the reverse. */
// build: isas=avx2,avx512 policies=off,fast,fastmath needs=highway
#include "highway_vec.h"

static inline vf y_of(vf x) { return highway_expm1(x); }
#include "unary.h"

static void run(const struct job *j) { each_row(j, unary_row); }

extern "C" const struct kernel KERNEL = {
    .op = "expm1", .algorithm = "highway", .dtype = "f32",
    .arithmetic = ARITHMETIC_LIBRARY, .hazard = true,
    .flops = 0, .bytes = 8, .lanes = VL,
    .run = run,
};
