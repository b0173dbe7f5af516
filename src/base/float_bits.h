// SPDX-License-Identifier: MIT
/* The bits of a float, the float of given bits, and the order of doubles. */
#ifndef ULPLAB_FLOAT_BITS_H
#define ULPLAB_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The rank of a double in ascending order, as float_rank() of oracle/consecutive.h: the NaN whose
 * bits are all ones has rank 0, then come -inf, the numbers through -0 and +0, +inf, and the
 * positive NaNs. */
static inline uint64_t double_rank(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static inline double double_of_rank(uint64_t rank)
{
    uint64_t bits = rank >> 63 ? rank & ~(1ull << 63) : ~rank;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
