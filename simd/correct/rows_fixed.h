// SPDX-License-Identifier: MIT
/* Fixed-point numbers of as many bits as it takes, for exponentials that neither doubles nor
 * double-doubles can tell: `limbs` words of 64 bits behind the point, and one in front. */
#ifndef ROWS_FIXED_H
#define ROWS_FIXED_H

#include "rows_integer.h"

/* Adds m 2^e, or subtracts it, modulo 2^64. e >= -64 limbs, and the number is below 2^64. */
static void fixed_add(uint64_t *a, struct binary b, size_t limbs)
{
    unsigned at = (unsigned)(b.e + 64 * (int)limbs), by = at % 64;
    two_words m = (two_words)b.m << by;
    uint64_t part[2] = {(uint64_t)m, (uint64_t)(m >> 64)}, carry = 0;
    for (size_t i = at / 64, k = 0; i <= limbs; i++, k++) {
        uint64_t word = (k < 2 ? part[k] : 0);
        two_words s = b.negative ? (two_words)a[i] - word - carry : (two_words)a[i] + word + carry;
        a[i] = (uint64_t)s;
        carry = (uint64_t)(s >> 64) & 1;
    }
}
static void fixed_plus(uint64_t *a, const uint64_t *b, size_t limbs)
{
    uint64_t carry = 0;
    for (size_t i = 0; i <= limbs; i++) {
        two_words s = (two_words)a[i] + b[i] + carry;
        a[i] = (uint64_t)s;
        carry = (uint64_t)(s >> 64);
    }
}
/* a = b - a, modulo 2^64. */
static void fixed_from(uint64_t *a, const uint64_t *b, size_t limbs)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i <= limbs; i++) {
        two_words s = (two_words)b[i] - a[i] - borrow;
        a[i] = (uint64_t)s;
        borrow = (uint64_t)(s >> 64) & 1;
    }
}
static void fixed_shift_right(uint64_t *a, size_t by, size_t limbs)
{
    size_t words = by / 64, bits = by % 64;
    for (size_t i = 0; i <= limbs; i++) {
        uint64_t low = i + words <= limbs ? a[i + words] : 0;
        uint64_t high = i + words + 1 <= limbs ? a[i + words + 1] : 0;
        a[i] = bits ? low >> bits | high << (64 - bits) : low;
    }
}
/* a = a b, cut off: at most one unit of the last place too small. `product` has 2 limbs + 2 words.
 */
static void fixed_multiply(uint64_t *a, const uint64_t *b, uint64_t *product, size_t limbs)
{
    for (size_t i = 0; i < 2 * limbs + 2; i++) product[i] = 0;
    for (size_t i = 0; i <= limbs; i++) {
        uint64_t carry = 0;
        for (size_t k = 0; k <= limbs; k++) {
            two_words s = (two_words)a[i] * b[k] + product[i + k] + carry;
            product[i + k] = (uint64_t)s;
            carry = (uint64_t)(s >> 64);
        }
        product[i + limbs + 1] = carry;
    }
    for (size_t i = 0; i <= limbs; i++) a[i] = product[limbs + i];
}
static void fixed_divide(uint64_t *a, uint64_t by, size_t limbs)
{
    uint64_t rest = 0;
    for (size_t i = limbs + 1; i-- > 0;) {
        two_words s = (two_words)rest << 64 | a[i];
        a[i] = (uint64_t)(s / by);
        rest = (uint64_t)(s % by);
    }
}
/* e^-d for d < LIMIT(limbs) = 45 limbs, beyond which it is less than 2^(-64 limbs): d is halved
 * `squarings` times, to below 2^-head, where a polynomial is short; its value is squared as often.
 *
 * Each of the polynomial's steps 1 - t s / i is cut off twice, and what is wrong with s counts
 * t / i of itself; with the halving of d, and the terms that are left out, the polynomial is less
 * than 6 units of the last place off. A square of a number up to 1 doubles that and is cut off
 * once: at most 2^(squarings + 3) units in all. */
struct exponential_plan {
    unsigned head, squarings, terms;
};
static struct exponential_plan plan_of(size_t limbs)
{
    struct exponential_plan p = {8, 0, 0};
    while ((size_t)p.head * p.head < 64 * limbs) p.head++;
    p.squarings = p.head + bits_of(45 * limbs);
    for (size_t bits = 0; bits < 64 * limbs + 8; bits += p.head + bits_of(p.terms) - 1) p.terms++;
    return p;
}
/* s = e^-d; d is lost. `product` has 2 limbs + 2 words. */
static void fixed_exponential(uint64_t *s, uint64_t *d, uint64_t *product, size_t limbs)
{
    struct exponential_plan p = plan_of(limbs);
    fixed_shift_right(d, p.squarings, limbs);
    for (size_t i = 0; i < limbs; i++) s[i] = 0;
    s[limbs] = 1;
    for (unsigned i = p.terms; i > 0; i--) {
        fixed_multiply(s, d, product, limbs);
        fixed_divide(s, i, limbs);
        for (size_t k = 0; k < limbs; k++) product[k] = 0;
        product[limbs] = 1;
        fixed_from(s, product, limbs);
    }
    for (unsigned i = 0; i < p.squarings; i++) fixed_multiply(s, s, product, limbs);
}
/* Returns the sign of a, modulo 2^64; 0 if its magnitude is below 2^bits units. a is lost. */
static int fixed_sign(uint64_t *a, unsigned bits, size_t limbs)
{
    int negative = a[limbs] >> 63;
    if (negative) {
        uint64_t carry = 1;
        for (size_t i = 0; i <= limbs; i++) {
            a[i] = ~a[i] + carry;
            carry = carry && !a[i];
        }
    }
    fixed_shift_right(a, bits, limbs);
    for (size_t i = 0; i <= limbs; i++)
        if (a[i]) return negative ? -1 : 1;
    return 0;
}

#endif
