// SPDX-License-Identifier: MIT
/* softmax, log_softmax and logsumexp, correctly rounded: docs/correct.md.
 *
 * S = sum of e^(x_j - max), in double: each term is off by EXP_U u, and by u |x_j - max| where that
 * difference is rounded, which over the whole sum is at most log(n) u, the largest entropy. */
#ifndef ROWS_SOFTMAX_H
#define ROWS_SOFTMAX_H

#include <stdlib.h>

#include "rows_exp.h"
#include "rows_fixed.h"

enum exp_result { QUOTIENT, DIFFERENCE, LOGARITHM }; /* softmax, log_softmax, logsumexp */

/* The first stage of fixed point, in words behind the point, and the last one whose numbers are on
 * the stack; docs/correct.md says which rows it is enough for. */
#ifndef FIXED_LIMBS
enum { FIXED_LIMBS = 5, FIXED_LIMBS_ON_STACK = 320 };
#endif

struct exp_row {
    enum exp_result result;
    const float *x;
    size_t n;
    float max, at;           /* at: the element whose result is wanted; logsumexp has none */
    double sum, log;         /* S, and its logarithm */
    double sum_u, log_u;     /* their errors, in u of them */
    int has_pair, has_fixed; /* S has been formed in double-double, and by FIXED_LIMBS */
    double pair_sum[2];
    uint64_t fixed_sum[FIXED_LIMBS + 1];
};

/* ---- In double ------------------------------------------------------------------------------- */

/* Returns the greatest element; *nan: whether there is a NaN, which is found as an integer. */
static float row_max(const float *x, size_t n, int *nan)
{
    vf lowest = v_set1(f_infinity(1)), m[4] = {lowest, lowest, lowest, lowest};
    vi seen = vi_set1(0), beyond = vi_set1(0x7fffff); /* NaNs, which it brings to 2^31 and more */
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL)
        for (size_t k = 0; k < 4; k++) {
            vf a = v_load(x + i + k * VL);
            seen = vi_or(seen, vi_add(vi_and(v_bits(a), vi_set1(MAGNITUDE)), beyond));
            m[k] = v_max(m[k], a);
        }
    for (; i < n; i += VL) {
        vf a = n - i >= VL ? v_load(x + i) : v_load_part(x + i, n - i, f_infinity(1));
        seen = vi_or(seen, vi_add(vi_and(v_bits(a), vi_set1(MAGNITUDE)), beyond));
        m[0] = v_max(m[0], a);
    }
    *nan = m_any(vi_lt(seen, vi_set1(0)));
    return v_hmax(v_max(v_max(m[0], m[1]), v_max(m[2], m[3])));
}

/* Returns e^d, or with `others` 0 for a d of 0. The one result of logsumexp has the shorter
 * polynomial: few rows are so near to a midpoint. */
ALWAYS_INLINE dr power_of(enum exp_result result, dr d, int others)
{
    dr a = dr_max(d, dr_set1(-708.0));
    dr power = result == LOGARITHM ? dr_exp(a, exp_short_terms, EXP_SHORT_TERMS)
                                   : dr_exp(a, exp_terms, EXP_TERMS);
    return others ? dr_unless_zero(d, power) : power;
}
/* Returns the sum of e^(x_j - max), or with `others` of those below 1, and unless e is NULL stores
 * each. Differences below -708 count as that. The one result of logsumexp, which few rows cannot
 * tell by less, has the shorter polynomial. */
ALWAYS_INLINE double sum_exponentials(enum exp_result result, const float *x, size_t n, float max,
                                      double *e, int others)
{
    dr top = dr_set1(d_of(max)), zero = dr_set1(0.0);
    struct total t = {zero, zero, 0};
    size_t i = 0, whole = n - n % DOUBLES;
    while (i < whole) {
        size_t end = whole - i > BLOCK * DOUBLES ? i + BLOCK * DOUBLES : whole;
        dr chain = zero;
        for (; i < end; i += DOUBLES) {
            dr power = power_of(result, dr_sub(dr_of_floats(x + i), top), others);
            if (e) dr_store(e + i, power);
            chain = dr_add(chain, power);
        }
        total_add(&t, chain);
    }
    if (i < n) {
        dr power = power_of(result, dr_sub(dr_of_first(x + i, n - i, f_infinity(1)), top), others);
        if (e) dr_store(e + i, power);
        total_add(&t, power);
    }
    return total_sum(t);
}

