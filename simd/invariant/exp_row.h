// SPDX-License-Identifier: MIT
/* The sum of a row's exponentials, in one pass over the row:
 *
 *   sum of e^x = total 2^(N - BIAS) e^shift / kappa
 *
 * N comes from a sample of the row, because the maximum would need a pass of its own. Results do
 * not depend on N: it scales the exponentials and their sums by a power of two, and terms far below
 * the maximum vanish beside it. sum_row_carefully() repeats a row with its maximum if its elements
 * are so far above or below the sample that an exponent leaves its field or that the total is not
 * plausible(). */
#ifndef EXP_ROW_H
#define EXP_ROW_H

#include "exp_sum.h"

/* From this magnitude of the maximum on, the maximum is subtracted first (exactly where it matters:
 * Sterbenz). Below it, the multiples of ln2/8 that the reduction subtracts are exact in fp32. */
#define LARGE 0x1p16f
/* A sample of this magnitude is "far". Only masked rows tend to start with elements this far from
 * 0, and elements near 0 leave the exponent's field beside such a sample. */
#define FAR 0x1p6f
/* Bounds of a plausible total. Above 2^90 (2^50 if N is the maximum's exponent) its reciprocal is
 * not a double-float of normal floats. From 2^32 on (2^-8 if N is the maximum's) an element that
 * counts as LOWEST still vanishes beside the total. The lower bound is tested for batches only,
 * whose N may be another row's; a row's own sample is an element, whose term alone exceeds it. */
#define GREATEST_TOTAL 0x1p90f
#define LEAST_TOTAL 0x1p32f

static inline int is_large(float m) { return (f_bits(m) & MAGNITUDE) >= f_bits(LARGE); }
/* Whether a row's maximum is large must not depend on the sample. If the sample is at least
 * NEARLY_LARGE, the careful path decides by the maximum. Below, a plausible total implies that the
 * maximum is within 36 of N ln2. */
#define NEARLY_LARGE (LARGE - 64.0f)
static inline int is_nearly_large(float sample)
{
    return (f_bits(sample) & MAGNITUDE) >= f_bits(NEARLY_LARGE);
}
static inline int is_far(float m) { return (f_bits(m) & MAGNITUDE) >= f_bits(FAR); }
/* Returns whether a row's total is plausible, so that N from its sample was near enough to its
 * maximum. NaN and infinities are not plausible. */
static inline int plausible(double total) { return d_bits(total) < d_bits(GREATEST_TOTAL); }

/* ---- Maximum and sample ---------------------------------------------------------------------- */

/* Returns the greatest lane of a virtual register. */
static inline float greatest_lane(const vf m[PARTS])
{
    vf a = m[0];
    for (size_t p = 1; p < PARTS; p++) a = i_max(a, m[p]);
    return f_keep(v_hmax(a));
}

/* Returns a row's maximum. In a row with a NaN it is a NaN, or the maximum of some other
 * elements. */
static inline float row_max(const float *x, size_t n)
{
    enum { CHAINS = 4 };
    vf m[CHAINS][PARTS];
    vf none = i_set1(MINUS_INFINITY);
    for (size_t k = 0; k < CHAINS; k++)
        for (size_t p = 0; p < PARTS; p++) m[k][p] = none;
    size_t i = 0;
    for (; i + CHAINS * LANES <= n; i += CHAINS * LANES)
        for (size_t k = 0; k < CHAINS; k++)
            for (size_t p = 0; p < PARTS; p++)
                m[k][p] = i_max(m[k][p], v_load(x + i + k * LANES + p * VL));
    for (; i + VL <= n; i += VL) m[0][0] = i_max(m[0][0], v_load(x + i));
    if (i < n) m[1][0] = i_max(m[1][0], v_load_part(x + i, n - i, MINUS_INFINITY));
    for (size_t k = 1; k < CHAINS; k++)
        for (size_t p = 0; p < PARTS; p++) m[0][p] = i_max(m[0][p], m[k][p]);
    for (size_t p = 1; p < PARTS; p++) m[0][0] = i_max(m[0][0], m[0][p]);
    return f_keep(v_hmax(m[0][0]));
}

/* Loads the sample of a row shorter than LONG: its first virtual register. */
ALWAYS_INLINE void load_sample(vf m[PARTS], const float *x, size_t n)
{
    for (size_t p = 0; p < PARTS; p++)
        m[p] = n >= LANES ? v_load(x + p * VL)
                          : v_load_part(x + p * VL, lanes_before(p * VL, n), MINUS_INFINITY);
}
struct sample {
    float greatest, least;
};
/* Samples four virtual registers of a row that start `apart` elements after each other. */
static inline struct sample sample_registers(const float *x, size_t apart)
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
    return (struct sample){greatest_lane(high), f_sub(0.0f, greatest_lane(minus_low))};
}

/* Whether rows of this job hold elements that count as LOWEST, as masked ones do. Rows are clamped
 * unless they are known to be unmasked; from the first masked row on, all are clamped at once
 * instead of being computed a second time. */
enum masking { MASKING_UNKNOWN = -1, UNMASKED, MASKED };

