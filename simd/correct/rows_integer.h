// SPDX-License-Identifier: MIT
/* Signed integers below 2^1536 in magnitude, by which rows are decided where doubles cannot tell:
 * sums of floats and of their squares, and products of these, are exact, and no flag of a compiler
 * touches them. A float is a whole number of 2^-149; a midpoint of two floats, of 2^-150. */
#ifndef ROWS_INTEGER_H
#define ROWS_INTEGER_H

#include <stdint.h>

#include "invariant/exact_ops.h"

typedef unsigned __int128 two_words;

static inline unsigned bits_of(uint64_t a) { return a ? 64 - (unsigned)__builtin_clzll(a) : 0; }

/* ---- Floats in their order ------------------------------------------------------------------- */

/* m 2^e, negative or not. */
struct binary {
    int negative;
    uint32_t m;
    int e;
};
/* Returns the magnitude of a finite float, of 24 bits. */
static inline struct binary binary_of(float a)
{
    uint32_t bits = f_bits(a), field = (bits & MAGNITUDE) >> 23;
    uint32_t m = (bits & 0x7fffff) | (field ? 0x800000u : 0);
    return (struct binary){(int)(bits >> 31), m, (int)(field ? field : 1) - 150};
}

/* Keys number the floats in their order: 0 is zero, and 0x7f800000 the infinity, which counts as
 * 2^128. */
static inline int32_t key_of(float a)
{
    int32_t magnitude = (int32_t)(f_bits(a) & MAGNITUDE);
    return f_bits(a) >> 31 ? -magnitude : magnitude;
}
static inline float float_of_key(int32_t key)
{
    return f_from_bits(key < 0 ? 0x80000000u | (uint32_t)-key : (uint32_t)key);
}
/* Returns the midpoint between the floats `key` and key + 1, of 25 bits. */
static inline struct binary midpoint_above(int32_t key)
{
    struct binary b = binary_of(f_from_bits((uint32_t)(key < 0 ? -key - 1 : key)));
    return (struct binary){key < 0, 2 * b.m + 1, b.e - 1};
}

/* Returns the sign of what a row's exact result has over a number: -1, 0 or 1. */
typedef int sign_over(void *row, struct binary number);

/* Returns the result, which lies between `low` and `high`, rounded to the nearest float, ties to
 * even. A zero that is exact is +0; one that is rounded has the result's sign. */
static float rounded_between(float low, float high, sign_over *over, void *row)
{
    int32_t first = key_of(low), last = key_of(high);
    while (first < last) {
        int32_t key = (int32_t)(((int64_t)first + last) >> 1);
        int sign = over(row, midpoint_above(key));
        if (!sign)
            first = last = key & 1 ? key + 1 : key;
        else if (sign > 0)
            first = key + 1;
        else
            last = key;
    }
    if (!first && over(row, (struct binary){0, 0, 0}) < 0) return f_from_bits(0x80000000u);
    return float_of_key(first);
}

/* ---- Whole numbers --------------------------------------------------------------------------- */

enum { WHOLE_WORDS = 24 };
struct whole {
    int negative, size; /* size: the words from which on all are 0 */
    uint64_t word[WHOLE_WORDS];
};

static inline void whole_trim(struct whole *a)
{
    while (a->size && !a->word[a->size - 1]) a->size--;
    if (!a->size) a->negative = 0;
}
/* Returns m 2^shift. */
static struct whole whole_shifted(two_words m, unsigned shift)
{
    struct whole a = {0, (int)(shift / 64) + 3, {0}};
    uint64_t part[2] = {(uint64_t)m, (uint64_t)(m >> 64)};
    unsigned at = shift / 64, by = shift % 64;
    for (unsigned i = 0; i < 2; i++) {
        a.word[at + i] |= part[i] << by;
        if (by) a.word[at + i + 1] |= part[i] >> (64 - by);
    }
    whole_trim(&a);
    return a;
}
/* Returns a number in units of 2^-150. */
static inline struct whole whole_of(struct binary b)
{
    struct whole a = whole_shifted(b.m, b.m ? (unsigned)(b.e + 150) : 0);
    a.negative = b.negative && b.m;
    return a;
}

