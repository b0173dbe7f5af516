// SPDX-License-Identifier: MIT
/* The bits of 1 / (2 pi), for every ISA's turns.h. */
#ifndef TURNS_BITS_H
#define TURNS_BITS_H

#include "vec.h"

/* The bits of 2^-6 / (2 pi) after the binary point. From scripts/coefficients.sollya. */
static const uint32_t turns_bits[8] = {
    0x00a2f983, 0x6e4e4415, 0x29fc2757, 0xd1f534dd, 0xc0db6295, 0x993c4390, 0x41fe5163,
};

struct turns {
    vi high, low;
};

#endif
