// SPDX-License-Identifier: MIT
/* The storage type of x and y, chosen by include path (-Isimd/vocabulary/storage/f32): compiled
 * with another of these headers, the same kernel file reads and writes another type. Arithmetic is
 * fp32 throughout; moments, statistics, gamma and beta are stored as fp32 whatever x is. Each name
 * is defined here. */
#ifndef STORAGE_H
#define STORAGE_H

#include "vec.h"

typedef float element;
#define DTYPE "f32"

/* Converts a kernel's promise for one element from ulp of fp32 to ulp of the stored type. */
#define STORED_ULP(ulp) (ulp)

enum {
    STORED_FLOATS = 1, /* a row of elements is a row of floats */
    /* Vectors of floats in a vector of elements, as libraries see one (docs/method.md,
     * "RowwiseMoments"). */
    ELEMENT_VECTORS = 1,
};

/* Load and store VL elements as floats, at any alignment of the element. The _part forms touch n <=
 * VL only. */
static inline vf x_load(const element *p) { return v_load(p); }
static inline vf x_load_part(const element *p, size_t n, float fill)
{
    return v_load_part(p, n, fill);
}
static inline float x_at(const element *p) { return *p; }
static inline void y_store(element *p, vf a) { v_store(p, a); }
static inline void y_store_part(element *p, vf a, size_t n) { v_store_part(p, a, n); }

/* Returns a row as floats: x itself, or x widened into `room`, n floats. */
static inline const float *x_floats(const element *x, size_t n, float *room)
{
    (void)n, (void)room;
    return x;
}
/* Returns where a row of results is assembled as floats: y itself, or `room`, from which y_put()
 * stores it. */
static inline float *y_floats(element *y, float *room)
{
    (void)room;
    return y;
}
static inline void y_put(element *y, const float *row, size_t n) { (void)y, (void)row, (void)n; }

#endif
