// SPDX-License-Identifier: MIT
/* The rank of a double in ascending order, as float_rank() of oracle/consecutive.h: the NaN whose
 * bits are all ones has rank 0, then come -inf, the numbers through -0 and +0, +inf, and the
 * positive NaNs. */
#ifndef ULPLAB_DOUBLE_BITS_H
#define ULPLAB_DOUBLE_BITS_H

#include <stdint.h>
#include <string.h>

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
