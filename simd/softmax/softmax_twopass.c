// SPDX-License-Identifier: MIT
/* y_i = m_i 2^(n_i - n) / sum, exp(x_i) = m_i 2^n_i, sum_j exp(x_j) = sum 2^n (pairs.h): x itself
 * is reduced, so that no difference x - max is rounded: 2 eps_e/u + h + 2 in u, for normal results.
 * It is held to BOUND_SOFTMAX (docs/method.md), whose first two terms it does not need. A row
 * whose maximum is outside [-1871, 2010], or that has a NaN, takes threepass's path and bound.
 * 45 flops, 8 compulsory bytes per element; it moves 12. Source: Dukhan and Ablavatski 2020. */
// build: stored=bf16,f16
#include "own.h"
#include "pairs.h"
#include "softmax.h"
#include "scanned.h"

/* Returns the probability of x. c->max holds the row's exponent. Below (exponent - 152) ln 2 the
 * result is zero. */
static inline vf pair_probability(vf x, const struct row_context *c)
{
    vf low = v_mul(v_sub(c->max, v_set1(152.0f)), v_set1(exp_k.ln2_hi));
    vf n, m = v_exp_parts(v_max(low, x), &n);
    return v_scale_down(v_mul(m, c->norm), v_sub(n, c->max));
}

/* Returns (x - exponent ln 2_hi) - (log(sum) + exponent ln 2_lo); the first difference is exact. */
static inline vf pair_log_probability(vf x, const struct row_context *c)
{
    return v_sub(v_nmad(c->max, v_set1(exp_k.ln2_hi), x), c->norm);
}

static inline void row(const struct job *j, const element *x, element *y)
{
    struct pairs_row p = pairs_row(x, j->n);
    struct row_context c = {.max = v_set1(p.exponent)};
    if (!p.valid) {
        softmax_threepass_row(j, x, y);
    } else if (j->log_output) {
        c.norm = v_set1(v_scalar(log_of, p.sum) + p.exponent * exp_k.ln2_lo);
        row_map(x, y, j->n, pair_log_probability, &c);
    } else {
        c.norm = v_set1(1.0f / p.sum);
        row_map(x, y, j->n, pair_probability, &c);
    }
}
static void run(const struct job *j) { each_row(j, row); }

const struct kernel KERNEL = {
    .op = "softmax",
    .algorithm = "twopass",
    .dtype = DTYPE,
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 6 + 2 * EXP_FLOPS + 3.0 / K,
    .bytes = 2 * sizeof(element),
    .lanes = VL,
    .chains = K,
    .bound = BOUND_SOFTMAX,
    .exp_ulp = OWN_EXP_ULP,
    .log_ulp = OWN_LOG_ULP,
    .promise = {.ulp_off = STORED_ULP(9),
                .ulp_fused = STORED_ULP(9),
                .specials = true,
                .bound = true},
    .run = run,
    /* The instructions of pairs.h; then a clamp, exp's parts, a product, the exponents' difference,
     * a scaling. */
    .ops = {.mad = PAIRS_MAD + EXP_MAD,
            .mul = PAIRS_MUL + EXP_NONPOSITIVE_MUL + 1,
            .add = PAIRS_ADD + EXP_ADD + 1,
            .max = PAIRS_MAX + 1,
            .other = PAIRS_OTHER + EXP_NONPOSITIVE_OTHER},
    .also =
        &(const struct second_form){
            .op = "log_softmax",
            .flops = 6 + EXP_FLOPS + 3.0 / K,
            .promise = {.specials = true},
            .ops = {.mad = PAIRS_MAD,
                    .mul = PAIRS_MUL,
                    .add = PAIRS_ADD + 2,
                    .max = PAIRS_MAX,
                    .other = PAIRS_OTHER},
        },
};
