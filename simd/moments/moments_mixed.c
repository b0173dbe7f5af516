// SPDX-License-Identifier: MIT
/* mean = sum(x) / n;  variance = sum((x - mean)^2) / n of floats, computed in double (mixed.h),
 * each rounded once to fp32 at the end: half an ulp and some 2^-29 n more. 4 flops, 4 bytes per
 * element (the second pass finds the row in cache). */
#include "mixed.h"

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) store_moments(j, r, mixed_moments(row_of(j, r), j->n));
}

const struct kernel KERNEL = {
    .op = "moments",
    .algorithm = "mixed",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 4,
    .bytes = sizeof(element),
    .lanes = VL,
    .chains = CHAINS,
    .promise = {.ulp_off = 0.501, .ulp_fused = 0.501, .specials = true},
    .run = run,
    .ops = {.fma = MIXED_FMA, .add = MIXED_ADD, .other = MIXED_OTHER},
};