/* How a row begins: its greatest element, whether there is a NaN, and but for softmax S. */
struct exp_start {
    float max;
    int nan;
    double sum;
};
ALWAYS_INLINE void set_starts(struct exp_start starts[ROWS_TOGETHER], enum exp_result result,
                              const struct job *j, size_t row)
{
    struct exp_start *s = starts + row % ROWS_TOGETHER;
    size_t count = rows_together(j, row);
    for (size_t k = 0; k < count; k++) s[k].max = row_max(row_in(j, row + k), j->n, &s[k].nan);
    for (size_t k = 0; k < count && result != QUOTIENT; k++)
        if (!s[k].nan && f_is_finite(s[k].max))
            s[k].sum = sum_exponentials(result, row_in(j, row + k), j->n, s[k].max, NULL, 0);
}

/* An upper bound of log(a) for an integer a. */
static inline double log_bound(size_t a) { return d_mul(0.7, d_count(bits_of(a))); }

static int is_only_finite(const float *x, size_t n)
{
    size_t finite = 0;
    for (size_t i = 0; i < n; i++) finite += (size_t)f_is_finite(x[i]);
    return finite == 1;
}
/* Sets the logarithm of S. Where S is near 1, what makes it differ is summed by itself, so that the
 * error is one of the logarithm. */
static void set_log(struct exp_row *r)
{
    double t = d_sub(r->sum, 1.0);
    r->log_u = d_add(r->sum_u, LOG_U);
    if (!d_less(r->sum, 1.5)) {
        r->log_u = d_add(d_mul(r->sum_u, 2.5), LOG_U); /* 1 / log(1.5) */
    } else {
        t = r->result == LOGARITHM ? sum_exponentials(LOGARITHM, r->x, r->n, r->max, NULL, 1)
                                   : sum_exponentials(DIFFERENCE, r->x, r->n, r->max, NULL, 1);
        if (d_less(t, 0x1p-900) && is_only_finite(r->x, r->n)) t = 0.0;
        r->sum = d_add(t, 1.0);
        /* Terms are weighed by t instead of S: the entropy less log t. */
        int exponent = (int)(d_bits(t) >> 52) - 1023;
        if (exponent < 0) r->log_u = d_add(r->log_u, d_mul(0.7, (double)-exponent));
    }
    r->log = log_of_sum(t, r->sum);
}

/* ---- In double-double ------------------------------------------------------------------------ */

static inline struct pair pair_difference(dr a, dr b)
{
    return pair_of_sum(a, dr_sub(dr_set1(0.0), b));
}
/* Sets the sum, where differences below -299 count as that. */
NOINLINE void set_pair_sum(struct exp_row *r)
{
    dr top = dr_set1(d_of(r->max)), zero = dr_set1(0.0);
    struct pair sum = {zero, zero};
    ROWS_COUNT(ROWS_DOUBLE_DOUBLE);
    for (size_t i = 0; i < r->n; i += DOUBLES) {
        dr a = dr_max(dr_of_upto(r->x + i, r->n - i, f_infinity(1)), dr_set1(-0x1p128));
        struct pair d = pair_difference(a, top);
        dr high = dr_max(d.high, dr_set1(-299.0));
        d.low = dr_sub(d.low, dr_unless_zero(dr_sub(high, d.high), d.low));
        d.high = high;
        sum = pair_add(sum, pair_exp(d));
    }
    /* Lanes that the row does not have count as e^-299. */
    double high[DOUBLES], low[DOUBLES];
    dr_store(high, sum.high);
    dr_store(low, sum.low);
    for (size_t k = 1; k < DOUBLES; k++) {
        sum = pair_add((struct pair){dr_set1(high[0]), dr_set1(low[0])},
                       (struct pair){dr_set1(high[k]), dr_set1(low[k])});
        high[0] = dr_first_lane(sum.high);
        low[0] = dr_first_lane(sum.low);
    }
    r->pair_sum[0] = high[0];
    r->pair_sum[1] = low[0];
    r->has_pair = 1;
}

/* Returns the sign of a difference of two numbers of the given size; 0 if it is below 2^-94 and n
 * 2^-102 of that. */
static int pair_sign(struct pair difference, double size, size_t n)
{
    double a = dr_first_lane(difference.high);
    double bound = d_mul(size, d_fma(d_count(n), 0x1p-102, 0x1p-94));
    if (d_less(d_abs(a), bound)) return 0;
    return d_less(a, 0.0) ? -1 : 1;
}
static inline double d_of_binary(struct binary b)
{
    double power = d_from_bits((uint64_t)(b.e + 1023) << 52);
    double a = d_mul(d_count(b.m), power);
    return b.negative ? d_sub(0.0, a) : a;
}

