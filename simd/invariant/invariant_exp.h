/* Sums of exponentials for softmax and logsumexp, on invariant.h.
 *
 *   e^x = 2^(k/8) (1 + q),  k = round(8 x / ln2),  r = x - k ln2/8 (high and low part),
 *   q = r + r^2 (c2 + c3 r),  |r| <= 0.0436: minimax, 0.42 u.
 *
 * r^2 and c2 + c3 r do wait for r's low part: without it sums are 1 to 5% sooner (AVX2), and softmax
 * of rows near 10^4 errs by 24 ulp. Logarithms do without it altogether: see TERMS.
 *
 * x itself is reduced, never a rounded x - max: the exponent of the result is k/8 - N + BIAS, N
 * the power of two of the row's magnitude. With 8 (BIAS + 127 - N) added to the magic number that
 * rounds, the low bits of the rounded sum are the exponent and the table's index: a shift and an
 * addition put 2^(k/8 - N + BIAS) together. With BIAS = 40 the smallest numerator that could still
 * round a quotient away from zero is normal, and so are both parts of the reciprocal of the sum of
 * 2^31 elements: nothing is flushed, nothing is slow, and only a quotient becomes subnormal, rounded
 * once. The maximum itself is never asked for: see row_sample().
 *
 * The table (Tang 1989) is of kappa 2^(j/8): a quotient does not see kappa, a logarithm subtracts
 * ln(kappa), and of all kappa this is the one whose eight products are nearest to floats: 0.046 u
 * where 2^(j/8) has 0.54. The exponential: 0.950493 ulp, at -0x1.4e18ccp+3 (all x:
 * `ulplab scan expkappa`). */
#ifndef INVARIANT_EXP_H
#define INVARIANT_EXP_H

#include "invariant.h"

enum { QUAD = 4 * LANES, OCTET = 8 * LANES, GROUP = 16, MAX_CHAINS = 4, BIAS = 40 };
/* Vectors whose steps alternate: what waits for its operands takes less of the scheduler's room. Four
 * where there are 32 registers: logsumexp takes 2 to 4% less than with two, softmax from 1% more (gcc, short
 * rows) to 2% less (clang). */
enum { ABREAST = PARTS == 1 ? 4 : 1 };

/* Below this magnitude a maximum's 8 / ln2 multiples are exact; at and above it the maximum is
 * subtracted first, exactly where it matters (Sterbenz). */
#define LARGE 0x1p16f
#define MAGIC 0x1.8p23f
#define LOG2E 0x1.715476p+0f
#define LN2 0x1.62e43p-1f
#define LN_KAPPA -0x1.501c2adc9f97dp-9
#define LOWEST -110.0f
#define TOO_MUCH 0x1p90f /* of a total: 2^50 where N is the maximum's, all that floats can hold the
                           reciprocal of in two parts */
#define TOO_LITTLE 0x1p32f /* beside it, what counts as LOWEST is still nothing: 2^-8 where N is the maximum's */
#define MINUS_INFINITY f_from_bits(INFINITY_BITS | 0x80000000u)

struct exp_scale {
    vf magic, lowest, per_step, minus_step_high, minus_step_low, c2, c3, term[3];
    table8 powers, term_powers;
    float *copy; /* OCTET floats for bounded(), whole lines: masked rows took 1.5 times as long elsewhere */
};

/* Everything below N ln2 - 110, -inf as well, counts as that: its quotient, below 2^-158, rounds to
 * zero. */
static inline float lowest_of(float N) { return f_fma(N, LN2, LOWEST); }

/* bits(kappa 2^(j/8)) - bits(1) - (j << 20): the exponent-and-index word adds the rest */
enum { BITS_OF_1 = 0x3f800000 };
static const int32_t kappa_powers[8] = {
    0x3f7f5829 - BITS_OF_1,            0x3f8b3a3e - BITS_OF_1 - 0x100000,
    0x3f97d424 - BITS_OF_1 - 0x200000, 0x3fa59202 - BITS_OF_1 - 0x300000,
    0x3fb48e45 - BITS_OF_1 - 0x400000, 0x3fc4e5be - BITS_OF_1 - 0x500000,
    0x3fd6b7da - BITS_OF_1 - 0x600000, 0x3fea26de - BITS_OF_1 - 0x700000,
};

/* The same without 1 + q: e^r = (r^3 + TERM_R2 r^2 + TERM_R r + TERM_1) / TERM_1, minimax, 0.37 u. Without a factor
 * the first step is an addition, and no constant need be copied to be overwritten: of six multiplications that is one
 * (logsumexp in AVX2 7 to 9% of the time, Zen 3). Its table is of kappa 2^(j/8) (1 - 0.24 u) / TERM_1: 0.24 u bring
 * the cubic's errors to both sides, and of all floats from 5.98 to 6.01 this TERM_1 has the least errors in cubic and
 * table, 0.15 u. Rounded near 6, the cubic errs by 0.67 u. */
#define TERM_R2 0x1.8059dap+1f
#define TERM_R 0x1.804aaep+2f
#define TERM_1 0x1.804aaap+2f
static const int32_t term_powers[8] = {
    0x3e2a19b3 - BITS_OF_1,            0x3e397eec - BITS_OF_1 - 0x100000,
    0x3e4a48db - BITS_OF_1 - 0x200000, 0x3e5c97c9 - BITS_OF_1 - 0x300000,
    0x3e708eeb - BITS_OF_1 - 0x400000, 0x3e832a53 - BITS_OF_1 - 0x500000,
    0x3e8f096c - BITS_OF_1 - 0x600000, 0x3e9bfb95 - BITS_OF_1 - 0x700000,
};

