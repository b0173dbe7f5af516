/* Sums of exponentials for softmax and logsumexp, on invariant.h.
 *
 *   e^x = 2^(k/8) (1 + q),  k = round(8 x / ln2),  r = x - k ln2/8 (high and low part),
 *   q = r + r^2 (c2 + c3 r),  |r| <= 0.0436: minimax, 0.42 u.
 *
 * x itself is reduced, never a rounded x - max: the exponent of the result is k/8 - N + BIAS, N
 * the power of two of the maximum. With 8 (BIAS + 127 - N) added to the magic number that rounds,
 * the low bits of the rounded sum are the exponent and the table's index: a shift and an addition
 * put 2^(k/8 - N + BIAS) together. With BIAS = 64 the smallest numerator that could still round a
 * quotient away from zero is normal, and so are both parts of the reciprocal of the sum of 2^31
 * elements: nothing is flushed, nothing is slow, and only a quotient becomes subnormal, rounded
 * once.
 *
 * The table (Tang 1989) is of kappa 2^(j/8): a quotient does not see kappa, a logarithm subtracts
 * ln(kappa), and of all kappa this is the one whose eight products are nearest to floats: 0.046 u
 * where 2^(j/8) has 0.54. The exponential: 0.94 ulp, at -0x1.c12516p+1. */
#ifndef INVARIANT_EXP_H
#define INVARIANT_EXP_H

#include "invariant.h"

enum { GROUP = 8, QUAD = 4 * LANES, MAX_CHAINS = 4, BIAS = 64 };

/* Below this magnitude a maximum's 8 / ln2 multiples are exact; at and above it the maximum is
 * subtracted first, exactly where it matters (Sterbenz). */
#define LARGE 0x1p16f
#define MAGIC 0x1.8p23f
#define LOG2E 0x1.715476p+0f
#define LN2 0x1.62e43p-1f
#define LN_KAPPA -0x1.501c2adc9f97dp-9
#define DOMINATED 0x1p65 /* 2 where the maximum is about 1 */
#define MINUS_INFINITY f_from_bits(INFINITY_BITS | 0x80000000u)

struct exp_scale {
    vf magic, lowest, per_step, minus_step_high, minus_step_low, c2, c3;
    table8 powers;
};

/* For a row (or block) whose maximum is near N ln2. Everything below N ln2 - 110, -inf as well,
 * counts as that: its quotient, below 2^-158, rounds to zero. */
static inline struct exp_scale exp_scale(float N)
{
    /* bits(kappa 2^(j/8)) - bits(1) - (j << 20): the exponent-and-index word adds the rest */
    static const int32_t powers[8] = {
        0x3f7f5829 - 0x3f800000,            0x3f8b3a3e - 0x3f800000 - 0x100000,
        0x3f97d424 - 0x3f800000 - 0x200000, 0x3fa59202 - 0x3f800000 - 0x300000,
        0x3fb48e45 - 0x3f800000 - 0x400000, 0x3fc4e5be - 0x3f800000 - 0x500000,
        0x3fd6b7da - 0x3f800000 - 0x600000, 0x3fea26de - 0x3f800000 - 0x700000,
    };
    return (struct exp_scale){
        .magic = i_set1(f_fma(N, -8.0f, MAGIC + 8 * (BIAS + 127))),
        .lowest = i_set1(f_fma(N, LN2, -110.0f)),
        .per_step = i_set1(0x1.715476p+3f),
        .minus_step_high = i_set1(-0x1.62e43p-4f),
        .minus_step_low = i_set1(0x1.05c610p-32f),
        .c2 = i_set1(0x1.0008aap-1f),
        .c3 = i_set1(0x1.555b3p-3f),
        .powers = table8_load(powers),
    };
}

/* e^x 2^(BIAS - N); NaN where x is. */
ALWAYS_INLINE vf exp_scaled(vf x, const struct exp_scale *s)
{
    x = i_max(s->lowest, x);
    vf z = i_fma(x, s->per_step, s->magic);
    vf k = i_sub(z, s->magic);
    vf r = i_fma(k, s->minus_step_high, x);
    r = i_fma(k, s->minus_step_low, r);
    vf q = i_fma(i_fma(s->c3, r, s->c2), i_mul(r, r), r);
    vi bits = v_bits(z);
    vf power = keep(v_float(vi_add(table8_at(s->powers, bits), vi_shl(bits, 20))));
    return i_fma(power, q, power);
}

/* The multiple of ln2 that is nearest to m, |m| < LARGE. */
static inline float exponent_of(float m)
{
    return f_sub(f_fma(m, LOG2E, MAGIC), MAGIC);
}

