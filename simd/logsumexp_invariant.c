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

/* Up to VL rows from `first` together. */
struct group {
    struct exp_rows rows;
    size_t first;
    int together; /* else: one by one */
    vd sum;
};

static void group_open(struct group *g, const struct job *j, size_t first)
{
    g->first = first;
    g->rows.n = j->n;
    g->rows.count = rows_from(j, first);
    for (size_t k = 0; k < g->rows.count; k++) g->rows.x[k] = row_in(j, first + k);
    g->together = exp_rows_open(&g->rows);
}

static void group_sum(struct group *g)
{
    g->sum = vd_set1(0.0);
    if (!g->together) return;
    float none[VL], *nowhere[VL]; /* nothing is stored there */
    for (size_t k = 0; k < VL; k++) nowhere[k] = none;
    g->sum = exp_rows_total(&g->rows, nowhere, 0);
}

static void group_finish(const struct group *g, const struct job *j)
{
    float result[VL], total[VL];
    vd y = vd_sub(rows_ln(g->sum, i_sub(g->rows.N, i_set1(BIAS))), vd_set1(LN_KAPPA));
    v_store(total, vd_to(g->sum));
    v_store(result, vd_to(y));
    for (size_t k = 0; k < g->rows.count; k++) {
        /* Also where the total is a NaN, whose bits are not below any. */
        int plain = f_bits(total[k]) - f_bits(DOMINATED) < INFINITY_BITS - f_bits(DOMINATED);
        *row_out(j, g->first + k) =
            g->together && plain ? result[k] : logsumexp(g->rows.x[k], j->n);
    }
}

/* Pipelined: the maxima's fold of one group passes while the group before it takes its logarithms.
 * Returns the first row that is left. */
static size_t short_rows(const struct job *j, int past)
{
    struct group groups[2];
    size_t first = 0, count = 0;
    for (; first < j->rows && together(j, first, TOGETHER, past); count++) {
        struct group *g = &groups[count % 2];
        group_open(g, j, first);
        if (count) group_finish(&groups[(count + 1) % 2], j);
        group_sum(g);
        first += g->rows.count;
    }
    if (count) group_finish(&groups[(count + 1) % 2], j);
    return first;
}

static void run(const struct job *j)
{
    int past = is(j, FROM_MEMORY);
    for (size_t r = short_rows(j, past); r < j->rows; r++)
        *row_out(j, r) = logsumexp(row_in(j, r), j->n);
}

static size_t ways(const struct job *j, struct way *out)
{
    size_t count = 0;
    int past = ask(j, FROM_MEMORY, out, &count);
    return together_ways(j, TOGETHER, past, out, count);
}

const struct kernel KERNEL = {
    .op = "logsumexp", .algorithm = "invariant", .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 18, .bytes = 4, .lanes = LANES, .chains = GROUP,
    .exp_ulp = 0.95, .log_ulp = 0.51,
    .bound = BOUND_LOGSUMEXP_SHIFTED,
    .promise = {.specials = true, .bound = true},
    .run = run, .ways = ways,
};
