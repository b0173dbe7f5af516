// SPDX-License-Identifier: MIT
/* y = (x - mean) rstd gamma + beta, rstd = 1 / sqrt(max(variance, 0) + eps), on the moments of
 * PyTorch's RowwiseMoments (cascade.h): under `off` with 8 lanes mean and rstd have the bits of
 * 1.13's native_layer_norm (tests/test_pytorch.c). PyTorch computes y by another formula, (x rstd -
 * mean rstd) gamma + beta, which loses digits to an offset.
 * No bound of its own; the variance's is BOUND_VARIANCE_CASCADE (docs/method.md).
 * 11 flops (7 + 4), 8 bytes per element. Source: Ba, Kiros, Hinton 2016; moments_utils.h. */
// build: stored=bf16,f16,f64
#include "cascade.h"
#include "layernorm.h"

static void run(const struct job *j) { cascade_rows(j, normalise); }

const struct kernel KERNEL = {
    .op = "layernorm",
    .algorithm = "cascade",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .expressions = true,
    .flops = 11,
    .bytes = 2 * sizeof(element),
    .lanes = VL,
    .chains = 1,
    .promise = {.specials = true},
    .run = run,
    /* The instructions of moments_cascade.c, and (x - mean) rstd, gamma and beta. */
    .ops = {.mad = CASCADE_MAD + 1,
            .mul = CASCADE_MUL + 1,
            .add = CASCADE_ADD + 1,
            .other = CASCADE_OTHER},
};