/* For a row whose sample is near N ln2; `copy`: where it may hold what is far below, else NULL. */
static inline struct exp_scale exp_scale(float N, float *copy)
{
    return (struct exp_scale){
        .magic = i_set1(f_fma(N, -8.0f, MAGIC + 8 * (BIAS + 127))),
        .lowest = i_set1(lowest_of(N)),
        .per_step = i_set1(0x1.715476p+3f),
        .minus_step_high = i_set1(-0x1.62e43p-4f),
        .minus_step_low = i_set1(0x1.05c610p-32f),
        .c2 = i_set1(0x1.0008aap-1f),
        .c3 = i_set1(0x1.555b3p-3f),
        .term = {i_set1(TERM_R2), i_set1(TERM_R), i_set1(TERM_1)},
        .powers = table8_load(kappa_powers),
        .term_powers = table8_load(term_powers),
        .copy = copy,
    };
}

/* What stands before is scheduled before what stands behind: gcc mixes one vector's instructions with another's,
 * which the processor does better (AVX2, Zen 3: softmax of 512 2%, logsumexp 2%, of 128 3%). */
static inline void in_order(void) { __asm__ volatile("" : : : "memory"); }

/* What is summed. Numerators, which results are the quotients of; STORED, they are kept, too. Terms of
 * a logarithm that is a result itself do without r's low part, an FMA: each is e^((1 - c) x)
 * then, c = 2.75e-9, and the logarithm, stretched by as much, is off by c times the entropy of their
 * shares, at most c ln(n). (log_softmax, which subtracts it from x, would show that.) */
enum summed { TERMS, NUMERATORS, STORED };
#define STRETCH 1.000000002747835 /* 1 / (1 - c), c = 0x1.05c610p-32 / (ln2 / 8) */

/* Instructions per vector of a sum (include/kernel.h: ops). Numerators: z, k, r twice, r^2 and q twice, the
 * product with the power; that is half an or (vpternlog takes two), a permutation, a shift and an addition.
 * Then a tree of additions, and of each group two conversions and two additions in double. A term has z, k, r, an
 * addition and two FMAs for its cubic, and its product is its addition, too. */
enum { TERM_FMA = 5, NUMERATOR_FMA = 6, NUMERATOR_MUL = 1 };
#define TERM_ADD (2 + (1 + 2) / (double)GROUP)
#define NUMERATOR_ADD (1 + (GROUP - 1 + 2) / (double)GROUP)
#define EXP_OTHER 3.5
#define EXP_PERMUTE 1
#define SUM_OTHER (EXP_OTHER + 2 / (double)GROUP)

/* What out_of_range() asks for. */
ALWAYS_INLINE void see(vi *seen, const vf *z, size_t count)
{
    for (size_t i = 0; i < count; i++) *seen = vi_or(*seen, v_bits(z[i]));
    *seen = v_bits(keep(v_float(*seen))); /* now: else 16 of them wait in memory */
}
/* kappa 2^(k/8 + BIAS - N) */
ALWAYS_INLINE vf power_of(vf z, table8 powers)
{
    vi exponent = vi_shl(v_bits(z), 20);
    return keep(v_float(vi_add(table8_at(powers, v_bits(z)), exponent)));
}

/* kappa e^x 2^(BIAS - N) for x >= lowest, of `count` vectors abreast; NaN where x is. `what` is a constant
 * wherever it is used, so that no loop asks. */
ALWAYS_INLINE void exp_abreast(vf *e, const vf *x, size_t count, enum summed what,
                               const struct exp_scale *s, vi *seen)
{
    vf z[ABREAST], k[ABREAST], r[ABREAST], rr[ABREAST], q[ABREAST], power[ABREAST];
    for (size_t i = 0; i < count; i++) z[i] = i_fma(x[i], s->per_step, s->magic);
    for (size_t i = 0; i < count; i++) k[i] = i_sub(z[i], s->magic);
    for (size_t i = 0; i < count; i++) r[i] = i_fma(k[i], s->minus_step_high, x[i]);
    see(seen, z, count);
    for (size_t i = 0; what != TERMS && i < count; i++) r[i] = i_fma(k[i], s->minus_step_low, r[i]);
    for (size_t i = 0; i < count; i++) rr[i] = i_mul(r[i], r[i]);
    for (size_t i = 0; i < count; i++) q[i] = i_fma(s->c3, r[i], s->c2);
    for (size_t i = 0; i < count; i++) power[i] = power_of(z[i], s->powers);
    for (size_t i = 0; i < count; i++) q[i] = i_fma(q[i], rr[i], r[i]);
    for (size_t i = 0; i < count; i++) e[i] = i_fma(power[i], q[i], power[i]);
}
/* To sums the same of a virtual register's terms at x, which is an addition less each (logsumexp: 4 to 8% of the time):
 * 1 + q is rounded and its product is not. Alone that would err by 1.6 ulp where the above has 0.95; among 128 it
 * averages out. Written out where an ISA's header does so. */
