// SPDX-License-Identifier: MIT
/* x and y as IEEE half precision; storage/f32/storage.h defines each name. Conversions are F16C's,
 * rounding to nearest, ties to even; for an ISA without them half.h gives the same bits. */
#ifndef STORAGE_H
#define STORAGE_H

#include "half.h"

typedef uint16_t element;
#define DTYPE "f16"

/* Converts an error to ulp of f16, which has 13 bits fewer: the error before rounding, and half an
 * ulp for rounding. */
#define STORED_ULP(ulp) (0.5 + (ulp)*0x1p-13)

enum { STORED_FLOATS = 0, ELEMENT_VECTORS = 2 };

static inline vf x_load(const element *p) { return f16_widen(h_load(p)); }
static inline vf x_load_part(const element *p, size_t n, float fill)
{
    return v_first(f16_widen(h_load_part(p, n)), n, fill);
}
static inline float x_at(const element *p) { return f16_at(*p); }
static inline void y_store(element *p, vf a) { h_store(p, f16_narrow(a)); }
static inline void y_store_part(element *p, vf a, size_t n) { h_store_part(p, f16_narrow(a), n); }

#include "storage/widened.h"

#endif
