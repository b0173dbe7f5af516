// SPDX-License-Identifier: MIT
/* y = (x - mean) rstd gamma + beta, rstd = 1 / sqrt(variance + eps), and with job.stats mean and
 * rstd, each the float that is nearest to it: docs/correct.md says how. Moments and results in
 * double, a bound of their error, and integers where the two ends of the enclosure round
 * differently. At most 0.5 ulp. 13 flops with gamma and beta, 8 bytes per element. */
#define CENTRED 1
#include "rows_layernorm.h"

const struct kernel KERNEL = {
    .op = "layernorm",
    .algorithm = "correct",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 13,
    .bytes = 2 * sizeof(float),
    .lanes = VL,
    .chains = MOMENT_CHAINS,
    .promise = {.specials = true},
    .run = run,
    .also = &(const struct second_form){.op = "layernorm_bare",
                                        .flops = 11,
                                        .promise = {.specials = true}},
};
