/* A row's mean and variance with one bit pattern everywhere, on invariant.h.
 *
 * Per block of at most 4096 elements: a pivot c near its mean, then in one pass e = sum(x - c) and
 * q = sum((x - c)^2):   mean = c + e / n,   sum of squared deviations = q - e^2 / n.
 * c is a float and x - c is exact where an offset dwarfs the spread, so kappa does not enter; what
 * is lost to a pivot at distance D is a factor 1 + (c - mean)^2 / variance, 1.02 for independent
 * data. c is the mean of four virtual registers a quarter of the block apart, so that no single
 * stretch of outliers decides. Blocks merge in double (Chan, Golub, LeVeque 1983). */
#ifndef INVARIANT_MOMENTS_H
#define INVARIANT_MOMENTS_H

#include "invariant.h"

/* A chain has 16 additions in a chunk. Quantised data (an offset of 1e4 leaves multiples of 2^-10,
 * whose squares are 0, 1 or 4 modulo 8 units) round to one side: errors add up. */
enum { MOMENT_CHAINS = 4, MOMENT_CHUNK = 1024, SAMPLES = 4 };
/* How many of the chains fit into registers: the others go over the chunk, which L1 holds, again. */
enum { AT_ONCE = PARTS == 1 ? 4 : 2 };

struct spread {
    double count, mean, squares; /* squares: sum of squared deviations */
};

/* How many elements the pivot is the mean of: all of up to 64, of more 64. */
static inline size_t sample_count(size_t n) { return n < SAMPLES * LANES ? n : SAMPLES * LANES; }

/* A virtual register, or what of it lies in front of n and `fill`. */
ALWAYS_INLINE void load_register(vf v[PARTS], const element *x, size_t n, float fill)
{
    for (size_t p = 0; p < PARTS; p++)
        v[p] = n >= LANES ? x_load(x + p * VL)
                          : x_load_part(x + p * VL, lanes_before(p * VL, n), fill);
}

/* Their sums, lane by lane. */
ALWAYS_INLINE void sample_sums(const element *x, size_t n, vf sum[PARTS])
{
    size_t step = n < SAMPLES * LANES ? LANES : n / SAMPLES / LANES * LANES;
    size_t end = n < SAMPLES * LANES ? n : (SAMPLES - 1) * step + LANES;
    vf v[PARTS];
    load_register(sum, x, n, 0.0f);
    for (size_t at = step; at < end; at += step) {
        load_register(v, x + at, n - at, 0.0f);
        for (size_t p = 0; p < PARTS; p++) sum[p] = i_add(sum[p], v[p]);
    }
}

struct chains {
    vf e[MOMENT_CHAINS][PARTS], q[MOMENT_CHAINS][PARTS];
};

/* Chains k .. k + AT_ONCE of a chunk. */
ALWAYS_INLINE void some_chains(struct chains *out, const element *x, size_t n, size_t k, float pivot)
{
    vf c = i_set1(pivot), minus_c = i_set1(-pivot), one = i_set1(1.0f);
    vf e[AT_ONCE][PARTS], q[AT_ONCE][PARTS];
    for (size_t a = 0; a < AT_ONCE; a++)
        for (size_t p = 0; p < PARTS; p++) e[a][p] = q[a][p] = v_set1(0.0f);
    size_t i = k * LANES;
    for (; i + AT_ONCE * LANES <= n; i += MOMENT_CHAINS * LANES)
        for (size_t a = 0; a < AT_ONCE; a++)
            for (size_t p = 0; p < PARTS; p++) {
                vf v = x_load(x + i + a * LANES + p * VL);
                /* The same difference either way: half of them leave the adders to the sums. */
                vf d = a % 2 ? i_fma(v, one, minus_c) : i_sub(v, c);
                e[a][p] = i_add(e[a][p], d);
                q[a][p] = i_fma(d, d, q[a][p]);
            }
    for (size_t a = 0; a < AT_ONCE; a++) {
        vf v[PARTS];
        size_t at = i + a * LANES;
        if (at >= n) break;
        load_register(v, x + at, n - at, pivot);
        for (size_t p = 0; p < PARTS; p++) {
            vf d = i_sub(v[p], c);
            e[a][p] = i_add(e[a][p], d);
            q[a][p] = i_fma(d, d, q[a][p]);
        }
    }
    for (size_t a = 0; a < AT_ONCE; a++)
        for (size_t p = 0; p < PARTS; p++) {
            out->e[k + a][p] = e[a][p];
            out->q[k + a][p] = q[a][p];
        }
}

/* The sums of what no chain has two registers of. */
ALWAYS_INLINE void spread_registers(const element *x, size_t n, float pivot, vf e[PARTS], vf q[PARTS])
{
    vf c = i_set1(pivot), v[2][PARTS];
    load_register(v[0], x, n, pivot);
    for (size_t p = 0; p < PARTS; p++) v[1][p] = c;
    if (n > LANES) load_register(v[1], x + LANES, n - LANES, pivot);
    for (size_t p = 0; p < PARTS; p++) {
        vf d = i_sub(v[0][p], c), f = i_sub(v[1][p], c);
        e[p] = i_add(d, f);
        q[p] = i_add(i_mul(d, d), i_mul(f, f));
    }
}

