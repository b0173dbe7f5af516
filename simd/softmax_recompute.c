/* HEAD */
#include "own.h"
#include "softmax.h"

static void run(const struct job *j) { each_row(j, softmax_recompute_row); }

const struct kernel KERNEL = {
    .op = "softmax", .algorithm = "recompute", .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 4 + EXP_FLOPS, .bytes = 8, .lanes = VL, .chains = K,
    .bound = BOUND_SOFTMAX,
    .run = run,
};
