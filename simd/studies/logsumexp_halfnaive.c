// SPDX-License-Identifier: MIT
/* y = log(sum_j exp(x_j)) in IEEE half arithmetic, without a shift. A hazard: infinite from
 * x = log(65520 / n) on for n equal elements, 11.09 for one.
 * 20 flops, 2 bytes per element. */
// build: isas=avx2,avx512,avx512fp16
#include "fp16.h"
#include "rounded_logsumexp.h"

static void run(const struct job *j) { each_row(j, naive_row); }

const struct kernel KERNEL = {
    .op = "logsumexp",
    .algorithm = "halfnaive",
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
