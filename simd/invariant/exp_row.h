/* The sum of a row's exponentials in one pass over the row:
 *
 *   sum of e^x = total 2^(N - BIAS) e^shift / kappa
 *
 * N is the exponent of a sample of the row, not of its maximum, which would take a pass of its own.
 * Results do not depend on N: exponentials and their sums are scaled by a power of two, and what is
 * far below the maximum is nothing beside it. A row whose elements are so far above or below its
 * sample that exponents leave their field, or that its total is not plausible(), is done again with
 * its maximum: sum_row_carefully(). */
#ifndef EXP_ROW_H
#define EXP_ROW_H

#include "exp_sum.h"

/* Below this magnitude the multiples of 8 / ln2 of a maximum are exact in fp32; from it on the
 * maximum is subtracted first, exactly where it matters (Sterbenz). */
#define LARGE 0x1p16f
/* Few rows but masked ones start with elements as far from 0; beside such a sample, elements near 0
 * leave the field. */
#define FAR 0x1p6f
/* A total's bounds. Above 2^90, 2^50 where N is the maximum's, the reciprocal is not a double-float
 * of normal floats. From 2^32 on, 2^-8 where N is the maximum's, what counts as LOWEST is still
 * nothing beside the total. */
#define GREATEST_TOTAL 0x1p90f
#define LEAST_TOTAL 0x1p32f

static inline int is_large(float m) { return (f_bits(m) & MAGNITUDE) >= f_bits(LARGE); }
/* Whether a row's maximum is large must not depend on its sample: from NEARLY_LARGE on, a sample
 * leaves the question to the careful path, which asks the maximum. Below, a plausible total says
 * that the maximum is within 36 of N ln2. */
#define NEARLY_LARGE (LARGE - 64.0f)
static inline int is_nearly_large(float sample)
{
    return (f_bits(sample) & MAGNITUDE) >= f_bits(NEARLY_LARGE);
}
static inline int is_far(float m) { return (f_bits(m) & MAGNITUDE) >= f_bits(FAR); }
/* False for NaN and infinities too. */
static inline int plausible(double total) { return d_bits(total) < d_bits(GREATEST_TOTAL); }

/* ---- Maximum and sample ---------------------------------------------------------------------- */

/* The greatest of a virtual register's lanes. */
static inline float greatest_lane(const vf m[PARTS])
{
    vf a = m[0];
    for (size_t p = 1; p < PARTS; p++) a = i_max(a, m[p]);
    return f_keep(v_hmax(a));
}

/* A row's maximum. Where a NaN is, the maximum of some of the others, or a NaN. */
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

/* The sample of a row shorter than LONG: its first virtual register. */
ALWAYS_INLINE void load_sample(vf m[PARTS], const float *x, size_t n)
{
    for (size_t p = 0; p < PARTS; p++)
        m[p] = n >= LANES ? v_load(x + p * VL)
                          : v_load_part(x + p * VL, lanes_before(p * VL, n), MINUS_INFINITY);
}
struct sample {
    float greatest, least;
};
/* Of four virtual registers of a row, each `apart` elements behind the one before. */
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

/* Whether some row of this job held elements that count as LOWEST, as masks are: the rows after it
 * are clamped from the start, where others are done again. */
enum masking { NOT_SAMPLED = -1, UNMASKED, MASKED };

/* The greatest of a row's sample, and what it says of masking. A job's first long row is sampled
 * all over and at its end, where masks are. Of later ones the beginning is enough, unless it is
 * masked: the rest has not been prefetched, and each row would wait for memory. */
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
        s = sample_registers(x, *masking == NOT_SAMPLED ? all_over : LANES);
        if (is_far(s.greatest)) s = sample_registers(x, all_over);
    }
    *masking =
        *masking == MASKED || s.least < lowest_of(exponent_of(s.greatest)) ? MASKED : UNMASKED;
    return s.greatest;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Prefetches wherever the row lies: hardware prefetch of a single long row falls behind, and where
 * the row is in a cache prefetching costs little. */
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
/* The total of a block, 1 <= n <= BLOCK; numerators to y where they are stored. Functions of their
 * own, so that the constants are in registers and what surrounds them is not. */
typedef double sum_block(const float *x, float *y, size_t n, float N, enum masking masking);
__attribute__((unused)) NOINLINE double sum_terms(const float *x, float *y, size_t n, float N,
                                                  enum masking masking)
{
    float none[1]; /* nothing is stored there */
    (void)y;
    return exp_block(x, none, TERMS, n, N, masking);
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
    float special; /* logsumexp where there is no total: +-inf or NaN; else 0 */
};

/* In two passes, for rows with NaN, infinities, |max| >= LARGE, or elements far above or below the
 * sample. */
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
