// SPDX-License-Identifier: MIT
/* y = max x + log(sum_j exp(x_j - max x)) in bfloat16 arithmetic.
 * 22 flops, 2 bytes per element; it moves 4. */
// build: isas=avx2,avx512 policies=off,fast,fastmath
#include "bf16.h"
#include "rounded_logsumexp.h"

static void run(const struct job *j) { each_row(j, shifted_row); }

const struct kernel KERNEL = {
    .op = "logsumexp",
    .algorithm = "brainshifted",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .study = true,
    .flops = 3 + EXP_FLOPS,
    .bytes = 2,
    .lanes = RL,
    .chains = 1,
    .run = run,
};