/* A row's maximum. Where a NaN is, the maximum of some of the others, or a NaN. */
static inline float row_max(const float *x, size_t n)
{
    vf m[MAX_CHAINS][PARTS];
    vf none = i_set1(MINUS_INFINITY);
    for (size_t k = 0; k < MAX_CHAINS; k++)
        for (size_t p = 0; p < PARTS; p++) m[k][p] = none;
    size_t i = 0;
    for (; i + MAX_CHAINS * LANES <= n; i += MAX_CHAINS * LANES)
        for (size_t k = 0; k < MAX_CHAINS; k++)
            for (size_t p = 0; p < PARTS; p++)
                m[k][p] = i_max(m[k][p], v_load(x + i + k * LANES + p * VL));
    for (; i + VL <= n; i += VL) m[0][0] = i_max(m[0][0], v_load(x + i));
    if (i < n)
        m[1][0] = i_max(m[1][0],
                        v_load_part(x + i, n - i, MINUS_INFINITY));
    for (size_t k = 1; k < MAX_CHAINS; k++)
        for (size_t p = 0; p < PARTS; p++) m[0][p] = i_max(m[0][p], m[k][p]);
    for (size_t p = 1; p < PARTS; p++) m[0][0] = i_max(m[0][0], m[0][p]);
    return f_keep(v_hmax(m[0][0]));
}

/* e^x 2^(BIAS - N) of a virtual register; to y as well where `store` (a constant wherever it is
 * used, so that no loop asks). */
ALWAYS_INLINE void exp_register(vf e[PARTS], const float *x, float *y, int store,
                                const struct exp_scale *s)
{
    for (size_t p = 0; p < PARTS; p++) {
        e[p] = exp_scaled(v_load(x + p * VL), s);
        if (store) v_store(y + p * VL, e[p]);
    }
}

/* Of what of it lies in front of n; the others are 0 in effect. */
ALWAYS_INLINE void exp_register_part(vf e[PARTS], const float *x, float *y, int store, size_t n,
                                     const struct exp_scale *s)
{
    for (size_t p = 0; p < PARTS; p++) {
        size_t left = lanes_before(p * VL, n);
        e[p] = exp_scaled(v_load_part(x + p * VL, left, MINUS_INFINITY), s);
        if (store) v_store_part(y + p * VL, e[p], left);
    }
}

ALWAYS_INLINE void add_register(vf a[PARTS], const vf b[PARTS])
{
    for (size_t p = 0; p < PARTS; p++) a[p] = i_add(a[p], b[p]);
}

/* The sums of four virtual registers, lane by lane. */
ALWAYS_INLINE void exp_quad(vf sum[PARTS], const float *x, float *y, int store,
                            const struct exp_scale *s)
{
    vf b[PARTS], c[PARTS];
    exp_register(sum, x, y, store, s);
    exp_register(b, x + LANES, y + LANES, store, s);
    add_register(sum, b);
    exp_register(b, x + 2 * LANES, y + 2 * LANES, store, s);
    exp_register(c, x + 3 * LANES, y + 3 * LANES, store, s);
    add_register(b, c);
    add_register(sum, b);
}

/* The sum of e^x 2^(BIAS - N) in double, lane by lane, n >= 1; the numerators to y where `store`.
 * Groups of 8 virtual registers (then 4, then each) are summed by a tree: an element meets 3
 * roundings in fp32. A chain of additions costs as much and errs by its length where terms are
 * equal, quantised, or small beside one that is there already. */
ALWAYS_INLINE struct wide exp_lanes(const float *x, float *y, int store, size_t n,
                                    const struct exp_scale *s)
{
    struct wide total = {0};
    vf a[PARTS], b[PARTS];
    size_t i = 0;
    for (; i + 2 * QUAD <= n; i += 2 * QUAD) {
        exp_quad(a, x + i, y + i, store, s);
        exp_quad(b, x + i + QUAD, y + i + QUAD, store, s);
        add_register(a, b);
        total = wide_add(total, a);
    }
    if (i + QUAD <= n) {
        exp_quad(a, x + i, y + i, store, s);
        total = wide_add(total, a);
        i += QUAD;
    }
    if (i + 2 * LANES <= n) {
        exp_register(a, x + i, y + i, store, s);
        exp_register(b, x + i + LANES, y + i + LANES, store, s);
        add_register(a, b);
        total = wide_add(total, a);
        i += 2 * LANES;
    }
    if (i + LANES <= n) {
        exp_register(a, x + i, y + i, store, s);
        total = wide_add(total, a);
        i += LANES;
    }
    if (i < n) {
        exp_register_part(a, x + i, y + i, store, n - i, s);
        total = wide_add(total, a);
    }
    return total;
}

