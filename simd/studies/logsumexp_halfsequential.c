// SPDX-License-Identifier: MIT
/* logsumexp_halfshifted.c with a sequential sum. A hazard: from 2048 equal elements on
 * the sum no longer grows, and no shift helps.
 * 22 flops, 2 bytes per element; it moves 8. */
// build: isas=avx2,avx512,avx512fp16 policies=off,fast,fastmath
#include "fp16.h"
#include "rounded_logsumexp.h"

static void run(const struct job *j) { each_row(j, sequential_row); }

const struct kernel KERNEL = {
    .op = "logsumexp",
    .algorithm = "halfsequential",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .study = true,
    .hazard = true,
    .flops = 3 + EXP_FLOPS,
    .bytes = 2,
    .lanes = RL,
    .chains = 1,
    .run = run,
};
