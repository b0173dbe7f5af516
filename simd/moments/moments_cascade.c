// SPDX-License-Identifier: MIT
/* RowwiseMoments of PyTorch: Welford over chunks of 16 vectors, merged in a cascade of binary
 * levels, then lane by lane (cascade.h). Under `off` with 8 lanes it has the bits of PyTorch 1.13
 * (tests/test_pytorch.c).
 * Bound: BOUND_VARIANCE_CASCADE (docs/method.md).
 * Worst inputs: a tail far from lanes whose means grow, as the first lane's merge rounds relative
 * to that distance; |x| above 1.8e19. The first merge into an empty level squares a chunk's mean
 * before it multiplies by 0, which gives NaN, as in the original. 7 flops per element: 6 of
 * Welford's step, and per 16 elements 2 merges of 8; 4 bytes per element. Source:
 * aten/src/ATen/native/cpu/moments_utils.h. */
// build: stored=bf16,f16,f64
#include "cascade.h"

static void run(const struct job *j) { cascade_rows(j, store_moments); }

const struct kernel KERNEL = {
    .op = "moments",
    .algorithm = "cascade",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 7,
    .bytes = sizeof(element),
    .lanes = VL,
    .chains = 1,
    .bound = BOUND_VARIANCE_CASCADE,
    .promise = {.specials = true, .bound = true},
    .run = run,
    .ops = {.mad = CASCADE_MAD, .mul = CASCADE_MUL, .add = CASCADE_ADD, .other = CASCADE_OTHER},
};
