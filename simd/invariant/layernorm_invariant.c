// SPDX-License-Identifier: MIT
/* y = (x - mean) rstd gamma + beta, rstd = 1 / sqrt(max(variance, 0) + eps), with one bit pattern
 * on every ISA, compiler and policy: README.md says how, moments_core.h and layernorm_apply.h give
 * the equations. 8 flops with gamma and beta, 8 bytes per element: an addition and an FMA per
 * vector for the sums, a subtraction and an FMA (two with gamma or beta) for the results. */
// build: stored=bf16,f16 stored_policies=off
#include "layernorm_job.h"

const struct kernel KERNEL = {
    .op = "layernorm",
    .algorithm = ALGORITHM,
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 8,
    .bytes = 2 * sizeof(element),
    .lanes = LANES,
    .chains = MOMENT_CHAINS,
    .promise = {.specials = true},
    .run = run,
    .paths = paths,
    .stages = STAGES,
    .stage = stage,
    .ops = {.fma = 3, .add = 2},
    .also = &(const struct second_form){.op = "layernorm_bare",
                                        .flops = 6,
                                        .promise = {.specials = true},
                                        .ops = {.fma = 2, .add = 2}},
};
