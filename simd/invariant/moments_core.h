// SPDX-License-Identifier: MIT
/* A row's mean and variance in one pass: the sums of a chunk of a row, and moments from sums.
 *
 * With a pivot c near the mean,
 *
 *   sum = sum_i (x_i - c),  squares = sum_i (x_i - c)^2,
 *   mean = c + sum / n,     variance = (squares - sum^2 / n) / n.
 *
 * The last subtraction enlarges the relative error by 1 + (c - mean)^2 / variance. Every row is
 * first summed with c = 0, which costs nothing and is near enough if 4 mean^2 <= variance. Any
 * other row is summed again with c its mean, rounded to a float. x - c is then exact where the
 * offset is much larger than the spread, so that the condition number sqrt(1 + mean^2 / variance)
 * does not enter the error. Sums are in fp32 within a chunk and in double from there on.
 *
 * rmsnorm needs only the squares about 0. Its file defines CENTRED as 0, which removes from
 * layernorm's text all that sums x, chooses a pivot or subtracts a mean. */
#ifndef MOMENTS_CORE_H
#define MOMENTS_CORE_H

#include "invariant.h"

#ifndef CENTRED
#define CENTRED 1
#endif

/* A chunk adds at most 16 values to a lane of a chain. In longer chains errors would add up: the
 * squares of quantised data (an offset of 1e4 leaves multiples of 2^-10, whose squares are 0, 1 or
 * 4 modulo 8 units) always round to the same side. */
enum { MOMENT_CHAINS = 4, STEP = MOMENT_CHAINS * LANES, MOMENT_CHUNK = 1024 };

static inline size_t chunk_length(size_t at, size_t n)
{
    return n - at < MOMENT_CHUNK ? n - at : MOMENT_CHUNK;
}

/* ---- The sums of a chunk --------------------------------------------------------------------- */

/* Loads the virtual register at x; lanes from n on are `fill`. */
ALWAYS_INLINE void load_register(vf v[PARTS], const element *x, size_t n, float fill)
{
    for (size_t p = 0; p < PARTS; p++)
        v[p] = n >= LANES ? x_load(x + p * VL)
                          : x_load_part(x + p * VL, lanes_before(p * VL, n), fill);
}

/* Returns x - pivot; a NULL pivot is 0. keep() makes the load one instruction: folded into both
 * uses of its result it would be two. */
ALWAYS_INLINE vf deviation(vf x, const float *pivot)
{
    return pivot ? i_sub(x, i_set1(*pivot)) : keep(x);
}

/* Loads the deviations of two virtual registers, of which n >= 1 elements exist; the other lanes
 * are 0. */
ALWAYS_INLINE void load_deviations(vf a[PARTS], vf b[PARTS], const element *x, size_t n,
                                   const float *pivot)
{
    float fill = pivot ? *pivot : 0.0f;
    load_register(a, x, n, fill);
    for (size_t p = 0; p < PARTS; p++) b[p] = i_set1(fill);
    if (n > LANES) load_register(b, x + LANES, n - LANES, fill);
    for (size_t p = 0; p < PARTS; p++) a[p] = deviation(a[p], pivot), b[p] = deviation(b[p], pivot);
}

/* The chains of a chunk: four of squares, but two of sums, each of which adds two registers at
 * once. These 12 vectors and the values in work fit into AVX2's 16 registers. */
struct chains {
    vf sum[MOMENT_CHAINS / 2][PARTS], squares[MOMENT_CHAINS][PARTS];
};

/* Adds the deviations a and b to chains k and k + 1, k even. */
typedef void chains_update(struct chains *s, size_t k, size_t p, vf a, vf b);
ALWAYS_INLINE void chains_add(struct chains *s, size_t k, size_t p, vf a, vf b)
{
    if (CENTRED) s->sum[k / 2][p] = i_add(s->sum[k / 2][p], i_add(a, b));
    s->squares[k][p] = i_fma_onto(s->squares[k][p], a, a);
    s->squares[k + 1][p] = i_fma_onto(s->squares[k + 1][p], b, b);
}
ALWAYS_INLINE void chains_set(struct chains *s, size_t k, size_t p, vf a, vf b)
{
    if (CENTRED) s->sum[k / 2][p] = i_add(a, b);
    s->squares[k][p] = i_mul(a, a);
    s->squares[k + 1][p] = i_mul(b, b);
}
ALWAYS_INLINE void chains_update_step(struct chains *s, const element *x, const float *pivot,
                                      chains_update *update)
{
    for (size_t k = 0; k < MOMENT_CHAINS; k += 2)
        for (size_t p = 0; p < PARTS; p++) {
            const element *at = x + k * LANES + p * VL;
            update(s, k, p, deviation(x_load(at), pivot), deviation(x_load(at + LANES), pivot));
        }
}
/* Adds up to two registers, part of a step, to chains k and k + 1. */
INLINE_LANES void chains_add_part(struct chains *s, size_t k, const element *x, size_t n,
                                  const float *pivot)
{
    vf a[PARTS], b[PARTS];
    load_deviations(a, b, x, n, pivot);
    for (size_t p = 0; p < PARTS; p++) chains_add(s, k, p, a[p], b[p]);
}

