/* HEAD */
#include "own.h"
#include "logsumexp.h"

static void run(const struct job *j) { each_row(j, logsumexp_shifted_row); }

const struct kernel KERNEL = {
    .op = "logsumexp", .algorithm = "shifted", .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 3 + EXP_FLOPS, .bytes = 4, .lanes = VL, .chains = K,
    .bound = BOUND_LOGSUMEXP_SHIFTED,
    .run = run,
};
