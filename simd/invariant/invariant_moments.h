/* A row's mean and variance with one bit pattern everywhere, on invariant.h.
 *
 * With a pivot c near the mean, in one pass e = sum(x - c) and q = sum((x - c)^2):
 *   mean = c + e / n,   sum of squared deviations = q - e^2 / n,
 * where the subtraction loses a factor 1 + (c - mean)^2 / variance. Rows are tried with c = 0, which
 * costs nothing and is near enough where mean^2 <= variance / 4; the others go through again with c
 * their mean, a float: x - c is exact where an offset dwarfs the spread, so kappa does not enter.
 * Sums are fp32 within a chunk and double from there on. */
#ifndef INVARIANT_MOMENTS_H
#define INVARIANT_MOMENTS_H

#include "invariant.h"

/* A chain has 16 additions in a chunk. Quantised data (an offset of 1e4 leaves multiples of 2^-10,
 * whose squares are 0, 1 or 4 modulo 8 units) round to one side: errors add up. */
enum { MOMENT_CHAINS = 4, STEP = MOMENT_CHAINS * LANES, MOMENT_CHUNK = 1024 };
/* What a row of several chunks begins with says whether 0 looks near enough. */
enum { PILOT = 128 };

static inline size_t chunk_length(size_t at, size_t n) { return n - at < MOMENT_CHUNK ? n - at : MOMENT_CHUNK; }

/* A virtual register, or what of it lies in front of n and `fill`. */
ALWAYS_INLINE void load_register(vf v[PARTS], const element *x, size_t n, float fill)
{
    for (size_t p = 0; p < PARTS; p++)
        v[p] = n >= LANES ? x_load(x + p * VL)
                          : x_load_part(x + p * VL, lanes_before(p * VL, n), fill);
}

/* The squares have four chains; the sums have two, of pairs that are added first: 12 registers and
 * what is under way fit into AVX2's 16. */
struct chains {
    vf e[MOMENT_CHAINS / 2][PARTS], q[MOMENT_CHAINS][PARTS];
};
ALWAYS_INLINE void chains_add(struct chains *s, size_t k, size_t p, vf a, vf b)
{
    s->e[k / 2][p] = i_add(s->e[k / 2][p], i_add(a, b));
    s->q[k][p] = i_fma_onto(s->q[k][p], a, a);
    s->q[k + 1][p] = i_fma_onto(s->q[k + 1][p], b, b);
}

ALWAYS_INLINE void chains_set(struct chains *s, size_t k, size_t p, vf a, vf b)
{
    s->e[k / 2][p] = i_add(a, b);
    s->q[k][p] = i_mul(a, a);
    s->q[k + 1][p] = i_mul(b, b);
}
typedef void chains_take(struct chains *s, size_t k, size_t p, vf a, vf b);

/* x - c; c NULL: 0. The load is one instruction: as an operand of two it would be two loads. */
ALWAYS_INLINE vf deviation(vf x, const float *c) { return c ? i_sub(x, i_set1(*c)) : keep(x); }

/* Two virtual registers, or what of them lies in front of n >= 1. */
ALWAYS_INLINE void load_pair(vf a[PARTS], vf b[PARTS], const element *x, size_t n, const float *c)
{
    float fill = c ? *c : 0.0f;
    load_register(a, x, n, fill);
    for (size_t p = 0; p < PARTS; p++) b[p] = i_set1(fill);
    if (n > LANES) load_register(b, x + LANES, n - LANES, fill);
    for (size_t p = 0; p < PARTS; p++) a[p] = deviation(a[p], c), b[p] = deviation(b[p], c);
}
INLINE_LANES void chains_tail(struct chains *s, size_t k, const element *x, size_t n, const float *c)
{
    vf a[PARTS], b[PARTS];
    load_pair(a, b, x, n, c);
    for (size_t p = 0; p < PARTS; p++) chains_add(s, k, p, a[p], b[p]);
}