/* A chunk's sums. */
ALWAYS_INLINE void spread_chunk(const element *x, size_t n, float pivot, vf e[PARTS], vf q[PARTS])
{
    if (n <= 2 * LANES) {
        spread_registers(x, n, pivot, e, q);
        return;
    }
    struct chains s;
    for (size_t k = 0; k < MOMENT_CHAINS; k += AT_ONCE) some_chains(&s, x, n, k, pivot);
    for (size_t p = 0; p < PARTS; p++) {
        e[p] = i_add(i_add(s.e[0][p], s.e[1][p]), i_add(s.e[2][p], s.e[3][p]));
        q[p] = i_add(i_add(s.q[0][p], s.q[1][p]), i_add(s.q[2][p], s.q[3][p]));
    }
}

ALWAYS_INLINE void block_sums(const element *x, size_t n, float pivot, vf e[PARTS], vf q[PARTS])
{
    spread_chunk(x, n < MOMENT_CHUNK ? n : MOMENT_CHUNK, pivot, e, q);
    for (size_t i = MOMENT_CHUNK; i < n; i += MOMENT_CHUNK) {
        vf more_e[PARTS], more_q[PARTS];
        spread_chunk(x + i, n - i < MOMENT_CHUNK ? n - i : MOMENT_CHUNK, pivot, more_e, more_q);
        for (size_t p = 0; p < PARTS; p++) {
            e[p] = i_add(e[p], more_e[p]);
            q[p] = i_add(q[p], more_q[p]);
        }
    }
}

static inline struct spread block_spread(const element *x, size_t n)
{
    vf sample[PARTS], e[PARTS], q[PARTS];
    sample_sums(x, n, sample);
    float pivot = f_of(d_div(d_of(i_sum(sample)), d_count(sample_count(n))));
    block_sums(x, n, pivot, e, q);
    double count = d_count(n), sum = d_of(i_sum(e)), part = d_div(sum, count);
    return (struct spread){count, d_add(d_of(pivot), part), d_sub(d_of(i_sum(q)), d_mul(sum, part))};
}

static inline struct spread spread_merge(struct spread a, struct spread b)
{
    double count = d_add(a.count, b.count), share = d_div(b.count, count), d = d_sub(b.mean, a.mean);
    return (struct spread){count, d_fma(d, share, a.mean),
                           d_add(d_add(a.squares, b.squares), d_mul(d_mul(d_mul(d, d), a.count), share))};
}

/* Rows that leave fp32 on the way: NaN, infinities, squares beyond 2^128. One lane, in double. */
static __attribute__((noinline)) struct spread spread_careful(const element *x, size_t n)
{
    struct contents c = {0, 0, 0};
    for (size_t i = 0; i < n; i++) contents_add(&c, x_at(x + i));
    double nan = d_from_bits(0x7ff8000000000000u), infinity = d_from_bits(0x7ff0000000000000u);
    struct spread s = {d_count(n), 0.0, 0.0};
    if (c.nan || (c.plus_infinity && c.minus_infinity)) s.mean = s.squares = nan;
    else if (c.plus_infinity || c.minus_infinity) {
        s.mean = c.plus_infinity ? infinity : d_from_bits(0xfff0000000000000u);
        s.squares = nan;
    } else {
        for (size_t i = 0; i < n; i++) s.mean = d_add(s.mean, d_of(x_at(x + i)));
        s.mean = d_div(s.mean, s.count);
        for (size_t i = 0; i < n; i++) {
            double d = d_sub(d_of(x_at(x + i)), s.mean);
            s.squares = d_fma(d, d, s.squares);
        }
    }
    return s;
}

/* n >= 1 */
static inline struct spread row_spread(const element *x, size_t n)
{
    struct spread s = block_spread(x, n < BLOCK ? n : BLOCK);
    for (size_t i = BLOCK; i < n; i += BLOCK)
        s = spread_merge(s, block_spread(x + i, n - i < BLOCK ? n - i : BLOCK));
    if (!d_is_finite(s.mean) || !d_is_finite(s.squares)) return spread_careful(x, n);
    if (d_bits(s.squares) >> 63) s.squares = 0.0;
    return s;
}

/* Canonical: which NaN an operation gives depends on the order of its operands. */
static inline float f_canonical(double a)
{
    float r = f_of(a);
    return f_is_nan(r) ? f_from_bits(NAN_BITS) : r;
}

/* 1 to VL rows together, n >= 1: the same operations in the same order; lanes beyond `count` hold
 * the first row's values. What overflows is no number here; row_spread() knows better. */
struct spread_rows {
    vd mean, squares;
};
static inline vf rows_add(vf a, vf b) { return i_add(a, b); }
ALWAYS_INLINE void fill_lanes(vf a[VL][PARTS], size_t count)
{
    for (size_t r = count; r < VL; r++)
        for (size_t p = 0; p < PARTS; p++) a[r][p] = a[0][p];
}

ALWAYS_INLINE struct spread_rows rows_spread(const element *const x[VL], size_t count, size_t n)
{
    vf a[VL][PARTS], b[VL][PARTS];
    float pivots[VL];
    size_t r = 0;
    do sample_sums(x[r], n, a[r]);
    while (++r < count);
    fill_lanes(a, count);
    vf pivot = vd_to(vd_div(vd_of(rows_fold(a, rows_add)), vd_set1(d_count(sample_count(n)))));
    v_store(pivots, pivot);
    r = 0;
    do block_sums(x[r], n, pivots[r], a[r], b[r]);
    while (++r < count);
    fill_lanes(a, count);
    fill_lanes(b, count);
    vd sum = vd_of(rows_fold(a, rows_add)), part = vd_div(sum, vd_set1(d_count(n)));
    return (struct spread_rows){vd_add(vd_of(pivot), part),
                                vd_sub(vd_of(rows_fold(b, rows_add)), vd_mul(sum, part))};
}

#endif
