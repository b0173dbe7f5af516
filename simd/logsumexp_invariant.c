/* y = log(sum(e^x)), with one bit pattern on every ISA, compiler and policy: invariant.h says how,
 * invariant_exp.h what. One pass in blocks of 4096; the logarithm, once per row, in double.
 * Error: 1 ulp of the exponential averaged over the sum, and one rounding: 1.3 ulp on N(0, 1) at
 * n = 7, 0.7 at 16, 0.6 from 1000 on (2e6 elements each); unbounded in ulp near y = 0, as everybody's.
 * By hand, Zen 4, 16 elements in AVX-512: 6 FMAs, which one pair of pipes starts in 6 cycles; measured (run of
 * 9fc53b2), gcc-12 off, the least: 6.6 at 16x4096, 7.4 at 2x2048, 7.7 at 8x512; in AVX2: 8.0 at 1x32768, 8.7 at
 * 2x2048, 9.2 at 8x512. AVX2's 11 instructions per register keep nearly all four pipes busy, not just the
 * multipliers', and twice as many wait for room in the schedulers: loops of them in assembly take 7.2 at best,
 * without rows' ends. Emerald Rapids: all 10.8 instructions start on two ports, 5.4 cycles; medians (run of
 * 89fa0e9): 6.2 at 1x32768, 6.7 at 2x2048, 6.8 at 8x512; in AVX2 8.2, 8.7, 9.1.
 * 16 flops, 4 bytes per element. */
#include "invariant_exp_team.h"
#include "scanned.h"

static float logsumexp(const float *x, size_t n, int *masked)
{
    if (!n) return f_from_bits(INFINITY_BITS | 0x80000000u);
    struct exp_total t = exp_total(x, n, sum_terms, masked);
    if (f_bits(t.special)) return t.special;
    return f_of(exp_total_log(&t, TERMS, x, n));
}

/* Up to VL rows from `first` together. */
struct group {
    struct exp_rows rows;
    size_t first;
};

ALWAYS_INLINE void group_add(struct group *g, const struct job *j, size_t first, int ahead, int octets,
                             size_t n, struct exponents *e, struct exp_scale *s)
{
    float none[OCTET]; /* nothing is stored there */
    g->first = first;
    g->rows.x = row_in(j, first);
    g->rows.stride = j->x_stride;
    g->rows.n = n;
    g->rows.count = rows_from(j, first);
    exp_rows_open(&g->rows, e);
    const float *x = g->rows.x;
    for (size_t k = 0; k < g->rows.count; k++, x += j->x_stride)
        exp_rows_add(&g->rows, e, k, x, none, TERMS, ahead, n, octets, s);
}

/* Those of its logarithms that are near zero, by way of their maxima: exp_total_log() says why. Of rows of seven on
 * N(0, 1) a fifth are; all are whose exponentials are a distribution (128x32: .3 of the time it takes to go through
 * each row again, 8x512 .4; AVX2, Zen 3). */
static __attribute__((noinline)) void group_near(const struct group *g, const struct job *j, vd total, float *result)
{
    float most[VL], near[VL];
    for (size_t k = 0; k < VL; k++)
        most[k] = k < g->rows.count && near_zero(result[k]) ? row_max(row_in(j, g->first + k), j->n) : 0.0f;
    vf m = v_load(most), power = exp_of_maxima(m, g->rows.N, TERMS, j->n);
    v_store(near, vd_to(vd_add(vd_of(m), rows_ln(vd_div(total, vd_of(power)), i_set1(0.0f)))));
    for (size_t k = 0; k < g->rows.count; k++)
        if (near_zero(result[k])) result[k] = near[k];
}

static inline void group_finish(struct group *g, const struct job *j, struct exponents *e, int *masked)
{
    float result[VL];
    vd total = exp_rows_close(&g->rows);
    vf exponent = i_sub(g->rows.N, i_set1(BIAS));
    vf y = vd_to(vd_mul(vd_sub(rows_ln(total, exponent), vd_set1(LN_KAPPA)), vd_set1(STRETCH)));
    int dense = j->y_stride == 1 && g->rows.count == VL, near = any_near_zero(y);
    if (dense && g->rows.together && !near) {
        v_store(row_out(j, g->first), y);
        return;
    }
    if (!g->rows.together) e->are = APART;
    v_store(result, y);
    if (g->rows.together && near) group_near(g, j, total, result);
    for (size_t k = 0; k < g->rows.count; k++) {
        size_t r = g->first + k;
        *row_out(j, r) = g->rows.together ? result[k] : logsumexp(row_in(j, r), j->n, masked);
    }
}

/* A group takes its logarithms when the next one has its sums: neither waits. Returns the first row
 * that is left. */
ALWAYS_INLINE size_t grouped(const struct job *j, int *masked, int ahead, int octets, size_t n)
{
    struct group groups[2], *before = NULL;
    _Alignas(64) float copy[OCTET];
    struct exp_scale s = exp_scale(0.0f, NULL);
    struct exponents exponents = {.are = UNKNOWN};
    size_t first = 0;
    while (first < j->rows && together(j, first, PAIR, ONE_BLOCK)) {
        struct group *g = before == groups ? groups + 1 : groups;
        group_add(g, j, first, ahead, octets, n, &exponents, &s);
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
/* One loop, compiled for each: asked in it, memory's rows take 4% longer. Rows of two virtual registers know it
 * (128x32: 0.9 to 0.96 of the time, AVX2, Zen 3). */
typedef size_t rows_together(const struct job *j, int *masked);
static __attribute__((noinline)) size_t few_near(const struct job *j, int *masked)
{
    if (VL > 1 && j->n == 2 * LANES) return grouped(j, masked, 0, 0, 2 * LANES);
    return grouped(j, masked, 0, 0, j->n);
}
static __attribute__((noinline)) size_t few_ahead(const struct job *j, int *masked)
{
    return grouped(j, masked, 1, 0, j->n);
}
static __attribute__((noinline)) size_t octets_near(const struct job *j, int *masked)
{
    return grouped(j, masked, 0, 1, j->n);
}
static __attribute__((noinline)) size_t octets_ahead(const struct job *j, int *masked)
{
    return grouped(j, masked, 1, 1, j->n);
}
static rows_together *const together_by[2][2] = {{few_near, few_ahead}, {octets_near, octets_ahead}};

static void run(const struct job *j)
{
    int masked = UNASKED;
    size_t r = together_by[j->n >= OCTET][is(j, READ_AHEAD)](j, &masked);
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

static size_t ways(const struct job *j, struct way *out)
{
    size_t count = 0;
    if (ask(j, PAIR, out, &count) && ask(j, ONE_BLOCK, out, &count)) ask(j, READ_AHEAD, out, &count);
    return count;
}

const struct kernel KERNEL = {
    .op = "logsumexp", .algorithm = ALGORITHM, .dtype = "f32",
    .arithmetic = ARITHMETIC_EXPLICIT,
    .flops = 16, .bytes = 4, .lanes = LANES, .chains = GROUP,
    .ops = {.fma = TERM_FMA, .add = TERM_ADD, .other = SUM_OTHER, .permute = EXP_PERMUTE},
    .exp_ulp = INVARIANT_CHAINED_ULP, .log_ulp = 0.51,
    .bound = BOUND_LOGSUMEXP_SHIFTED,
    .promise = {.specials = true, .bound = true},
    .run = run, .ways = ways, .stages = STAGES, .stage = stage,
};