ALWAYS_INLINE void add_terms(vf sum[PARTS], const float *x, const struct exp_scale *s, vi *seen)
{
#ifdef I_TERMS
    static const float low[2][VL] __attribute__((aligned(VL * sizeof(float)))) = {{[0 ... VL - 1] = TERM_R},
                                                                                  {[0 ... VL - 1] = TERM_1}};
    i_terms(sum, x, s->per_step, s->magic, s->minus_step_high, s->term_powers, s->term[0], low, seen);
#else
    for (size_t p = 0; p < PARTS; p++) {
        vf a = v_load(x + p * VL), z = i_fma(a, s->per_step, s->magic), k = i_sub(z, s->magic);
        vf r = i_fma(k, s->minus_step_high, a);
        see(seen, &z, 1);
        vf e = i_add(r, s->term[0]);
        for (int i = 1; i < 3; i++) e = i_fma(e, r, s->term[i]);
        sum[p] = i_fma(power_of(z, s->term_powers), e, sum[p]);
    }
#endif
}
/* Alone, of what is in a register. */
static inline vf chained_term(vf x, const struct exp_scale *s, vi *seen)
{
    float at[LANES];
    vf sum[PARTS];
    for (size_t p = 0; p < PARTS; p++) {
        sum[p] = i_set1(0.0f);
        v_store(at + p * VL, x);
    }
    add_terms(sum, at, s, seen);
    return sum[0];
}
ALWAYS_INLINE vf exp_scaled(vf x, enum summed what, const struct exp_scale *s, vi *seen)
{
    exp_abreast(&x, &x, 1, what, s, seen);
    return x;
}

/* The multiple of ln2 that is nearest to m, |m| < LARGE. */
static inline float exponent_of(float m) { return f_sub(f_fma(m, LOG2E, MAGIC), MAGIC); }
static inline int is_large(float m) { return (f_bits(m) & MAGNITUDE) >= f_bits(LARGE); }
/* Whether a row's maximum is large must not depend on what its sample was: from NEARLY_LARGE on a sample leaves that to
 * the careful path, which asks the maximum. Below, a plausible() total says that the maximum is within 36 of N ln2. */
#define NEARLY_LARGE (LARGE - 64.0f)
static inline int is_nearly_large(float sample) { return (f_bits(sample) & MAGNITUDE) >= f_bits(NEARLY_LARGE); }

/* The greatest of a virtual register's lanes. */
static inline float greatest(const vf m[PARTS])
{
    vf a = m[0];
    for (size_t p = 1; p < PARTS; p++) a = i_max(a, m[p]);
    return f_keep(v_hmax(a));
}

/* N is the exponent of a sample of the row, not of its maximum: a row is read once. Where elements
 * stand so far above or below the sample that exponents leave their field, or the total is not
 * plausible(), the row is done anew. Results do not depend on N: exponentials and their sums are
 * scaled by a power of two, and what is far below is nothing beside the maximum. */
ALWAYS_INLINE void sample_lanes(vf m[PARTS], const float *x, size_t n)
{
    for (size_t p = 0; p < PARTS; p++)
        m[p] = n >= LANES ? v_load(x + p * VL)
                          : v_load_part(x + p * VL, lanes_before(p * VL, n), MINUS_INFINITY);
}
enum { LONG = 1024 };
struct sample {
    float greatest, least;
};
/* Of four virtual registers of a row, each `apart` elements behind the one before. */
static inline struct sample four_sample(const float *x, size_t apart)
{
    vf high[PARTS], minus_low[PARTS];
    for (size_t p = 0; p < PARTS; p++) {
        high[p] = v_load(x + p * VL);
        minus_low[p] = i_sub(i_set1(0.0f), high[p]);
    }
    for (size_t k = 1; k < 4; k++)
        for (size_t p = 0; p < PARTS; p++) {
            vf a = v_load(x + k * apart + p * VL);
            high[p] = i_max(high[p], a);
            minus_low[p] = i_max(minus_low[p], i_sub(i_set1(0.0f), a));
        }
    return (struct sample){greatest(high), f_sub(0.0f, greatest(minus_low))};
}
/* What hardly a row starts with but one that is masked there: beside it, elements near 0 leave the field. */
#define FAR 0x1p6f
static inline int is_far(float m) { return (f_bits(m) & MAGNITUDE) >= f_bits(FAR); }

/* The sample's greatest; sets `masked` where something in it is so low that bounded() is wanted from the start.
 * A job's first long row is asked all over and at its end, where masks are. Of later ones the beginning is
 * enough, unless it is masked: the rest is where nothing has been read ahead yet, and each row waited for
 * memory (softmax 8192x2048 took .25 ns per element, .19 so; logsumexp 3276x5120 .21, .13). */
enum { UNASKED = -1 }; /* `masked` before that */
static inline float row_sample(const float *x, size_t n, int *masked)
{
    struct sample s;
    if (n < LONG) {
        vf m[PARTS];
        sample_lanes(m, x, n);
        s.greatest = s.least = greatest(m);
    } else {
        size_t all_over = (n - LANES) / 3;
        s = four_sample(x, *masked == UNASKED ? all_over : LANES);
        if (is_far(s.greatest)) s = four_sample(x, all_over);
    }
    *masked = *masked == 1 || s.least < lowest_of(exponent_of(s.greatest));
    return s.greatest;
}