/* Sums n <= 2 LANES elements. */
INLINE_LANES void sum_two_registers(const element *x, size_t n, const float *pivot, vf sum[PARTS],
                                    vf squares[PARTS])
{
    vf a[PARTS], b[PARTS];
    load_deviations(a, b, x, n, pivot);
    for (size_t p = 0; p < PARTS; p++) {
        sum[p] = CENTRED ? i_add(a[p], b[p]) : v_set1(0.0f);
        squares[p] = i_fma(b[p], b[p], i_mul(a[p], a[p]));
    }
}

/* The chains' first values. A row of few steps gains by starting with the values of its first step;
 * the loop of a long row gains by not having that step before it. */
enum chains_start { FROM_ZEROS, FROM_FIRST_STEP };
/* Other work for software pipelining: sum_chunk() calls it before each whole step of a chunk, with
 * i the step's first element. */
typedef void pipelined_work(void *context, size_t i);

/* Sums n <= MOMENT_CHUNK elements; `work` may be NULL. */
INLINE_LANES void sum_chunk(const element *x, size_t n, const float *pivot, enum chains_start start,
                            pipelined_work *work, void *context, vf sum[PARTS], vf squares[PARTS])
{
    struct chains s;
    size_t i = 0;
    if (start == FROM_FIRST_STEP && n >= STEP) {
        chains_update_step(&s, x, pivot, chains_set);
        i = STEP;
    } else {
        for (size_t k = 0; k < MOMENT_CHAINS; k++)
            for (size_t p = 0; p < PARTS; p++) s.sum[k / 2][p] = s.squares[k][p] = v_set1(0.0f);
    }
    for (; i + STEP <= n; i += STEP) {
        if (work) work(context, i);
        chains_update_step(&s, x + i, pivot, chains_add);
    }
    if (i < n) chains_add_part(&s, 0, x + i, n - i, pivot);
    if (i + 2 * LANES < n) chains_add_part(&s, 2, x + i + 2 * LANES, n - i - 2 * LANES, pivot);
    for (size_t p = 0; p < PARTS; p++) {
        sum[p] = CENTRED ? i_add(s.sum[0][p], s.sum[1][p]) : v_set1(0.0f);
        squares[p] =
            i_add(i_add(s.squares[0][p], s.squares[1][p]), i_add(s.squares[2][p], s.squares[3][p]));
    }
}

/* ---- Moments from sums ----------------------------------------------------------------------- */

/* The moments of a batch of rows, or of one row in every lane. */
struct moments {
    per_row mean, variance; /* without CENTRED: 0, and the mean of x^2 */
    unsigned
        settled; /* one bit per row: its pivot was near enough, and its sums stayed within fp32 */
};
enum { ALL_ROWS = (1 << BATCH_ROWS) - 1 };

static inline double inverse_of(size_t n) { return d_div(1.0, d_count(n)); }

/* A pivot settles a row if nearness (pivot - mean)^2 <= variance. 0 as a pivot has to be near the
 * mean; the pivot of a second pass is as good as a pivot can be. */
static const double nearness_of_zero = 4.0, nearness_of_mean = 0.0;
ALWAYS_INLINE struct moments moments_from_sums(per_row pivot, per_row sum, per_row squares,
                                               double inverse, double nearness)
{
    if (!CENTRED)
        return (struct moments){per_row_set1(0.0), per_row_mul(squares, per_row_set1(inverse)),
                                per_row_at_most(squares, per_row_set1(0x1.fffffffffffffp1023))};
    per_row difference = per_row_mul(sum, per_row_set1(inverse)); /* mean - pivot */
    per_row excess = per_row_mul(sum, difference);                /* n (mean - pivot)^2 */
    per_row centred = per_row_max(per_row_set1(0.0), per_row_sub(squares, excess));
    unsigned near = per_row_at_most(per_row_mul(excess, per_row_set1(nearness)), centred);
    return (struct moments){per_row_add(pivot, difference),
                            per_row_mul(centred, per_row_set1(inverse)),
                            near & per_row_at_most(centred, per_row_set1(0x1.fffffep127))};
}

/* Computes a row whose sums leave fp32 (NaN, infinities, squares from 2^128 on) in double, element
 * by element. */
static __attribute__((noinline)) void moments_in_double(const element *x, size_t n, double *mean,
                                                        double *variance)
{
    struct specials c = {0, 0, 0};
    for (size_t i = 0; i < n; i++) specials_add(&c, x_at(x + i));
    *mean = *variance =
        c.nan || (c.plus_infinity && c.minus_infinity) ? d_from_bits(0x7ff8000000000000u) : 0.0;
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

/* Computes the rows that were not settled by their mean as a pivot either. */
static __attribute__((noinline)) void settle_in_double(struct moments *m, const element *const x[],
                                                       size_t count, size_t n)
{
    double mean[BATCH_ROWS], variance[BATCH_ROWS];
    per_row_store_doubles(mean, m->mean);
    per_row_store_doubles(variance, m->variance);
    for (size_t k = 0; k < count; k++)
        if (!(m->settled >> k & 1)) moments_in_double(x[k], n, &mean[k], &variance[k]);
    m->mean = per_row_load_doubles(mean);
    m->variance = per_row_load_doubles(variance);
}

/* Returns r, or the canonical NaN: which of its operands' NaNs an operation returns depends on
 * their order. */
static inline float f_canonical(float r) { return f_is_nan(r) ? f_from_bits(NAN_BITS) : r; }

#endif