/* Returns the greatest element of a row's sample, and updates *masking by the sample. The sample of
 * a job's first long row covers the whole row and its end, where masks are. For later rows their
 * beginning is enough unless it is masked: the rest is not prefetched, and each row would wait for
 * memory. */
static inline float row_sample(const float *x, size_t n, enum masking *masking)
{
    enum { LONG = 1024 };
    struct sample s;
    if (n < LONG) {
        vf m[PARTS];
        load_sample(m, x, n);
        s.greatest = s.least = greatest_lane(m);
    } else {
        size_t all_over = (n - LANES) / 3;
        s = sample_registers(x, *masking == MASKING_UNKNOWN ? all_over : LANES);
        if (is_far(s.greatest)) s = sample_registers(x, all_over);
    }
    *masking =
        *masking == MASKED || s.least < lowest_of(exponent_of(s.greatest)) ? MASKED : UNMASKED;
    return s.greatest;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Sums a block. It prefetches wherever the row lies: hardware prefetch of a single long row falls
 * behind, and for a row in a cache prefetching costs little. */
ALWAYS_INLINE double exp_block(const float *x, float *y, enum summand kind, size_t n, float N,
                               enum masking masking)
{
    _Alignas(64) float clamped[OCTET];
    struct exp_scale s = exp_scale(N, masking != UNMASKED ? clamped : NULL);
    struct exp_sum sum = {0};
    vi range_bits = vi_set1(0);
    add_elements(&sum, x, y, kind, STREAMS, 0, n, &s, &range_bits);
    return block_total(&sum, n, range_bits);
}
/* Returns the total of a block of 1 <= n <= BLOCK elements; store_numerators() stores to y. They
 * are not inlined, so that their constants get the registers and the callers' values do not. */
typedef double sum_block(const float *x, float *y, size_t n, float N, enum masking masking);
__attribute__((unused)) NOINLINE double sum_terms(const float *x, float *y, size_t n, float N,
                                                  enum masking masking)
{
    float none[1]; /* nothing is stored there */
    (void)y;
    return exp_block(x, none, LOGARITHM_TERMS, n, N, masking);
}
__attribute__((unused)) NOINLINE double sum_numerators(const float *x, float *y, size_t n, float N,
                                                       enum masking masking)
{
    float none[1]; /* nothing is stored there */
    (void)y;
    return exp_block(x, none, NUMERATORS, n, N, masking);
}
__attribute__((unused)) NOINLINE double store_numerators(const float *x, float *y, size_t n,
                                                         float N, enum masking masking)
{
    return exp_block(x, y, STORED, n, N, masking);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* y = x - m, for rows whose maximum is large. */
static inline void subtract_max(const float *x, float *y, size_t n, float m)
{
    vf a = i_set1(m);
    size_t i = 0;
    for (; i + VL <= n; i += VL) v_store(y + i, i_sub(v_load(x + i), a));
    if (i < n) v_store_part(y + i, i_sub(v_load_part(x + i, n - i, 0.0f), a), n - i);
}

struct row_total {
    double total;
    float N, shift;
    float special; /* the result of logsumexp where there is no total: +-inf or NaN; otherwise 0 */
};

/* Sums a row in two passes, the first for its maximum: for rows with NaN, infinities, |max| >=
 * LARGE, or elements far above or below the sample. */
NOINLINE struct row_total sum_row_carefully(const float *x, size_t n, sum_block *sum_of_block)
{
    struct row_total t = {.total = 0.0};
    float m = row_max(x, n), shifted[BLOCK];
    if (f_is_finite(m)) {
        if (is_large(m)) t.shift = m;
        t.N = exponent_of(is_large(m) ? 0.0f : m);
        for (size_t i = 0; i < n; i += BLOCK) {
            size_t length = block_length(n, i);
            if (t.shift != 0.0f) subtract_max(x + i, shifted, length, t.shift);
            t.total = d_add(t.total, sum_of_block(t.shift != 0.0f ? shifted : x + i, NULL, length,
                                                  t.N, MASKED));
        }
        if (d_is_finite(t.total)) return t;
    }
    struct specials c = {0, 0, 0};
    for (size_t i = 0; i < n; i++) specials_add(&c, x[i]);
    return (struct row_total){.special = c.nan             ? f_from_bits(NAN_BITS)
                                         : c.plus_infinity ? f_from_bits(INFINITY_BITS)
                                                           : MINUS_INFINITY};
}

/* Sums a row in one pass, with N from its sample; carefully if the sample or the total requires. */
static inline struct row_total sum_row(const float *x, size_t n, sum_block *sum_of_block,
                                       enum masking *masking)
{
    float sample = row_sample(x, n, masking);
    if (is_nearly_large(sample)) return sum_row_carefully(x, n, sum_of_block);
    struct row_total t = {.N = exponent_of(sample)};
    for (size_t i = 0; i < n; i += BLOCK)
        t.total = d_add(t.total, sum_of_block(x + i, NULL, block_length(n, i), t.N, *masking));
    if (plausible(t.total)) return t;
    *masking = MASKED;
    return sum_row_carefully(x, n, sum_of_block);
}

#endif
