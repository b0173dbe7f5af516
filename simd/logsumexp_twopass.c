/* HEAD */
#include "own.h"
#include "pairs.h"
#include "logsumexp.h"

static inline void row(const struct job *j, const float *x, float *y)
{
    struct pairs_row p = pairs_row(x, j->n);
    if (p.valid)
        *y = p.exponent * exp_k.ln2_hi + (p.exponent * exp_k.ln2_lo + v_scalar(log_of, p.sum));
    else
        logsumexp_shifted_row(j, x, y);
}
static void run(const struct job *j) { each_row(j, row); }

const struct kernel KERNEL = {
    .op = "logsumexp", .algorithm = "twopass", .dtype = "f32",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 3 + EXP_FLOPS + 3.0 / K, .bytes = 4, .lanes = VL, .chains = K,
    .bound = BOUND_LOGSUMEXP_SHIFTED,
    .run = run,
};
