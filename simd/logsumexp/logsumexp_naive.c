// SPDX-License-Identifier: MIT
/* y = log(sum_j exp(x_j)), without a shift. A hazard: infinite from x = 88.73 - log n on, -inf
 * where every x is below -104. Bound where neither happens: BOUND_LOGSUMEXP_UNSHIFTED
 * (docs/method.md).
 * 20 flops, 4 bytes per element. */
#include "exp.h"
#include "log.h"
#include "ops.h"
#include "row.h"
#include "scanned.h"

static inline vf term(vf x, const struct row_context *c)
{
    (void)c;
    return v_exp(x);
}
static inline void row(const struct job *j, const float *x, float *y)
{
    *y = v_scalar(v_log, row_sum(x, NULL, j->n, term, NULL));
}
static void run(const struct job *j) { each_row(j, row); }

const struct kernel KERNEL = {
    .op = "logsumexp",
    .algorithm = "naive",
    .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .hazard = true,
    .flops = 1 + EXP_FLOPS,
    .bytes = 4,
    .lanes = VL,
    .chains = K,
    .bound = BOUND_LOGSUMEXP_UNSHIFTED,
    .exp_ulp = OWN_EXP_ULP,
    .log_ulp = OWN_LOG_ULP,
    .promise = {0},
    .run = run,
    .ops = {.mad = EXP_MAD, .mul = EXP_MUL, .add = EXP_ADD + 1, .max = 2, .other = EXP_OTHER},
};
