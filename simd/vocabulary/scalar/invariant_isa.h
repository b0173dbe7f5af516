// SPDX-License-Identifier: MIT
/* The operations that simd/invariant needs of an ISA; one_lane.h and invariant/registers.h define
 * each name. Here a vector is one lane, and a virtual register, LANES lanes, is 16 vectors. */
#ifndef INVARIANT_ISA_H
#define INVARIANT_ISA_H

#include "vec.h"

typedef double dr; /* a register of doubles */
#define SUFFIX "s"
#include "invariant/registers.h"

static inline dr dr_sqrt(dr a)
{
    dr r;
    __asm__("vsqrtsd %1, %1, %0" : "=x"(r) : "x"(a));
    return r;
}
static inline unsigned dr_at_most(dr a, dr b)
{
    dr r;
    uint64_t bits;
    __asm__("vcmplesd %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
    __builtin_memcpy(&bits, &r, sizeof bits);
    return bits & 1;
}
#include "one_lane.h"

#endif
