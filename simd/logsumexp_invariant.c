/* y = log(sum(e^x)), with one bit pattern on every ISA, compiler and policy: invariant.h says how.
 * One pass in blocks of 4096 (invariant_exp.h); the logarithm, once per row, in double.
 * 25 flops, 4 bytes per element. */
#include "invariant_exp.h"

static float logsumexp(const float *x, size_t n)
{
    if (!n) return f_from_bits(INFINITY_BITS | 0x80000000u);
    struct exp_total t = exp_total(x, n);
    if (f_bits(t.special)) return t.special;
    return f_of(exp_total_log(&t, x, n));
}

static void run(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++) *row_out(j, r) = logsumexp(row_in(j, r), j->n);
}

const struct kernel KERNEL = {
    .op = "logsumexp", .algorithm = "invariant", .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 18, .bytes = 4, .lanes = LANES, .chains = GROUP,
    .exp_ulp = 1.3, .log_ulp = 0.51,
    .bound = BOUND_LOGSUMEXP_SHIFTED,
    .promise = {.ulp_off = 4, .ulp_fused = 4, .specials = true, .bound = true},
    .run = run,
};