/* The sums of what no chain has two registers of. */
INLINE_LANES void pair_sums(const element *x, size_t n, const float *c, vf e[PARTS], vf q[PARTS])
{
    vf a[PARTS], b[PARTS];
    load_pair(a, b, x, n, c);
    for (size_t p = 0; p < PARTS; p++) {
        e[p] = i_add(a[p], b[p]);
        q[p] = i_fma(b[p], b[p], i_mul(a[p], a[p]));
    }
}

/* What goes on beside a chunk's sums, in front of each STEP of its elements. */
typedef void beside(void *context, size_t i);

ALWAYS_INLINE void chains_step(struct chains *s, const element *x, const float *c, chains_take *take)
{
    for (size_t k = 0; k < MOMENT_CHAINS; k += 2)
        for (size_t p = 0; p < PARTS; p++) {
            const element *at = x + k * LANES + p * VL;
            take(s, k, p, deviation(x_load(at), c), deviation(x_load(at + LANES), c));
        }
}
/* A chunk's sums about c; step: NULL for none. Those of a short row start with its first elements, not
 * with zeros: 64 take 4 to 20% less, but 1024 up to three tenths more (gcc). */
INLINE_LANES void chunk_sums(const element *x, size_t n, const float *c, int short_row, beside *step, void *context,
                             vf e[PARTS], vf q[PARTS])
{
    struct chains s;
    size_t i = 0;
    if (short_row && n >= STEP) {
        chains_step(&s, x, c, chains_set);
        i = STEP;
    } else {
        for (size_t k = 0; k < MOMENT_CHAINS; k++)
            for (size_t p = 0; p < PARTS; p++) s.e[k / 2][p] = s.q[k][p] = v_set1(0.0f);
    }
    for (; i + STEP <= n; i += STEP) {
        if (step) step(context, i);
        chains_step(&s, x + i, c, chains_add);
    }
    if (i < n) chains_tail(&s, 0, x + i, n - i, c);
    if (i + 2 * LANES < n) chains_tail(&s, 2, x + i + 2 * LANES, n - i - 2 * LANES, c);
    for (size_t p = 0; p < PARTS; p++) {
        e[p] = i_add(s.e[0][p], s.e[1][p]);
        q[p] = i_add(i_add(s.q[0][p], s.q[1][p]), i_add(s.q[2][p], s.q[3][p]));
    }
}

/* ---- Sums become moments: of a group of rows, or of one in every lane ---------------------------- */

enum { ALL_ROWS = (1 << GROUP_ROWS) - 1 };
struct moments {
    gd mean, variance;
    unsigned settled; /* a bit for each row: the pivot was near enough, and nothing left fp32 */
};

static inline double inverse_of(size_t n) { return d_div(1.0, d_count(n)); }

/* From sums about c; inverse: 1 / n; settled: (c - mean)^2 distance <= variance. */
ALWAYS_INLINE struct moments moments_about(gd c, gd e, gd q, double inverse, double distance)
{
    gd part = gd_mul(e, gd_set1(inverse)), shift = gd_mul(e, part);
    gd squares = gd_max(gd_set1(0.0), gd_sub(q, shift));
    unsigned near = gd_le(gd_mul(shift, gd_set1(distance)), squares);
    return (struct moments){gd_add(c, part), gd_mul(squares, gd_set1(inverse)),
                            near & gd_le(squares, gd_set1(0x1.fffffep127))};
}
static const double near_enough = 4.0, anywhere = 0.0;

/* Rows that leave fp32 on the way: NaN, infinities, squares beyond 2^128. One lane, in double. */
static __attribute__((noinline)) void careful(const element *x, size_t n, double *mean, double *variance)
{
    struct specials c = {0, 0, 0};
    for (size_t i = 0; i < n; i++) specials_add(&c, x_at(x + i));
    *mean = *variance = c.nan || (c.plus_infinity && c.minus_infinity) ? d_from_bits(0x7ff8000000000000u) : 0.0;
    if (c.nan || (c.plus_infinity && c.minus_infinity)) return;
    if (c.plus_infinity || c.minus_infinity) {
        *mean = d_from_bits(c.plus_infinity ? 0x7ff0000000000000u : 0xfff0000000000000u);
        *variance = d_from_bits(0x7ff8000000000000u);
        return;
    }
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < n; i++) sum = d_add(sum, d_of(x_at(x + i)));
    *mean = d_div(sum, d_count(n));
    for (size_t i = 0; i < n; i++) {
        double d = d_sub(d_of(x_at(x + i)), *mean);
        squares = d_fma(d, d, squares);
    }
    *variance = d_div(squares, d_count(n));
}

