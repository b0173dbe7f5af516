// SPDX-License-Identifier: MIT
/* y = max x + log(sum_j exp(x_j - max x)), exp and log of SLEEF 3.5.1, built with FMA.
 * Bound: BOUND_LOGSUMEXP_SHIFTED (docs/method.md). Near y = 0 no ulp can be promised: the condition
 * is max|x| / |y|. 24 flops, 4 bytes per element; it moves 8. */
// build: stored=f64
#include "sleef_vec.h"
#include "plain.h"
#include "scanned.h"

#ifndef ALGORITHM
#define ALGORITHM "sleef"
#endif

static inline vf exp_of(vf x) { return sleef_exp(x); }
static inline vf log_of(vf x) { return sleef_log(x); }
#include "logsumexp.h"

static void run(const struct job *j) { each_row(j, logsumexp_shifted_row); }

const struct kernel KERNEL = {
    .op = "logsumexp",
    .algorithm = ALGORITHM,
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 24,
    .bytes = sizeof(float),
    .lanes = VL,
    .chains = K,
    .bound = BOUND_LOGSUMEXP_SHIFTED,
    .exp_ulp = SLEEF_EXP_ULP,
    .log_ulp = SLEEF_LOG_ULP,
    .promise = {.specials = true, .bound = true},
    .run = run,
};