/* x, or where masks are known a copy of its n <= OCTET elements with nothing below what counts. Rows without masks
 * are spared the clamp: 4% of the time in AVX-512, 5 to 14% in AVX2. To ask in each octet costs them up to 4%; a copy
 * of the whole row in front of its sums costs masked ones 5 to 55%. */
ALWAYS_INLINE const float *bounded(const struct exp_scale *s, const float *x, size_t n)
{
    if (!s->copy) return x;
    float *copy = s->copy;
    for (size_t i = 0; i < n; i += VL) v_store(copy + i, i_max(s->lowest, v_load(x + i)));
    __asm__("" : "+r"(copy) : : "memory"); /* or gcc keeps it in registers that there are not */
    return copy;
}

/* Where an ulp is less than what an exponential's error makes of the logarithm: |y| < 2. */
static inline int near_zero(float y) { return (f_bits(y) & MAGNITUDE) < f_bits(2.0f); }
static inline int any_near_zero(vf y)
{
    vi magnitude = vi_and(v_bits(y), vi_set1(MAGNITUDE));
    return m_any(vi_lt(magnitude, vi_set1((int32_t)f_bits(2.0f))));
}

/* Bits that no rounded sum of magic number and exponent within its field has: NaN and infinity have
 * some of them, too. */
enum { FIELD = 0x4b400000 | 0x7ff };
static inline int out_of_range(vi seen)
{
    return m_any(vi_lt(vi_set1(0), vi_and(seen, vi_set1(MAGNITUDE & ~FIELD))));
}
/* False for NaN and infinities too. */
static inline int plausible(double total) { return d_bits(total) < d_bits(TOO_MUCH); }

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

/* Of `count` vectors a virtual register apart, abreast; to y as well where STORED. */
ALWAYS_INLINE void exp_vectors(vf *e, const float *x, float *y, size_t count, enum summed what,
                               const struct exp_scale *s, vi *seen)
{
    for (size_t k = 0; k < count; k++) e[k] = v_load(x + k * LANES);
    exp_abreast(e, e, count, what, s, seen);
    for (size_t k = 0; what == STORED && k < count; k++) v_store(y + k * LANES, e[k]);
}
/* The sum of two. */
ALWAYS_INLINE vf exp_pair(const float *x, float *y, enum summed what, const struct exp_scale *s, vi *seen)
{
    enum { AT_ONCE = ABREAST < 2 ? ABREAST : 2 };
    vf e[2];
    for (size_t k = 0; k < 2; k += AT_ONCE)
        exp_vectors(e + k, x + k * LANES, y + k * LANES, AT_ONCE, what, s, seen);
    return i_add(e[0], e[1]);
}
/* Of what of one lies in front of n; the others are 0 in effect. */
ALWAYS_INLINE void exp_register_part(vf e[PARTS], const float *x, float *y, enum summed what, size_t n,
                                     const struct exp_scale *s, vi *seen)
{
    for (size_t p = 0; p < PARTS; p++) {
        size_t left = lanes_before(p * VL, n);
        if (!left) { /* AVX2: softmax of 136 elements 5% less, of 23 14% */
            e[p] = i_set1(0.0f);
            continue;
        }
        vf a = i_max(s->lowest, v_load_part(x + p * VL, left, MINUS_INFINITY));
        e[p] = exp_scaled(a, what, s, seen);
        if (what == STORED) v_store_part(y + p * VL, e[p], left);
    }
}

ALWAYS_INLINE void set_register(vf a[PARTS], const vf b[PARTS])
{
    for (size_t p = 0; p < PARTS; p++) a[p] = b[p];
}
ALWAYS_INLINE void add_register(vf a[PARTS], const vf b[PARTS])
{
    for (size_t p = 0; p < PARTS; p++) a[p] = i_add(a[p], b[p]);
}

/* The sums of four virtual registers, lane by lane: abreast, or one part's after the other's and each
 * added as soon as it can be, so that 16 registers are enough. */
ALWAYS_INLINE void exp_quad(vf sum[PARTS], const float *x, float *y, enum summed what,
                            const struct exp_scale *s, vi *seen)
{
    vf e[4];
    if (ABREAST == 4) {
        exp_vectors(e, x, y, 4, what, s, seen);
        sum[0] = i_add(i_add(e[0], e[1]), i_add(e[2], e[3]));
        return;
    }
    for (size_t p = 0; p < PARTS; p++) {
        const float *a = x + p * VL;
        float *b = y + p * VL;
        vf first = exp_pair(a, b, what, s, seen);
        sum[p] = i_add(first, exp_pair(a + 2 * LANES, b + 2 * LANES, what, s, seen));
    }
}

/* A row's (or block's) sum so far: in double, and a group's 16 virtual registers in fp32. Octets of numerators
 * are summed by trees: an element meets 4 roundings, in the last group up to 7. A chain errs by its length
 * where terms are equal, quantised, or small beside one that is there already; octets of terms are chains all
 * the same: what a sum is off by, its logarithm is in absolute terms, and of one in [4, 8) an ulp is 8 u. */
struct exp_sum {
    struct wide groups;
    vf group[PARTS]; /* not in groups yet */
};
ALWAYS_INLINE void clear_group(struct exp_sum *sum)
{
    for (size_t p = 0; p < PARTS; p++) sum->group[p] = i_set1(0.0f);
}
/* The octet that starts at element i. A group is widened when the next one's first octet is there: at its own end
 * conversions and additions, 16 of them in AVX2, would wait for it in the schedulers' room (1 to 4%). */
