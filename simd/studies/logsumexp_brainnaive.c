// SPDX-License-Identifier: MIT
/* y = log(sum_j exp(x_j)) in bfloat16 arithmetic, without a shift. A hazard: infinite from
 * x = log(2^128 (1 - 2^-9) / n) on for n equal elements, 88.72 for one.
 * 20 flops, 2 bytes per element. */
// build: isas=avx2,avx512 policies=off,fast,fastmath
#include "bf16.h"
#include "rounded_logsumexp.h"

static void run(const struct job *j) { each_row(j, naive_row); }

const struct kernel KERNEL = {
    .op = "logsumexp",
    .algorithm = "brainnaive",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .study = true,
    .hazard = true,
    .flops = 1 + EXP_FLOPS,
    .bytes = 2,
    .lanes = RL,
    .chains = 1,
    .run = run,
};