/* The rows that even their mean as a pivot did not settle. */
static __attribute__((noinline)) void settle_carefully(struct moments *m, const element *const x[], size_t count, size_t n)
{
    double mean[GROUP_ROWS], variance[GROUP_ROWS];
    gd_store_doubles(mean, m->mean);
    gd_store_doubles(variance, m->variance);
    for (size_t k = 0; k < count; k++)
        if (!(m->settled >> k & 1)) careful(x[k], n, &mean[k], &variance[k]);
    m->mean = gd_load_doubles(mean);
    m->variance = gd_load_doubles(variance);
}

/* ---- Short rows: up to GROUP_ROWS of them, 1 <= n, SHORT_ROW ------------------------------------------ */

struct group {
    const element *x[GROUP_ROWS];
    size_t count;
    half e[GROUP_ROWS], q[GROUP_ROWS];
};

ALWAYS_INLINE void group_row(struct group *g, size_t k, size_t n, const float *c)
{
    vf e[PARTS], q[PARTS];
    if (n <= 2 * LANES) pair_sums(g->x[k], n, c, e, q);
    else chunk_sums(g->x[k], n, c, 1, NULL, NULL, e, q);
    g->e[k] = half_of(e);
    g->q[k] = half_of(q);
}
static __attribute__((noinline)) void group_row_about(struct group *g, size_t k, size_t n, float c)
{
    group_row(g, k, n, &c);
}
/* Lanes without a row repeat the first. */
static __attribute__((noinline)) void group_fill(struct group *g)
{
    for (size_t k = g->count; k < GROUP_ROWS; k++) g->e[k] = g->e[0], g->q[k] = g->q[0];
}

/* With pivots: where 0 was not near enough, the mean. */
static __attribute__((noinline)) struct moments group_again(struct group *g, size_t n, gd mean, unsigned settled)
{
    float c[GROUP_ROWS];
    gd_store(c, mean);
    for (size_t k = 0; k < g->count; k++) {
        if (settled >> k & 1) c[k] = 0.0f;
        else group_row_about(g, k, n, c[k]);
    }
    for (size_t k = g->count; k < GROUP_ROWS; k++) c[k] = c[0];
    group_fill(g);
    struct moments m = moments_about(gd_load(c), gd_fold(g->e), gd_fold(g->q), inverse_of(n), anywhere);
    if (m.settled != ALL_ROWS) settle_carefully(&m, g->x, g->count, n);
    return m;
}

/* When group_row() has seen all its rows. */
ALWAYS_INLINE struct moments group_moments(struct group *g, size_t n, double inverse)
{
    if (g->count < GROUP_ROWS) group_fill(g);
    struct moments m = moments_about(gd_set1(0.0), gd_fold(g->e), gd_fold(g->q), inverse, near_enough);
    return m.settled == ALL_ROWS ? m : group_again(g, n, m.mean, m.settled);
}

/* ---- A long row, chunk by chunk ------------------------------------------------------------------- */

struct row_sums {
    float c;
    struct wide e, q;
};

static __attribute__((noinline)) void chunk_about(const element *x, size_t n, float c, vf e[PARTS], vf q[PARTS])
{
    chunk_sums(x, n, &c, 0, NULL, NULL, e, q);
}
ALWAYS_INLINE void row_chunk(const element *x, size_t n, float c, vf e[PARTS], vf q[PARTS])
{
    if (f_bits(c)) chunk_about(x, n, c, e, q);
    else chunk_sums(x, n, NULL, 0, NULL, NULL, e, q);
}
ALWAYS_INLINE void row_add(struct row_sums *s, const element *x, size_t n)
{
    vf e[PARTS], q[PARTS];
    row_chunk(x, n, s->c, e, q);
    s->e = wide_add(s->e, e);
    s->q = wide_add(s->q, q);
}
static inline struct moments row_moments_about(struct row_sums *s, size_t n, double distance)
{
    return moments_about(gd_set1(d_of(s->c)), gd_set1(wide_sum(s->e)), gd_set1(wide_sum(s->q)), inverse_of(n), distance);
}
static inline float row_mean(gd mean)
{
    float c[GROUP_ROWS];
    gd_store(c, mean);
    return c[0];
}