ALWAYS_INLINE void add_octet(struct exp_sum *sum, size_t i, const vf octet[PARTS])
{
    if (i % (2 * OCTET)) {
        add_register(sum->group, octet);
    } else {
        if (i) sum->groups = wide_add(sum->groups, sum->group);
        set_register(sum->group, octet);
    }
}
/* No octet follows element i. */
ALWAYS_INLINE void end_octets(struct exp_sum *sum, size_t i)
{
    if (i % (2 * OCTET) == 0 && i) {
        sum->groups = wide_add(sum->groups, sum->group);
        clear_group(sum);
    }
}

/* Fewer than 8 virtual registers: 4, then 2, then each; `first`: whether the sums are empty, a constant wherever it is
 * used: without adding to zero 128x32 and 64x64 take .92 to .97 of the time (AVX2, Zen 3). */
ALWAYS_INLINE void exp_rest(struct exp_sum *sum, const float *row, float *y, enum summed what, size_t n, int first,
                            const struct exp_scale *s, vi *seen)
{
    const float *x = bounded(s, row, n / LANES * LANES);
    vf a[PARTS];
    size_t i = 0;
    if (i + QUAD <= n) {
        exp_quad(a, x + i, y + i, what, s, seen);
        if (first) set_register(sum->group, a);
        else add_register(sum->group, a);
        i += QUAD;
    }
    if (i + 2 * LANES <= n) {
        for (size_t p = 0; p < PARTS; p++) a[p] = exp_pair(x + i + p * VL, y + i + p * VL, what, s, seen);
        if (first && n < QUAD) set_register(sum->group, a);
        else add_register(sum->group, a);
        i += 2 * LANES;
    }
    if (i + LANES <= n) {
        for (size_t p = 0; p < PARTS; p++)
            exp_vectors(a + p, x + i + p * VL, y + i + p * VL, 1, what, s, seen);
        add_register(sum->group, a);
        i += LANES;
    }
    if (i < n) {
        exp_register_part(a, row + i, y + i, what, n - i, s, seen);
        add_register(sum->group, a);
    }
}

/* The same address, in a register of its own: an instruction whose address has an index starts as two on Intel
 * (logsumexp, AVX-512: 5 to 10%). */
static inline const float *without_index(const float *x)
{
    __asm__("" : "+r"(x));
    return x;
}

/* Of eight: a tree, or a chain of terms, which asks ahead line by line (16384x4096 in AVX-512: .154 ns per
 * element where it asked for eight lines at once, .140 so). */
ALWAYS_INLINE void exp_octet(vf sum[PARTS], const float *row, float *y, enum summed what, int ahead,
                             const struct exp_scale *s, vi *seen)
{
    const float *x = bounded(s, row, OCTET);
    vf b[PARTS];
    if (what == TERMS) {
        x = without_index(x);
        for (size_t p = 0; p < PARTS; p++) sum[p] = i_set1(0.0f);
#pragma GCC unroll 8
        for (size_t i = 0; i < OCTET; i += LANES) {
            if (ahead) prefetch_ahead(row + i, LANES);
            in_order();
            add_terms(sum, x + i, s, seen);
        }
        return;
    }
    if (ahead) prefetch_ahead(row, OCTET);
    exp_quad(sum, x, y, what, s, seen);
    in_order();
    exp_quad(b, x + QUAD, y + QUAD, what, s, seen);
    add_register(sum, b);
}

/* Adds the exponentials of elements [i, n), i at an octet; numerators to y where STORED; `ahead`: where
 * a row stands behind another, which hardware does not know. */
ALWAYS_INLINE void exp_add(struct exp_sum *sum, const float *x, float *y, enum summed what, int ahead, size_t i,
                           size_t n, const struct exp_scale *s, vi *seen)
{
    /* A group a turn: none asks which of its octets it is at (3% of logsumexp's instructions, 1 to 3% of its time
     * beside a neighbour, Zen 3). In AVX-512 and for scalars it would be more text, and nobody has measured it. */
    for (; what == TERMS && PARTS == 2 && i + 2 * OCTET <= n; i += 2 * OCTET) {
        vf a[PARTS], b[PARTS];
        exp_octet(a, x + i, y + i, what, ahead, s, seen);
        add_octet(sum, i, a);
        exp_octet(b, x + i + OCTET, y + i + OCTET, what, ahead, s, seen);
        add_octet(sum, i + OCTET, b);
    }
    for (; i + OCTET <= n; i += OCTET) {
        vf a[PARTS];
        exp_octet(a, x + i, y + i, what, ahead, s, seen);
        add_octet(sum, i, a);
    }
    if (ahead) prefetch_ahead(x + i, n - i);
    end_octets(sum, i);
    if (i < n) exp_rest(sum, x + i, y + i, what, n - i, 0, s, seen);
}

/* Of n elements. */
ALWAYS_INLINE struct wide groups_of(const struct exp_sum *sum, size_t n)
{
    return n % (2 * OCTET) ? wide_add(sum->groups, sum->group) : sum->groups;
}