static int whole_compare_magnitudes(const struct whole *a, const struct whole *b)
{
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    for (int i = a->size - 1; i >= 0; i--)
        if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}
static inline int whole_sign(const struct whole *a) { return a->negative ? -1 : a->size != 0; }

/* Adds b to a, or subtracts it. */
static void whole_add(struct whole *a, const struct whole *b, int subtract)
{
    int negative = b->negative ^ subtract;
    if (a->negative == negative) {
        uint64_t carry = 0;
        int size = (a->size > b->size ? a->size : b->size) + 1;
        if (size > WHOLE_WORDS) size = WHOLE_WORDS;
        for (int i = 0; i < size; i++) {
            two_words s =
                (two_words)(i < a->size ? a->word[i] : 0) + (i < b->size ? b->word[i] : 0) + carry;
            a->word[i] = (uint64_t)s;
            carry = (uint64_t)(s >> 64);
        }
        a->size = size;
    } else {
        int less = whole_compare_magnitudes(a, b) < 0;
        const struct whole *greater = less ? b : a, *smaller = less ? a : b;
        struct whole d = {less ? negative : a->negative, greater->size, {0}};
        uint64_t borrow = 0;
        for (int i = 0; i < greater->size; i++) {
            two_words s =
                (two_words)greater->word[i] - (i < smaller->size ? smaller->word[i] : 0) - borrow;
            d.word[i] = (uint64_t)s;
            borrow = (uint64_t)(s >> 64) & 1;
        }
        *a = d;
    }
    whole_trim(a);
}
static struct whole whole_product(const struct whole *a, const struct whole *b)
{
    struct whole p = {a->negative ^ b->negative, 0, {0}};
    for (int i = 0; i < a->size; i++) {
        uint64_t carry = 0;
        for (int k = 0; k < b->size && i + k < WHOLE_WORDS; k++) {
            two_words s = (two_words)a->word[i] * b->word[k] + p.word[i + k] + carry;
            p.word[i + k] = (uint64_t)s;
            carry = (uint64_t)(s >> 64);
        }
        if (i + b->size < WHOLE_WORDS) p.word[i + b->size] = carry;
    }
    p.size = a->size + b->size < WHOLE_WORDS ? a->size + b->size : WHOLE_WORDS;
    whole_trim(&p);
    return p;
}
static inline struct whole whole_product_shifted(const struct whole *a, two_words m, unsigned shift)
{
    struct whole b = whole_shifted(m, shift);
    return whole_product(a, &b);
}

/* Returns the sign of u sqrt(p) - v sqrt(w), where p and w are not negative: of the squares if u
 * and v have one sign. */
static inline int roots_compare(const struct whole *u, const struct whole *p, const struct whole *v,
                                const struct whole *w)
{
    int left = p->size ? whole_sign(u) : 0, right = w->size ? whole_sign(v) : 0;
    if (left != right || !left) return (left > right) - (left < right);
    struct whole a = whole_product(u, u), b = whole_product(v, v);
    a = whole_product(&a, p);
    b = whole_product(&b, w);
    return left * whole_compare_magnitudes(&a, &b);
}

/* The exact sum of a row, in units of 2^-149, and of its squares, in units of 2^-298. */
struct exact_sums {
    struct whole sum, squares;
};
/* Adds up mantissas, and their squares, by exponent: any number of elements below 2^39. */
static inline void exact_sums_of(struct exact_sums *s, const float *x, size_t n)
{
    enum { FIELDS = 255 };
    int64_t sum[FIELDS] = {0};
    two_words squares[FIELDS] = {0};
    for (size_t i = 0; i < n; i++) {
        struct binary b = binary_of(x[i]);
        sum[b.e + 149] += b.negative ? -(int64_t)b.m : (int64_t)b.m;
        squares[b.e + 149] += (uint64_t)b.m * b.m;
    }
    s->sum = s->squares = whole_shifted(0, 0);
    for (unsigned e = 0; e < FIELDS; e++) {
        if (!squares[e]) continue;
        struct whole part = whole_shifted((uint64_t)(sum[e] < 0 ? -sum[e] : sum[e]), e);
        whole_add(&s->sum, &part, sum[e] < 0);
        part = whole_shifted(squares[e], 2 * e);
        whole_add(&s->squares, &part, 0);
    }
}

#endif