/* The sum of e^x 2^(BIAS - N), 1 <= n <= BLOCK. A call, so that the constants are in registers and
 * what surrounds it is not. */
static __attribute__((noinline)) double exp_sum(const float *x, size_t n, float N)
{
    struct exp_scale s = exp_scale(N);
    float none[1]; /* nothing is stored there */
    return wide_sum(exp_lanes(x, none, 0, n, &s));
}
/* y = x - m, for rows beyond LARGE. */
static inline void subtract(const float *x, float *y, size_t n, float m)
{
    vf a = i_set1(m);
    size_t i = 0;
    for (; i + VL <= n; i += VL) v_store(y + i, i_sub(v_load(x + i), a));
    if (i < n) v_store_part(y + i, i_sub(v_load_part(x + i, n - i, 0.0f), a), n - i);
}

/* sum of e^x over a row = total 2^(N - BIAS) e^shift / kappa. */
struct exp_total {
    double total;
    float N, shift;
    float special; /* logsumexp where the total has none: +-inf or NaN; else 0 */
};

/* a 2^e for normal a and e in [-2046, 0]; zero below. */
static inline double d_scale(double a, int e)
{
    if (e < -1000) return 0.0;
    return d_mul(a, d_from_bits((uint64_t)(1023 + e) << 52));
}

/* Two passes over rows that have what the fast one does not expect: NaN, infinities, |max| >=
 * LARGE. */
static __attribute__((noinline)) struct exp_total exp_total_careful(const float *x, size_t n)
{
    struct contents c = {0, 0, 0};
    for (size_t i = 0; i < n; i++) contents_add(&c, x[i]);
    if (c.nan) return (struct exp_total){.special = f_from_bits(NAN_BITS)};
    if (c.plus_infinity) return (struct exp_total){.special = f_from_bits(INFINITY_BITS)};
    float m = row_max(x, n);
    if (!f_is_finite(m)) return (struct exp_total){.special = m};
    struct exp_total t = {.shift = (f_bits(m) & MAGNITUDE) < f_bits(LARGE) ? 0.0f : m};
    t.N = t.shift == 0.0f ? exponent_of(m) : 0.0f;
    float shifted[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t length = n - i < BLOCK ? n - i : BLOCK;
        subtract(x + i, shifted, length, t.shift);
        t.total = d_add(t.total, exp_sum(shifted, length, t.N));
    }
    return t;
}

/* One pass, in blocks: the maximum of a block, then its sum; when the maximum grows, what is there
 * is scaled by a power of two, which is exact. */
static inline struct exp_total exp_total(const float *x, size_t n)
{
    struct exp_total t = {.N = -LARGE};
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t length = n - i < BLOCK ? n - i : BLOCK;
        float m = row_max(x + i, length);
        if ((f_bits(m) & MAGNITUDE) >= f_bits(LARGE)) return exp_total_careful(x, n);
        float N = exponent_of(m);
        if (!i || N > t.N) {
            if (i) t.total = d_scale(t.total, (int)t.N - (int)N);
            t.N = N;
        }
        t.total = d_add(t.total, exp_sum(x + i, length, t.N));
    }
    return d_is_finite(t.total) ? t : exp_total_careful(x, n);
}

/* ln(a 2^exponent), a > 0 and a normal float: 2 atanh(f / (2 + f)), to 2^-40. VL of them. */
static inline vd rows_ln(vd a, vf exponent)
{
    static const double c[] = {2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3};
    /* The mantissa in [sqrt 1/2, sqrt 2): its exponent by the rounded a, its bits all of them. */
    vi e = vi_sar(vi_sub(v_bits(vd_to(a)), vi_set1(0x3f3504f3)), 23);
    vf down = keep(v_float(vi_shl(vi_sub(vi_set1(127), e), 23)));
    vd f = vd_sub(vd_mul(a, vd_of(down)), vd_set1(1.0));
    vd t = vd_div(f, vd_add(f, vd_set1(2.0))), t2 = vd_mul(t, t), p = vd_set1(c[0]);
    for (size_t k = 1; k < sizeof c / sizeof *c; k++) p = vd_fma(p, t2, vd_set1(c[k]));
    vd log = vd_fma(vd_mul(t, t2), p, vd_mul(vd_set1(2.0), t));
    vd k = vd_of(i_add(keep(v_from_int(e)), exponent));
    return vd_fma(k, vd_set1(0x1.62e42fefa39efp-1), vd_fma(k, vd_set1(0x1.abc9e3b39803fp-56), log));
}
/* One: what VL give in each lane. */
static inline double ln(double a, float exponent)
{
    static const double c[] = {2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3};
    int32_t e = (int32_t)(f_bits(f_of(a)) - 0x3f3504f3) >> 23;
    double f = d_sub(d_mul(a, d_of(f_from_bits((uint32_t)(127 - e) << 23))), 1.0);
    double t = d_div(f, d_add(f, 2.0)), t2 = d_mul(t, t), p = c[0];
    for (size_t k = 1; k < sizeof c / sizeof *c; k++) p = d_fma(p, t2, c[k]);
    double log = d_fma(d_mul(t, t2), p, d_mul(2.0, t));
    double k = d_of(f_keep(f_keep((float)e) + f_keep(exponent)));
    return d_fma(k, 0x1.62e42fefa39efp-1, d_fma(k, 0x1.abc9e3b39803fp-56, log));
}

