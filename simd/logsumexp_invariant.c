/* y = log(sum(e^x)), with one bit pattern on every ISA, compiler and policy: invariant.h says how,
 * invariant_exp.h what. One pass in blocks of 4096; the logarithm, once per row, in double.
 * Error: 1 ulp of the exponential averaged over the sum, and one rounding: 0.9 ulp on N(0, 1) at
 * n = 7, 0.5 from 1000 on; unbounded in ulp near y = 0, as everybody's.
 * 18 flops, 4 bytes per element. */
#include "invariant_exp.h"

static float logsumexp(const float *x, size_t n)
{
    if (!n) return f_from_bits(INFINITY_BITS | 0x80000000u);
    struct exp_total t = exp_total(x, n);
    if (f_bits(t.special)) return t.special;
    return f_of(exp_total_log(&t, x, n));
}

/* VL rows from `first`; false where one of them is not for the fast path. */
static int short_rows(const struct job *j, size_t first)
{
    struct exp_rows g = {.n = j->n};
    float result[VL], total[VL];
    for (size_t k = 0; k < VL; k++) g.x[k] = row_in(j, row_near(j, first, k));
    if (!exp_rows_open(&g)) return 0;
    vd sum = exp_rows_total(&g, NULL);
    v_store(total, vd_to(sum));
    vd y = vd_sub(rows_ln(sum, i_sub(g.N, i_set1(BIAS))), vd_set1(LN_KAPPA));
    v_store(result, vd_to(y));
    for (size_t k = 0; k < VL; k++) {
        /* Also where the total is a NaN, whose bits are not below any. */
        int plain = f_bits(total[k]) - f_bits(DOMINATED) < INFINITY_BITS - f_bits(DOMINATED);
        *row_out(j, row_near(j, first, k)) = plain ? result[k] : logsumexp(g.x[k], j->n);
    }
    return 1;
}

static void run(const struct job *j)
{
    int past = past_caches(j);
    for (size_t r = 0; r < j->rows;) {
        size_t end = r + VL < j->rows ? r + VL : j->rows;
        if (together(j, r, past) && short_rows(j, r)) r = end;
        for (; r < end; r++) *row_out(j, r) = logsumexp(row_in(j, r), j->n);
    }
}

const struct kernel KERNEL = {
    .op = "logsumexp", .algorithm = "invariant", .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 18, .bytes = 4, .lanes = LANES, .chains = GROUP,
    .exp_ulp = 0.95, .log_ulp = 0.51,
    .bound = BOUND_LOGSUMEXP_SHIFTED,
    .promise = {.specials = true, .bound = true},
    .run = run,
};