/* Returns the sign of the result less `number`, or 0 if this stage cannot tell. */
NOINLINE int pair_over(struct exp_row *r, struct binary number)
{
    if (!r->has_pair) set_pair_sum(r);
    struct pair sum = pair_set1(r->pair_sum[0], r->pair_sum[1]);
    double value = d_of_binary(number), top = d_of(r->max), at = d_of(r->at);
    dr zero = dr_set1(0.0);
    struct pair a, product;
    if (r->result == QUOTIENT) {
        a = pair_difference(dr_set1(at), dr_set1(top));
        if (d_less(dr_first_lane(a.high), -299.0)) return -1;
        a = pair_exp(a);
        product = pair_multiply(sum, pair_set1(d_sub(0.0, value), 0.0));
        return pair_sign(pair_add(a, product),
                         d_add(dr_first_lane(a.high), d_abs(dr_first_lane(product.high))), r->n);
    }
    /* log S is compared with a, S e^-a with 1. */
    double size = d_add(d_abs(value), d_abs(top));
    if (r->result == DIFFERENCE) {
        a = pair_add(pair_difference(dr_set1(at), dr_set1(top)), pair_set1(d_sub(0.0, value), 0.0));
        size = d_add(size, d_abs(at));
    } else {
        a = pair_difference(dr_set1(value), dr_set1(top));
    }
    double estimate = dr_first_lane(a.high);
    if (d_less(estimate, d_mul(size, 0x1p-90))) return 0;
    a = pair_exp((struct pair){dr_sub(zero, a.high), dr_sub(zero, a.low)});
    product = pair_add(pair_multiply(sum, a), pair_set1(-1.0, 0.0));
    int sign = pair_sign(product, d_fma(size, 0x1p-6, 1.0), r->n);
    return r->result == DIFFERENCE ? -sign : sign;
}

/* ---- In fixed point -------------------------------------------------------------------------- */

/* Numbers of `limbs` words and one: S, an exponential, its argument, and a product of two. */
struct fixed_room {
    size_t limbs;
    uint64_t *sum, *power, *argument, *product;
};
static inline size_t fixed_room_words(size_t limbs) { return 5 * limbs + 8; }
static struct fixed_room fixed_room_in(uint64_t *words, size_t limbs)
{
    size_t width = limbs + 1;
    return (struct fixed_room){limbs, words, words + width, words + 2 * width, words + 3 * width};
}
static void fixed_clear(uint64_t *a, size_t limbs)
{
    for (size_t i = 0; i <= limbs; i++) a[i] = 0;
}

/* power = e^(x - max). Returns whether it is exact: for the maximum. */
static int fixed_power(const struct fixed_room *room, float x, float max)
{
    const struct binary one = {0, 1, 0};
    double d = d_sub(d_of(max), d_of(x));
    fixed_clear(room->power, room->limbs);
    if (!d_less(0.0, d)) {
        fixed_add(room->power, one, room->limbs);
        return 1;
    }
    if (d_less(d_count(45 * room->limbs), d) || !f_is_finite(x)) return 0;
    /* The difference is below 2^64: what is lost of each of both beyond that cancels. */
    struct binary subtrahend = binary_of(x);
    subtrahend.negative ^= 1;
    fixed_clear(room->argument, room->limbs);
    fixed_add(room->argument, binary_of(max), room->limbs);
    fixed_add(room->argument, subtrahend, room->limbs);
    fixed_exponential(room->power, room->argument, room->product, room->limbs);
    return 0;
}
static void set_fixed_sum(struct exp_row *r, const struct fixed_room *room)
{
    ROWS_COUNT(ROWS_FIXED);
    fixed_clear(room->sum, room->limbs);
    for (size_t i = 0; i < r->n; i++) {
        fixed_power(room, r->x[i], r->max);
        fixed_plus(room->sum, room->power, room->limbs);
    }
    if (room->limbs != FIXED_LIMBS) return;
    for (size_t i = 0; i <= FIXED_LIMBS; i++) r->fixed_sum[i] = room->sum[i];
    r->has_fixed = 1;
}

/* Returns a, with which the logarithms compare log S: x - max - number, or number - max, exactly.
 */
