/* Sums of exponentials for softmax and logsumexp, on invariant.h.
 *
 *   e^x = 2^(k/8) (1 + q),  k = round(8 x / ln2),  r = x - k ln2/8 in two exact-enough steps,
 *   q = r + r^2 (c2 + c3 r),  |r| <= 0.0436: 0.42 u by minimax; eight powers in a register.
 *
 * x itself is reduced, never a rounded x - max: the exponent of the result is k/8 - N + BIAS, N
 * the power of two of the row's maximum. Adding (BIAS + 127 - N) * 8 to the magic number that
 * rounds makes the low bits of the rounded sum the exponent and the index: one shift and one
 * addition put 2^(k/8 - N + BIAS) together. With BIAS = 93 the smallest numerator that could still
 * round a quotient away from zero is normal, so nothing is flushed and nothing is slow: the
 * product with the reciprocal of the sum alone becomes subnormal, and is rounded once.
 * 1.1 ulp for the exponential. Source: Tang 1989 for the table. */
#ifndef INVARIANT_EXP_H
#define INVARIANT_EXP_H

#include "invariant.h"

enum { EXP_CHAINS = 2, MAX_CHAINS = 4, BIAS = 93 };

/* Below this magnitude a maximum's 8 / ln2 multiples are exact; at and above it the maximum is
 * subtracted first, exactly where it matters (Sterbenz). */
#define LARGE 0x1p16f
#define MAGIC 0x1.8p23f
#define LOG2E 0x1.715476p+0f
#define LN2 0x1.62e43p-1f

struct exp_scale {
    vf magic, lowest, per_step, minus_step_high, minus_step_low, c2, c3;
    table8 powers;
};

/* For a row (or block) whose maximum is near N ln2. Everything below N ln2 - 150, -inf as well,
 * counts as that: its quotient rounds to zero. */
static inline struct exp_scale exp_scale(float N)
{
    /* bits(2^(j/8)) - bits(1) - (j << 20): what the exponent-and-index word adds again */
    static const int32_t powers[8] = {
        0x3f800000 - 0x3f800000,            0x3f8b95c2 - 0x3f800000 - 0x100000,
        0x3f9837f0 - 0x3f800000 - 0x200000, 0x3fa5fed7 - 0x3f800000 - 0x300000,
        0x3fb504f3 - 0x3f800000 - 0x400000, 0x3fc5672a - 0x3f800000 - 0x500000,
        0x3fd744fd - 0x3f800000 - 0x600000, 0x3feac0c7 - 0x3f800000 - 0x700000,
    };
    return (struct exp_scale){
        .magic = i_set1(f_fma(N, -8.0f, MAGIC + 8 * (BIAS + 127))),
        .lowest = i_set1(f_fma(N, LN2, -150.0f)),
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
    vf none = i_set1(f_from_bits(INFINITY_BITS | 0x80000000u));
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
                        v_load_part(x + i, n - i, f_from_bits(INFINITY_BITS | 0x80000000u)));
    for (size_t k = 1; k < MAX_CHAINS; k++)
        for (size_t p = 0; p < PARTS; p++) m[0][p] = i_max(m[0][p], m[k][p]);
    for (size_t p = 1; p < PARTS; p++) m[0][0] = i_max(m[0][0], m[0][p]);
    return f_keep(v_hmax(m[0][0]));
}

/* The sum of e^x 2^(BIAS - N) over a block; the numerators go to y where it is not NULL. Elements
 * behind the end count as lowest. */
ALWAYS_INLINE float exp_block(const float *x, float *y, size_t n, const struct exp_scale *s)
{
    vf sum[EXP_CHAINS][PARTS];
    for (size_t k = 0; k < EXP_CHAINS; k++)
        for (size_t p = 0; p < PARTS; p++) sum[k][p] = v_set1(0.0f);
    size_t i = 0;
    for (; i + EXP_CHAINS * LANES <= n; i += EXP_CHAINS * LANES)
        for (size_t k = 0; k < EXP_CHAINS; k++)
            for (size_t p = 0; p < PARTS; p++) {
                size_t at = i + k * LANES + p * VL;
                vf e = exp_scaled(v_load(x + at), s);
                if (y) v_store(y + at, e);
                sum[k][p] = i_add(sum[k][p], e);
            }
    for (size_t k = 0; k < EXP_CHAINS; k++) {
        if (i + k * LANES >= n) break;
        for (size_t p = 0; p < PARTS; p++) {
            size_t at = i + k * LANES + p * VL, left = lanes_before(at, n);
            vf e = exp_scaled(v_load_part(x + at, left, -LARGE), s);
            if (y) v_store_part(y + at, e, left);
            sum[k][p] = i_add(sum[k][p], e);
        }
    }
    for (size_t p = 0; p < PARTS; p++) sum[0][p] = i_add(sum[0][p], sum[1][p]);
    return i_sum(sum[0]);
}

