// SPDX-License-Identifier: MIT
/* The fraction of an angle's turns, x / (2 pi) without the whole turns. As in Payne and Hanek's
 * method, only those bits of 1 / (2 pi) are multiplied whose products are neither whole turns nor
 * too small. */
#ifndef TURNS_H
#define TURNS_H

#include "turns_bits.h"
#include "vec.h"

/* Returns the fraction for the angle m 2^(place - 6), m below 2^24, place below 128: `high` and
 * `low` are the 64 bits after the binary point, of which at most the last one is wrong. */
static inline struct turns turns_of(vi m, vi place)
{
    const uint32_t *bits = turns_bits + (place >> 5);
    int shift = place & 31;
    uint64_t first = (uint64_t)bits[0] << 32 | bits[1], last = (uint64_t)bits[2] << 32 | bits[3];
    uint64_t upper = first << shift | (last >> 32) >> (32 - shift), lower = (last << shift) >> 32;
    uint64_t turns = (uint64_t)m * upper + ((uint64_t)m * lower >> 32);
    return (struct turns){.high = (vi)(turns >> 32), .low = (vi)(uint32_t)turns};
}

#endif