static struct whole exact_argument(const struct exp_row *r, struct binary number)
{
    struct whole a = whole_of(number), part = whole_of(binary_of(r->max));
    whole_add(&a, &part, r->result == LOGARITHM);
    if (r->result == LOGARITHM) return a;
    part = whole_of(binary_of(r->at));
    whole_add(&part, &a, 1);
    return part;
}
/* `a` in units of 2^-150, positive and at most 64, in fixed point. */
static void fixed_of_whole(uint64_t *argument, const struct whole *a, size_t limbs)
{
    size_t shift = 64 * limbs - 150;
    fixed_clear(argument, limbs);
    for (int i = 0; i < a->size; i++) {
        size_t at = (size_t)i + shift / 64, by = shift % 64;
        argument[at] |= a->word[i] << by;
        if (by && at < limbs) argument[at + 1] |= a->word[i] >> (64 - by);
    }
}
/* Returns the sign of the result less `number`, or 0 if so many words cannot tell. An exponential
 * is off by at most 2^(squarings + 3) units, S by n times that; so is each product below. */
static int fixed_over(struct exp_row *r, struct binary number, const struct fixed_room *room)
{
    const struct binary minus_one = {1, 1, 0};
    size_t limbs = room->limbs;
    unsigned slack = plan_of(limbs).squarings + 3 + bits_of(2 * r->n + 4);
    if (limbs == FIXED_LIMBS && r->has_fixed)
        for (size_t i = 0; i <= limbs; i++) room->sum[i] = r->fixed_sum[i];
    else
        set_fixed_sum(r, room);
    if (r->result == QUOTIENT) {
        /* S m 2^e, e < 0, beside e^(x - max). */
        uint64_t carry = 0;
        for (size_t i = 0; i <= limbs; i++) {
            two_words s = (two_words)room->sum[i] * number.m + carry;
            room->sum[i] = (uint64_t)s;
            carry = (uint64_t)(s >> 64);
        }
        size_t by = (size_t)-number.e;
        fixed_shift_right(room->sum, by, limbs);
        if (carry) /* the word that the product has in front: by >= 25 */
            for (size_t k = 0; k < 2; k++) {
                size_t bit = 64 * (limbs + 1) - by, at = bit / 64;
                uint64_t part = k ? (bit % 64 ? carry >> (64 - bit % 64) : 0) : carry << bit % 64;
                if (at + k <= limbs) room->sum[at + k] |= part;
            }
        fixed_power(room, r->at, r->max);
        fixed_from(room->sum, room->power, limbs);
        return fixed_sign(room->sum, slack, limbs);
    }
    struct whole a = exact_argument(r, number);
    fixed_of_whole(room->argument, &a, limbs);
    fixed_exponential(room->power, room->argument, room->product, limbs);
    fixed_multiply(room->sum, room->power, room->product, limbs);
    fixed_add(room->sum, minus_one, limbs);
    int sign = fixed_sign(room->sum, slack + 1, limbs);
    return r->result == DIFFERENCE ? -sign : sign;
}
NOINLINE int fixed_over_on_stack(struct exp_row *r, struct binary number, size_t limbs)
{
    uint64_t words[5 * FIXED_LIMBS_ON_STACK + 8];
    struct fixed_room room = fixed_room_in(words, limbs);
    return fixed_over(r, number, &room);
}
NOINLINE int fixed_over_allocated(struct exp_row *r, struct binary number, size_t limbs)
{
    uint64_t *words = malloc(fixed_room_words(limbs) * sizeof *words);
    if (!words) abort(); /* no result would be right */
    struct fixed_room room = fixed_room_in(words, limbs);
    int sign = fixed_over(r, number, &room);
    free(words);
    return sign;
}

