// SPDX-License-Identifier: MIT
/* The bits of a float, and the float of given bits. */
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

#endif