static inline struct row_sums row_zero(float c)
{
    static const struct wide zero;
    return (struct row_sums){c, zero, zero};
}

static inline struct row_sums row_open(const element *x, size_t n)
{
    struct row_sums s = row_zero(0.0f);
    if (n <= MOMENT_CHUNK) return s;
    row_add(&s, x, PILOT);
    struct moments m = row_moments_about(&s, PILOT, near_enough);
    return row_zero(m.settled ? 0.0f : row_mean(m.mean));
}

static __attribute__((noinline)) struct moments row_again(const element *x, size_t n, gd mean)
{
    struct row_sums s = row_zero(row_mean(mean));
    for (size_t at = 0; at < n; at += MOMENT_CHUNK) row_add(&s, x + at, chunk_length(at, n));
    struct moments m = row_moments_about(&s, n, anywhere);
    if (!m.settled) settle_carefully(&m, &x, 1, n);
    return m;
}

/* When row_add() has seen all its chunks. */
static inline struct moments row_moments(struct row_sums *s, const element *x, size_t n)
{
    struct moments m = row_moments_about(s, n, near_enough);
    return m.settled ? m : row_again(x, n, m.mean);
}

/* Up to GROUP_ROWS long rows: one's moments take as long as those of all. */
struct long_group {
    const element *x[GROUP_ROWS];
    size_t count;
    float c[GROUP_ROWS];
    struct wide e[GROUP_ROWS], q[GROUP_ROWS];
};
static inline void long_group_put(struct long_group *g, size_t k, const struct row_sums *s)
{
    g->c[k] = s->c;
    g->e[k] = s->e;
    g->q[k] = s->q;
}
ALWAYS_INLINE void long_group_row(struct long_group *g, size_t k, size_t n)
{
    struct row_sums s = row_open(g->x[k], n);
    for (size_t at = 0; at < n; at += MOMENT_CHUNK) row_add(&s, g->x[k] + at, chunk_length(at, n));
    long_group_put(g, k, &s);
}

/* The rows that their pivot did not settle. */
static __attribute__((noinline)) void long_group_again(struct moments *m, const struct long_group *g, size_t n)
{
    double mean[GROUP_ROWS], variance[GROUP_ROWS], one[GROUP_ROWS];
    gd_store_doubles(mean, m->mean);
    gd_store_doubles(variance, m->variance);
    for (size_t k = 0; k < g->count; k++) {
        if (m->settled >> k & 1) continue;
        struct moments a = row_again(g->x[k], n, gd_set1(mean[k]));
        gd_store_doubles(one, a.mean), mean[k] = one[0];
        gd_store_doubles(one, a.variance), variance[k] = one[0];
        m->settled |= (a.settled & 1) << k;
    }
    m->mean = gd_load_doubles(mean);
    m->variance = gd_load_doubles(variance);
}
ALWAYS_INLINE struct moments long_group_moments(struct long_group *g, size_t n, double inverse)
{
    struct row_sums none = row_zero(0.0f);
    for (size_t k = g->count; k < GROUP_ROWS; k++) long_group_put(g, k, &none);
    struct moments m = moments_about(gd_load(g->c), gd_sum(g->e), gd_sum(g->q), inverse, near_enough);
    if (m.settled != ALL_ROWS) long_group_again(&m, g, n);
    return m;
}

/* Canonical: which NaN an operation gives depends on the order of its operands. */
static inline float f_canonical(float r) { return f_is_nan(r) ? f_from_bits(NAN_BITS) : r; }

#endif
