/* y = log(sum(e^x)), with one bit pattern on every ISA, compiler and policy: invariant.h says how,
 * invariant_exp.h what. One pass in blocks of 4096; the logarithm, once per row, in double.
 * Error: 1 ulp of the exponential averaged over the sum, and one rounding: 1.3 ulp on N(0, 1) at
 * n = 7, 0.7 at 16, 0.6 from 1000 on (2e6 elements each); unbounded in ulp near y = 0, as everybody's.
 * By hand, Zen 3, 16 elements in AVX2: 10 FMAs, and two permutations, which take both multipliers: 7.0 cycles; such
 * instructions that wait for nothing take 7.1 to 7.6, by their order, and this loop alone, in the best order of a
 * search, 7.9. Measured, the least, gcc-12 and clang-14 off: 8.6 at 16x4096, 9.6 and 9.4 at 2x2048, 9.9 and 9.8 at
 * 8x512; beside a busy neighbour, when 2.5 instructions start in a cycle, 10.2 at 16x4096 and 11.3 at 2x2048. Before
 * its cubic was monic (invariant_exp.h: TERM_1) it took 8.0 by hand, and 9.6, 10.6 and 10.9; elsewhere only that has
 * been measured. Zen 4 in AVX-512, 6 FMAs, 6 cycles: 6.6 at 16x4096, 7.4 at 2x2048, 7.7 at 8x512 (run of 9fc53b2,
 * gcc-12 off); in AVX2 8.0 at 1x32768, 8.7, 9.2. Emerald Rapids, all 10.8 instructions on two ports, 5.4 cycles;
 * medians (run of 89fa0e9) 6.2 at 1x32768, 6.7 at 2x2048, 6.8 at 8x512; in AVX2 8.2, 8.7, 9.1.
 * 12 flops, 4 bytes per element. */
// build: policies=distinct
#include "invariant_exp_team.h"
#include "invariant_log.h"
#include "scanned.h"

static float logsumexp(const float *x, size_t n, int *masked)
{
    if (!n) return f_from_bits(INFINITY_BITS | 0x80000000u);
    struct exp_total t = exp_total(x, n, sum_terms, masked);
    if (f_bits(t.special)) return t.special;
    return f_of(exp_total_log(&t, TERMS, x, n));
}

static inline void take(const struct log_group *g, const struct job *j, int *masked)
{
    if (g->rows.together && j->y_stride == 1 && g->rows.count == VL) {
        v_store(row_out(j, g->first), v_load(g->high));
        return;
    }
    for (size_t k = 0; k < g->rows.count; k++) {
        size_t r = g->first + k;
        *row_out(j, r) = g->rows.together ? g->high[k] : logsumexp(row_in(j, r), j->n, masked);
    }
}
static void group_finish(struct log_group *g, const struct job *j, struct exponents *e, int *masked)
{
    log_group_close(g, TERMS, e);
    take(g, j, masked);
}

/* Up to VL rows together; a group takes its logarithms when the next one has its sums: neither waits. Returns the
 * first row that is left. */
ALWAYS_INLINE size_t grouped(const struct job *j, int *masked, int ahead, enum length length, size_t n)
{
    struct log_group groups[2], *before = NULL;
    _Alignas(64) float copy[OCTET];
    float none[OCTET]; /* nothing is stored there */
    struct exp_scale s = exp_scale(0.0f, NULL);
    struct exponents exponents = exponents_unknown();
    size_t first = 0;
    while (first < j->rows && takes_batch(j, first, TWO_ROWS, FITS_BLOCK)) {
        struct log_group *g = before == groups ? groups + 1 : groups;
        log_group_open(g, j, first, n, &exponents);
        const float *x = g->rows.x;
        for (size_t k = 0; k < g->rows.count; k++, x += j->x_stride)
            exp_rows_add(&g->rows, &exponents, k, x, none, TERMS, ahead, n, length, &s);
        if (!s.copy && out_of_range(g->rows.seen)) { /* once more */
            s.copy = copy;
            *masked = 1;
            continue;
        }
        if (before) group_finish(before, j, &exponents, masked);
        first += g->rows.count;
        before = g;
    }
    if (before) group_finish(before, j, &exponents, masked);
    return first;
}
TOGETHER_BY_LENGTH(together_by, grouped);

static void run(const struct job *j)
{
    int masked = UNASKED;
    size_t r = together_by[length_of(j->n)][prefetches(j)](j, &masked);
    for (; r < j->rows; r++) *row_out(j, r) = logsumexp(row_in(j, r), j->n, &masked);
}

/* One row among several threads: its blocks' sums, then the row's. */
enum { STAGES = 2 };
static void stage(const struct job *j, unsigned stage, size_t part, size_t parts)
{
    struct exp_total t = {.total = TOO_MUCH};
    if (stage == 0 && j->n) team_blocks(j, NULL, sum_terms, part, parts);
    if (stage == 0 || part) return;
    if (j->n) t = team_total(j);
    if (plausible(t.total)) *row_out(j, 0) = f_of(exp_total_log(&t, TERMS, j->x, j->n));
    else run(j);
}

/* Rows that exp_rest() sums: the exponential of numerators without r's low part, and a tree. */
static const struct vector_ops tree_ops = {.fma = TERM_FMA, .mul = 1, .add = 2, .other = EXP_OTHER,
                                           .permute = EXP_PERMUTE};

static size_t paths(const struct job *j, struct code_path *out)
{
    size_t count = 0;
    if (tell_condition(j, SHORTER_THAN_OCTET, out, &count)) out[0].ops = &tree_ops;
    if (tell_condition(j, TWO_ROWS, out, &count) && tell_condition(j, FITS_BLOCK, out, &count) && STREAMS) tell_condition(j, JOB_OUTGROWS_LAST_LEVEL, out, &count);
    return count;
}

const struct kernel KERNEL = {
    .op = "logsumexp", .algorithm = ALGORITHM, .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 12, .bytes = 4, .lanes = LANES, .chains = GROUP,
    .ops = {.fma = TERM_FMA, .add = TERM_ADD, .other = SUM_OTHER, .permute = EXP_PERMUTE},
    .exp_ulp = INVARIANT_CHAINED_ULP, .log_ulp = 0.51,
    .bound = BOUND_LOGSUMEXP_SHIFTED,
    .promise = {.specials = true, .bound = true},
    .run = run, .paths = paths, .stages = STAGES, .stage = stage,
};