/* Infinite where something was out of range. */
static inline double block_total(const struct exp_sum *sum, size_t n, vi seen)
{
    double total = wide_sum(groups_of(sum, n));
    return out_of_range(seen) ? d_from_bits(0x7ff0000000000000u) : total;
}

/* With what comes ahead always, whatever READ_AHEAD says: hardware's reading of a single long row falls behind
 * (logsumexp 1x16777216: .73 to .84 of the time, 1x4194304 .75 to .9; AVX2, Zen 3), and from nearer it costs half a
 * percent, softmax 1x8192 1 to 2. */
ALWAYS_INLINE double exp_block(const float *x, float *y, enum summed what, size_t n, float N, int masked)
{
    _Alignas(64) float copy[OCTET];
    struct exp_scale s = exp_scale(N, masked ? copy : NULL);
    struct exp_sum sum = {0};
    vi seen = vi_set1(0);
    exp_add(&sum, x, y, what, STREAMS, 0, n, &s, &seen);
    return block_total(&sum, n, seen);
}
/* Of a block, 1 <= n <= BLOCK; numerators to y where STORED. Calls, so that the constants are in
 * registers and what surrounds them is not. */
typedef double sum_block(const float *x, float *y, size_t n, float N, int masked);
static __attribute__((noinline, unused)) double sum_terms(const float *x, float *y, size_t n, float N,
                                                          int masked)
{
    float none[1]; /* nothing is stored there */
    (void)y;
    return exp_block(x, none, TERMS, n, N, masked);
}
static __attribute__((noinline, unused)) double sum_numerators(const float *x, float *y, size_t n, float N,
                                                               int masked)
{
    float none[1]; /* nothing is stored there */
    (void)y;
    return exp_block(x, none, NUMERATORS, n, N, masked);
}
static __attribute__((noinline, unused)) double sum_stored(const float *x, float *y, size_t n, float N,
                                                           int masked)
{
    return exp_block(x, y, STORED, n, N, masked);
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

/* Two passes over rows that have what the fast one does not expect: NaN, infinities, |max| >= LARGE,
 * elements far above or below the sample. */
static __attribute__((noinline)) struct exp_total exp_total_careful(const float *x, size_t n,
                                                                    sum_block *block)
{
    struct exp_total t = {.total = 0.0};
    float m = row_max(x, n), shifted[BLOCK];
    if (f_is_finite(m)) {
        if (is_large(m)) t.shift = m;
        t.N = exponent_of(is_large(m) ? 0.0f : m);
        for (size_t i = 0; i < n; i += BLOCK) {
            size_t length = n - i < BLOCK ? n - i : BLOCK;
            if (t.shift != 0.0f) subtract(x + i, shifted, length, t.shift);
            t.total = d_add(t.total, block(t.shift != 0.0f ? shifted : x + i, NULL, length, t.N, 1));
        }
        if (d_is_finite(t.total)) return t;
    }
    struct specials c = {0, 0, 0};
    for (size_t i = 0; i < n; i++) specials_add(&c, x[i]);
    return (struct exp_total){.special = c.nan             ? f_from_bits(NAN_BITS)
                                         : c.plus_infinity ? f_from_bits(INFINITY_BITS)
                                                           : MINUS_INFINITY};
}

/* One pass, in blocks. `masked`: whether a row of this job held what is far below, or UNASKED. */
static inline struct exp_total exp_total(const float *x, size_t n, sum_block *block, int *masked)
{
    float sample = row_sample(x, n, masked);
    if (is_nearly_large(sample)) return exp_total_careful(x, n, block);
    struct exp_total t = {.N = exponent_of(sample)};
    for (size_t i = 0; i < n; i += BLOCK)
        t.total = d_add(t.total, block(x + i, NULL, n - i < BLOCK ? n - i : BLOCK, t.N, *masked));
    if (plausible(t.total)) return t;
    *masked = 1;
    return exp_total_careful(x, n, block);
}

/* ln(a 2^exponent), a > 0 and a normal float: 2 atanh(f / (2 + f)), to 2^-40. VL of them. Its series goes
 * by t^4: what waits for it is a group's last row. */
static const double atanh_series[] = {2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3};
static inline vd rows_ln(vd a, vf exponent)
{
    /* The mantissa in [sqrt 1/2, sqrt 2): its exponent by the rounded a, its bits all of them. */
    vi e = vi_sar(vi_sub(v_bits(vd_to(a)), vi_set1(0x3f3504f3)), 23);
    vf down = keep(v_float(vi_shl(vi_sub(vi_set1(127), e), 23)));
    vd f = vd_fma(a, vd_of(down), vd_set1(-1.0));
    vd t = vd_div(f, vd_add(f, vd_set1(2.0))), t2 = vd_mul(t, t), t4 = vd_mul(t2, t2);
    const double *c = atanh_series;
    vd p = vd_set1(*c++);
    for (int k = 0; k < 3; k++, c += 2) p = vd_fma(p, t4, vd_fma(t2, vd_set1(c[0]), vd_set1(c[1])));
    vd log = vd_fma(vd_mul(t, t2), p, vd_mul(vd_set1(2.0), t));
    vd k = vd_of(i_add(keep(v_from_int(e)), exponent));
    return vd_fma(k, vd_set1(0x1.62e42fefa39efp-1), vd_fma(k, vd_set1(0x1.abc9e3b39803fp-56), log));
}
/* One: what VL give in each lane. */
static inline double ln(double a, float exponent)
{
    int32_t e = (int32_t)(f_bits(f_of(a)) - 0x3f3504f3) >> 23;
    double f = d_fma(a, d_of(f_from_bits((uint32_t)(127 - e) << 23)), -1.0);
    double t = d_div(f, d_add(f, 2.0)), t2 = d_mul(t, t), t4 = d_mul(t2, t2);
    const double *c = atanh_series;
    double p = *c++;
    for (int k = 0; k < 3; k++, c += 2) p = d_fma(p, t4, d_fma(t2, c[0], c[1]));
    double log = d_fma(d_mul(t, t2), p, d_mul(2.0, t));
    double k = d_of(f_keep(f_keep((float)e) + f_keep(exponent)));
    return d_fma(k, 0x1.62e42fefa39efp-1, d_fma(k, 0x1.abc9e3b39803fp-56, log));
}

static inline vf magic_of(vf N) { return i_fma(N, i_set1(-8.0f), i_set1(MAGIC + 8 * (BIAS + 127))); }
/* The exponentials of rows' maxima, as they are in the sums of n elements: the term of an octet where there is one. */
static inline vf exp_of_maxima(vf m, vf N, enum summed what, size_t n)
{
    struct exp_scale s = exp_scale(0.0f, NULL);
    vi seen = vi_set1(0);
    s.magic = magic_of(N);
    return what == TERMS && n >= OCTET ? chained_term(m, &s, &seen) : exp_scaled(m, what, &s, &seen);
}

/* ln(sum(e^x)), n >= 1, t of `what` and not special. Near zero the rounding of the exponential of an
 * element that holds most of the sum would be all of the result's digits: there it is
 * max + ln(sum / e^max), with the same exponential above and below. */
static inline double exp_total_log(const struct exp_total *t, enum summed what, const float *x, size_t n)
{
    double stretch = what == TERMS ? STRETCH : 1.0;
    double y = d_mul(d_sub(ln(t->total, f_sub(t->N, BIAS)), LN_KAPPA), stretch);
    y = d_add(d_of(t->shift), y);
    if (!near_zero(f_of(y))) return y;
    float m = row_max(x, n), power[LANES];
    v_store(power, exp_of_maxima(i_sub(i_set1(m), i_set1(t->shift)), i_set1(t->N), what, n));
    return d_add(d_of(m), ln(d_div(t->total, d_of(power[0])), 0.0f));
}

/* ---- Up to VL rows together: the same operations in the same order, a row to a lane where a row
 * has one value. What latency costs a short row, its neighbours fill. ---------------------------- */

/* The exponents of a group's rows, a lane each: those of the job's first group, for the later ones too while their
 * totals are plausible (AVX2, Zen 3, rows of 16 and 32: 4 to 17% of the time). Once they are not, each group has
 * its own. */
enum exponents_are { UNKNOWN, SHARED, APART };
struct exponents {
    enum exponents_are are;
    vf N;
    float magic[VL], lowest[VL];
};
/* A store for each: gcc clears the whole of it with rep stos, and 4x16 takes 1.1 times as long. */
static inline struct exponents exponents_unknown(void)
{
    struct exponents e;
    e.are = UNKNOWN;
    e.N = i_set1(0.0f);
    v_store(e.magic, e.N);
    v_store(e.lowest, e.N);
    return e;
}

/* One loop, compiled for each: those that short rows do not have leave them fewer registers (softmax 128x32 took 1.1
 * times as long, gcc), and rows of two virtual registers and of an octet know their length: a quarter of what the
 * former executed asked for it (AVX2, Zen 3: 128x32 takes .84 to .96 of the time, 32x128 .83 to .94). */
enum length { SHORTER, TWO_REGISTERS, OCTET_ALONE, LONGER, LENGTHS };
static inline enum length length_of(size_t n)
{
    if (STREAMS && n == 2 * LANES) return TWO_REGISTERS;
    if (STREAMS && n == OCTET) return OCTET_ALONE;
    return n < OCTET ? SHORTER : LONGER;
}
/* Of rows(job, masked, past, length, n), which returns the first row that is left: one function for each, and
 * table[length][past], past: whether from or to memory. Asked in its loop, memory's rows of logsumexp take 4%
 * longer. */
typedef size_t rows_together(const struct job *j, int *masked);
#define ROWS_TOGETHER(name, built, rows, past, length, n)                                                              \
    static __attribute__((noinline)) size_t name(const struct job *j, int *masked)                                     \
    {                                                                                                                  \
        return (built) ? rows(j, masked, past, length, n) : 0;                                                         \
    }
#define TOGETHER_BY_LENGTH(table, rows)                                                                                \
    ROWS_TOGETHER(table##_shorter_near, 1, rows, 0, SHORTER, j->n)                                                     \
    ROWS_TOGETHER(table##_shorter_past, STREAMS, rows, 1, SHORTER, j->n)                                               \
    ROWS_TOGETHER(table##_two_near, STREAMS, rows, 0, TWO_REGISTERS, 2 * LANES)                                        \
    ROWS_TOGETHER(table##_octet_near, STREAMS, rows, 0, OCTET_ALONE, OCTET)                                            \
    ROWS_TOGETHER(table##_octet_past, STREAMS, rows, 1, OCTET_ALONE, OCTET)                                            \
    ROWS_TOGETHER(table##_longer_near, 1, rows, 0, LONGER, j->n)                                                       \
    ROWS_TOGETHER(table##_longer_past, STREAMS, rows, 1, LONGER, j->n)                                                 \
    static rows_together *const table[LENGTHS][2] = {                                                                  \
        [SHORTER] = {table##_shorter_near, table##_shorter_past},                                                      \
        [TWO_REGISTERS] = {table##_two_near, table##_shorter_past},                                                    \
        [OCTET_ALONE] = {table##_octet_near, table##_octet_past},                                                      \
        [LONGER] = {table##_longer_near, table##_longer_past},                                                         \
    }

struct exp_rows {
    const float *x; /* [count, n], `stride` floats from a row to the next */
    size_t stride, n, count; /* count: 1 .. VL; lanes beyond hold the first row's values */
    int together;    /* false: a row is not for the fast path, all go one by one */
    vf N;
    vi seen;
    struct wide totals[VL];
};

/* Samples, with rows that seem to be masked where they start asked for their maximum. */
static __attribute__((noinline)) vf exp_rows_look(const struct exp_rows *g, vf samples)
{
    float most[VL];
    v_store(most, samples);
    for (size_t r = 0; r < g->count; r++)
        if (is_far(most[r])) most[r] = row_max(g->x + r * g->stride, g->n);
    for (size_t r = g->count; r < VL; r++) most[r] = most[0];
    return v_load(most);
}

/* Whether a magnitude is `from` or more; NaN and infinities are. */
static inline int any_from(vf a, float from)
{
    return m_any(vi_lt(vi_set1((int32_t)f_bits(from) - 1), vi_and(v_bits(a), vi_set1(MAGNITUDE))));
}
/* False where a row is NEARLY_LARGE. */
ALWAYS_INLINE int exp_rows_sample(const struct exp_rows *g, struct exponents *e)
{
    vf m[VL][PARTS];
    const float *x = g->x;
    int ordinary = 1;
    for (size_t r = 0; r < VL; r++) {
        sample_lanes(m[r], x, g->n);
        if (r + 1 < g->count) x += g->stride;
    }
    vf max = rows_fold(m, i_max);
    if (any_from(max, FAR)) {
        max = exp_rows_look(g, max);
        ordinary = !any_from(max, NEARLY_LARGE);
    }
    e->N = i_sub(i_fma(max, i_set1(LOG2E), i_set1(MAGIC)), i_set1(MAGIC));
    v_store(e->magic, magic_of(e->N));
    v_store(e->lowest, i_fma(e->N, i_set1(LN2), i_set1(LOWEST)));
    return ordinary;
}
ALWAYS_INLINE void exp_rows_open(struct exp_rows *g, struct exponents *e)
{
    g->together = 1;
    if (e->are != SHARED) {
        g->together = exp_rows_sample(g, e);
        if (e->are == UNKNOWN && g->together) e->are = SHARED;
    }
    g->N = e->N;
    g->seen = vi_set1(0);
}

/* Before and after one row's exponentials, x = g->x + r g->stride; s is exp_scale() of any N. */
ALWAYS_INLINE void exp_rows_begin(const struct exp_rows *g, const struct exponents *e, size_t r, const float *x,
                                  int ahead, struct exp_scale *s)
{
    s->magic = v_set1(e->magic[r]);
    s->lowest = v_set1(e->lowest[r]);
    if (ahead) { /* the next group's sample: its rows reach beyond what is read ahead */
        __builtin_prefetch(x + VL * g->stride);
        __builtin_prefetch(x + VL * g->stride + LANES - 1);
    }
}
ALWAYS_INLINE void exp_rows_end(struct exp_rows *g, size_t r, const struct exp_sum *sum, size_t n, enum length length,
                                vi seen)
{
    g->seen = vi_or(g->seen, seen);
    g->totals[r] = length == LONGER ? groups_of(sum, n) : wide_of(sum->group);
}

/* One row's exponentials; numerators to y where STORED; n and its length are constants wherever they are known. */
ALWAYS_INLINE void exp_rows_add(struct exp_rows *g, const struct exponents *e, size_t r, const float *x, float *y,
                                enum summed what, int ahead, size_t n, enum length length, struct exp_scale *s)
{
    struct exp_sum sum = {0};
    vi seen = vi_set1(0);
    exp_rows_begin(g, e, r, x, ahead, s);
    if (length >= OCTET_ALONE) {
        exp_add(&sum, x, y, what, ahead, 0, n, s, &seen);
    } else {
        if (ahead) prefetch_ahead(x, n);
        exp_rest(&sum, x, y, what, n, 1, s, &seen);
    }
    exp_rows_end(g, r, &sum, n, length, seen);
}

/* The rows' totals, when all have been added. */
ALWAYS_INLINE vd exp_rows_close(struct exp_rows *g)
{
    for (size_t r = g->count; r < VL; r++) g->totals[r] = g->totals[0];
    vd total = rows_wide_sum(g->totals);
    vf rounded = vd_to(total);
    vi least = vi_set1((int32_t)f_bits(TOO_LITTLE));
    if (out_of_range(g->seen) || any_from(rounded, TOO_MUCH) || m_any(vi_lt(v_bits(rounded), least))) g->together = 0;
    return total;
}

#endif
