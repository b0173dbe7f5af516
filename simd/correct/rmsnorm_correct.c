// SPDX-License-Identifier: MIT
/* y = x rstd gamma, rstd = 1 / sqrt(mean of x^2 + eps), and with job.stats rstd, each the float
 * that is nearest to it: docs/correct.md says how, rows_layernorm.h is layernorm's text, about 0
 * instead of the mean. At most 0.5 ulp. 7 flops with gamma, 8 bytes per element. */
#define CENTRED 0
#include "rows_layernorm.h"

const struct kernel KERNEL = {
    .op = "rmsnorm",
    .algorithm = "correct",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 7,
    .bytes = 2 * sizeof(float),
    .lanes = VL,
    .chains = MOMENT_CHAINS,
    .promise = {.ulp_off = 0.501, .ulp_fused = 0.501, .specials = true},
    .run = run,
};