/* y = x - m, for rows beyond LARGE. */
static inline void subtract(const float *x, float *y, size_t n, float m)
{
    vf a = i_set1(m);
    size_t i = 0;
    for (; i + VL <= n; i += VL) v_store(y + i, i_sub(v_load(x + i), a));
    if (i < n) v_store_part(y + i, i_sub(v_load_part(x + i, n - i, 0.0f), a), n - i);
}

/* sum of e^x over a row = total 2^(N - BIAS) e^shift. */
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
    struct contents c = contents_of(x, n);
    if (c.nan) return (struct exp_total){.special = f_from_bits(NAN_BITS)};
    if (c.plus_infinity) return (struct exp_total){.special = f_from_bits(INFINITY_BITS)};
    float m = row_max(x, n);
    if (!f_is_finite(m)) return (struct exp_total){.special = m};
    struct exp_total t = {.shift = (f_bits(m) & MAGNITUDE) < f_bits(LARGE) ? 0.0f : m};
    t.N = t.shift == 0.0f ? exponent_of(m) : 0.0f;
    struct exp_scale s = exp_scale(t.N);
    float shifted[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t length = n - i < BLOCK ? n - i : BLOCK;
        subtract(x + i, shifted, length, t.shift);
        t.total = d_add(t.total, d_of(exp_block(shifted, NULL, length, &s)));
    }
    return t;
}

/* One pass, in blocks: the maximum of a block, then its sum; when the maximum grows, what is there
 * is scaled by a power of two, which is exact. */
static inline struct exp_total exp_total(const float *x, size_t n)
{
    struct exp_total t = {.N = -LARGE};
    struct exp_scale s = exp_scale(0.0f);
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t length = n - i < BLOCK ? n - i : BLOCK;
        float m = row_max(x + i, length);
        if ((f_bits(m) & MAGNITUDE) >= f_bits(LARGE)) return exp_total_careful(x, n);
        float N = exponent_of(m);
        if (!i || N > t.N) {
            if (i) t.total = d_scale(t.total, (int)t.N - (int)N);
            t.N = N;
            s = exp_scale(N);
        }
        t.total = d_add(t.total, d_of(exp_block(x + i, NULL, length, &s)));
    }
    return d_is_finite(t.total) ? t : exp_total_careful(x, n);
}

/* ln(total 2^(N - BIAS)), total > 0 and normal: 2 atanh(f / (2 + f)), to 2^-40. */
static inline double log_total(double total, float N)
{
    static const double c[] = {2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3};
    /* The mantissa in [sqrt 1/2, sqrt 2). */
    uint64_t bits = d_bits(total);
    int64_t e = (int64_t)(bits - 0x3fe6a09e667f3bcdu) >> 52;
    double f = d_sub(d_from_bits(bits - ((uint64_t)e << 52)), 1.0);
    double t = d_div(f, d_add(f, 2.0)), t2 = d_mul(t, t), p = c[0];
    for (size_t k = 1; k < sizeof c / sizeof *c; k++) p = d_fma(p, t2, c[k]);
    double log = d_fma(d_mul(t, t2), p, d_mul(2.0, t));
    double k = d_keep((double)(int32_t)(e - BIAS + (int)N));
    return d_fma(k, 0x1.62e42fefa39efp-1, d_fma(k, 0x1.abc9e3b39803fp-56, log));
}

/* logsumexp without the shift, which the caller adds. */
static inline double exp_total_log(const struct exp_total *t)
{
    return log_total(t->total, t->N);
}

#endif
