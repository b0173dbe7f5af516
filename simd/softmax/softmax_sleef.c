// SPDX-License-Identifier: MIT
/* softmax in three passes, like softmax_threepass.c, with exp and log of SLEEF 3.5.1, built with
 * FMA. Bound, for normal results: BOUND_SOFTMAX (docs/method.md). The rounding of x - max is most
 * of it. 25 flops, 8 compulsory bytes per element; it moves 20. */
// build: stored=f64
#include "sleef_vec.h"
#include "plain.h"
#include "scanned.h"

#ifndef ALGORITHM
#define ALGORITHM "sleef"
#endif

static inline vf exp_of(vf x) { return sleef_exp(x); }
static inline vf log_of(vf x) { return sleef_log(x); }
#include "softmax.h"

static void run(const struct job *j) { each_row(j, softmax_threepass_row); }

const struct kernel KERNEL = {
    .op = "softmax",
    .algorithm = ALGORITHM,
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_LIBRARY,
    .flops = 25,
    .bytes = 2 * sizeof(float),
    .lanes = VL,
    .chains = K,
    .bound = BOUND_SOFTMAX,
    .exp_ulp = SLEEF_EXP_ULP,
    .log_ulp = SLEEF_LOG_ULP,
    .promise = {.ulp_off = 14, .ulp_fused = 14, .specials = true, .bound = true},
    .run = run,
    .also =
        &(const struct second_form){
            .op = "log_softmax",
            .flops = 26,
            .promise = {.specials = true},
        },
};