/* ln(sum(e^x)), n >= 1, t not special. Where one element holds much of the sum and is itself near
 * zero, the rounding of its exponential would be all of the result's digits: there it is
 * max + ln(sum / e^max), with the same exponential above and below. */
static inline double exp_total_log(const struct exp_total *t, const float *x, size_t n)
{
    if (t->total < DOMINATED) {
        float m = row_max(x, n), shifted[LANES];
        struct exp_scale s = exp_scale(t->N);
        v_store(shifted, exp_scaled(i_sub(i_set1(m), i_set1(t->shift)), &s));
        return d_add(d_of(m), ln(d_div(t->total, d_of(shifted[0])), 0.0f));
    }
    return d_add(d_of(t->shift), d_sub(ln(t->total, f_sub(t->N, BIAS)), LN_KAPPA));
}

/* ---- Up to VL rows together: the same operations in the same order, a row to a lane where a row
 * has one value. What latency costs a short row, its neighbours fill. ---------------------------- */

struct exp_rows {
    const float *x[VL];
    size_t n, count; /* count: of the rows, >= 1; lanes beyond hold the first one's values */
    vf N;
    float magic[VL], lowest[VL];
};

/* The maxima of a row, n >= 1, lane by lane. */
ALWAYS_INLINE void max_lanes(vf m[PARTS], const float *x, size_t n)
{
    size_t i = LANES;
    for (size_t p = 0; p < PARTS; p++)
        m[p] = n >= LANES ? v_load(x + p * VL)
                          : v_load_part(x + p * VL, lanes_before(p * VL, n), MINUS_INFINITY);
    for (; i + LANES <= n; i += LANES)
        for (size_t p = 0; p < PARTS; p++) m[p] = i_max(m[p], v_load(x + i + p * VL));
    for (size_t p = 0; i < n && p < PARTS; p++) {
        size_t at = i + p * VL;
        m[p] = i_max(m[p], v_load_part(x + at, lanes_before(at, n), MINUS_INFINITY));
    }
}

/* False where a row is not for the fast path. */
ALWAYS_INLINE int exp_rows_open(struct exp_rows *g)
{
    vf m[VL][PARTS];
    size_t r = 0;
    do max_lanes(m[r], g->x[r], g->n);
    while (++r < g->count);
    for (; r < VL; r++)
        for (size_t p = 0; p < PARTS; p++) m[r][p] = m[0][p];
    vf max = rows_fold(m, i_max);
    vi magnitude = vi_and(v_bits(max), vi_set1(MAGNITUDE));
    if (m_any(vi_lt(vi_set1((int32_t)f_bits(LARGE) - 1), magnitude))) return 0;
    g->N = i_sub(i_fma(max, i_set1(LOG2E), i_set1(MAGIC)), i_set1(MAGIC));
    v_store(g->magic, i_fma(g->N, i_set1(-8.0f), i_set1(MAGIC + 8 * (BIAS + 127))));
    v_store(g->lowest, i_fma(g->N, i_set1(LN2), i_set1(-110.0f)));
    return 1;
}

/* The rows' totals; numerators to y[r] where `store`. */
ALWAYS_INLINE vd exp_rows_total(const struct exp_rows *g, float *const *y, int store)
{
    struct exp_scale s = exp_scale(0.0f);
    struct wide w[VL];
    size_t r = 0;
    do {
        s.magic = v_set1(g->magic[r]);
        s.lowest = v_set1(g->lowest[r]);
        w[r] = exp_lanes(g->x[r], y[r], store, g->n, &s);
    } while (++r < g->count);
    for (; r < VL; r++) w[r] = w[0];
    return rows_wide_sum(w);
}

#endif
