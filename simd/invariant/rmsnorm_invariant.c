// SPDX-License-Identifier: MIT
/* y = x rstd gamma, rstd = 1 / sqrt(mean of x^2 + eps), with one bit pattern on every ISA, compiler
 * and policy: the text of layernorm_invariant.c without what centres a row (moments_core.h).
 * Squares are in fp32 within a chunk and in double from there on. A row whose squares overflow, or
 * are so small that underflow would show, is computed in double, like one with NaN or infinities,
 * so that no |x| is too large or too small. 4 flops with gamma, 8 bytes per element: an FMA per
 * vector for the sum, two products for the results. */
// build: stored=bf16,f16 stored_policies=off
#define CENTRED 0
#include "layernorm_job.h"

const struct kernel KERNEL = {
    .op = "rmsnorm",
    .algorithm = ALGORITHM,
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 4,
    .bytes = 2 * sizeof(element),
    .lanes = LANES,
    .chains = MOMENT_CHAINS,
    .bound = BOUND_RMS,
    .promise = {.specials = true, .bound = true},
    .run = run,
    .paths = paths,
    .stages = STAGES,
    .stage = stage,
    .ops = {.fma = 1, .mul = 2}, /* with gamma */
};