static int exp_row_over(void *row, struct binary number)
{
    struct exp_row *r = row;
    if (!number.m && r->result != LOGARITHM) return r->result == QUOTIENT ? 1 : -1;
    if (r->result != QUOTIENT) {
        /* 0 < log S < 64: what is not between needs no sum. There are two finite elements. */
        struct whole a = exact_argument(r, number), limit = whole_shifted(64, 150);
        int below = whole_sign(&a) <= 0, above = whole_compare_magnitudes(&a, &limit) > 0;
        if (below || above) return below == (r->result == LOGARITHM) ? 1 : -1;
    }
    int sign = pair_over(r, number);
    for (size_t limbs = FIXED_LIMBS; !sign; limbs *= 2)
        sign = limbs <= FIXED_LIMBS_ON_STACK ? fixed_over_on_stack(r, number, limbs)
                                             : fixed_over_allocated(r, number, limbs);
    return sign;
}
NOINLINE float exp_row_rounded(struct exp_row *r, double low, double high)
{
    ROWS_COUNT(ROWS_UNDECIDED);
    return rounded_between(f_of(low), f_of(high), exp_row_over, r);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void fill_row(float *y, size_t n, float a)
{
    for (size_t i = 0; i < n; i++) y[i] = a;
}
/* Rounds y (1 - error) and y (1 + error); what differs is done again with the element's own error,
 * before it goes on. */
NOINLINE void exp_row_again(struct exp_row *r, float *y, const double *e, size_t i,
                            unsigned differs)
{
    for (; differs; i++, differs >>= 1) {
        if (!(differs & 1)) continue;
        double d = d_sub(d_of(r->x[i]), d_of(r->max)), value, u;
        if (r->result == QUOTIENT) {
            value = d_div(e[i], r->sum);
            u = d_add(d_add(EXP_U + 4, d_abs(d)), r->sum_u);
        } else {
            value = d_sub(d, r->log);
            u = d_add(4, r->log_u);
        }
        double error = d_mul(d_abs(value), d_mul(u, 1.01 * U));
        double low = d_sub(value, error), high = d_add(value, error);
        r->at = r->x[i];
        if (!d_round(y + i, low, high)) y[i] = exp_row_rounded(r, low, high);
    }
}
ALWAYS_INLINE struct exp_row exp_row_of(enum exp_result result, const float *x, size_t n,
                                        struct exp_start start, double *e)
{
    struct exp_row r = {.result = result, .x = x, .n = n, .max = start.max, .sum = start.sum};
    if (result == QUOTIENT) r.sum = sum_exponentials(result, x, n, r.max, e, 0);
    r.sum_u = d_add((result == LOGARITHM ? EXP_SHORT_U : EXP_U) + SUM_U, log_bound(n));
    if (result != QUOTIENT) set_log(&r);
    return r;
}

/* What the elements of a row are computed with; less and more: 1 - error and 1 + error. */
struct bounds {
    dr factor, top, log, less, more;
};
ALWAYS_INLINE void softmax_step(struct exp_row *r, const struct bounds *b, enum exp_result result,
                                float *y, const double *e, size_t i, size_t count)
{
    dr value = result == QUOTIENT
                   ? dr_mul(dr_load(e + i), b->factor)
                   : dr_sub(dr_sub(dr_of_upto(r->x + i, count, 0.0f), b->top), b->log);
    dr low = dr_mul(value, b->less), high = dr_mul(value, b->more);
    unsigned differs = dr_round_upto(y + i, low, high, count);
    if (__builtin_expect(differs != 0, 0)) exp_row_again(r, y, e, i, differs);
}
/* Computes a row of softmax or log_softmax; e: room for n doubles and a register of them. */
ALWAYS_INLINE void softmax_row(enum exp_result result, const float *x, float *y, size_t n,
                               struct exp_start start, double *e)
{
    float max = start.max;
    if (start.nan || !f_is_finite(max)) {
        fill_row(y, n, f_nan());
        return;
    }
    struct exp_row r = exp_row_of(result, x, n, start, e);
    double inverse = d_div(1.0, r.sum), u;
    if (result == QUOTIENT) /* |x - max| <= 128, beyond which e^(x - max) is 0 for floats */
        u = d_add(EXP_U + 128 + 5, r.sum_u);
    else
        u = d_add(5, r.log_u);
    double error = d_mul(u, 1.01 * U);
    dr less = dr_set1(d_sub(1.0, error)), more = dr_set1(d_add(1.0, error));
    dr top = dr_set1(d_of(max)), log = dr_set1(r.log);
    size_t i = 0;
    struct bounds b = {dr_set1(inverse), top, log, less, more};
    for (; n - i >= DOUBLES; i += DOUBLES) softmax_step(&r, &b, result, y, e, i, DOUBLES);
    if (i < n) softmax_step(&r, &b, result, y, e, i, n - i);
}

static inline float logsumexp_row(const float *x, size_t n, struct exp_start start)
{
    float max = start.max, y;
    if (start.nan) return f_nan();
    if (!f_is_finite(max)) return max;
    struct exp_row r = exp_row_of(LOGARITHM, x, n, start, NULL);
    double top = d_of(max), value = d_add(top, r.log);
    double error = d_mul(1.01 * U, d_fma(d_add(r.log_u, 3), r.log, d_mul(3, d_abs(top))));
    if (r.log == 0.0) error = 0.0; /* one finite element */
    double low = d_sub(value, error), high = d_add(value, error);
    return d_round(&y, low, high) ? y : exp_row_rounded(&r, low, high);
}

#endif
