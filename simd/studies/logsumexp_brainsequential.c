// SPDX-License-Identifier: MIT
/* logsumexp_brainshifted.c with a sequential sum. A hazard: from 256 equal elements on
 * the sum no longer grows, and no shift helps.
 * 22 flops, 2 bytes per element; it moves 8. */
// build: isas=avx2,avx512 policies=off,fast,fastmath
#include "bf16.h"
#include "rounded_logsumexp.h"

static void run(const struct job *j) { each_row(j, sequential_row); }

const struct kernel KERNEL = {
    .op = "logsumexp",
    .algorithm = "brainsequential",
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
