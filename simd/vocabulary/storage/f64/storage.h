// SPDX-License-Identifier: MIT
/* x and y as doubles, computed in doubles: the ISA's folder here has a vec.h whose vectors are
 * doubles, and words.h says what that makes of a kernel's text. Moments, statistics, gamma and beta
 * are doubles, too. storage/f32/storage.h defines each name. */
#ifndef STORAGE_H
#define STORAGE_H

#include "vec.h"

typedef double element;
#define DTYPE "f64"
#define STORED_ULP(ulp) (ulp)

enum { STORED_FLOATS = 1, ELEMENT_VECTORS = 1 };

static inline vf x_load(const element *p) { return v_load(p); }
static inline vf x_load_part(const element *p, size_t n, double fill)
{
    return v_load_part(p, n, fill);
}
static inline double x_at(const element *p) { return *p; }
static inline void y_store(element *p, vf a) { v_store(p, a); }
static inline void y_store_part(element *p, vf a, size_t n) { v_store_part(p, a, n); }

#endif
