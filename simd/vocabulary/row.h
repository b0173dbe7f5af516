// SPDX-License-Identifier: MIT
/* Loops over one row that apply a function of one vector: K independent chains, a vectorised tail,
 * and no access outside the row. Callers pass the functions as constants, so that they are
 * inlined. */
#ifndef ROW_H
#define ROW_H

#include <math.h>

#include "kernel.h"
#include "storage.h"
#include "vec.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum {
    K = 4,      /* chains */
    BLOCK = 64, /* additions in a chain before its sum goes up a level */
};

/* The arguments of a function of a row beside the element; each function uses some of them. */
struct row_context {
    vf scale; /* job.scale */
    vf max;   /* the shift */
    vf norm;  /* 1 / sum, or log(sum) for log_softmax */
};
typedef vf row_function(vf x, const struct row_context *c);

/* Calls f(job, x, y) for every row. */
ALWAYS_INLINE void each_row(const struct job *j,
                            void (*f)(const struct job *j, const element *x, element *y))
{
    for (size_t r = 0; r < j->rows; r++)
        f(j, (const element *)j->x + r * j->x_stride, (element *)j->y + r * j->y_stride);
}

static inline vf x_load_upto(const element *p, size_t left, float fill)
{
    return left >= VL ? x_load(p) : x_load_part(p, left, fill);
}
static inline vf v_load_upto(const float *p, size_t left, float fill)
{
    return left >= VL ? v_load(p) : v_load_part(p, left, fill);
}
static inline vf tree4(const vf s[4]) { return v_add(v_add(s[0], s[1]), v_add(s[2], s[3])); }

/* The row to read: its elements, or floats that a kernel has stored in between. */
struct source {
    const element *elements;
    const float *floats; /* NULL: the elements */
};
static inline vf source_load(struct source s, size_t i)
{
    return s.floats ? v_load(s.floats + i) : x_load(s.elements + i);
}
static inline vf source_part(struct source s, size_t i, size_t n)
{
    return s.floats ? v_load_part(s.floats + i, n, 0.0f) : x_load_part(s.elements + i, n, 0.0f);
}

/* y[i] = f(x[i]); x and y may be the same row. */
ALWAYS_INLINE void row_map_from(struct source x, element *y, size_t n, row_function *f,
                                const struct row_context *c)
{
    size_t i = 0;
    for (; i + K * VL <= n; i += K * VL) {
        vf v[K];
        for (size_t k = 0; k < K; k++) v[k] = f(source_load(x, i + k * VL), c);
        for (size_t k = 0; k < K; k++) y_store(y + i + k * VL, v[k]);
    }
    for (; i + VL <= n; i += VL) y_store(y + i, f(source_load(x, i), c));
    if (i < n) y_store_part(y + i, f(source_part(x, i, n - i), c), n - i);
}
ALWAYS_INLINE void row_map(const element *x, element *y, size_t n, row_function *f,
                           const struct row_context *c)
{
    row_map_from((struct source){x, NULL}, y, n, f, c);
}

/* Returns max f(x[i]); -inf for an empty row. A NaN may be lost here; it shows in the sum that
 * follows. */
ALWAYS_INLINE float row_max(const element *x, size_t n, row_function *f,
                            const struct row_context *c)
{
    vf m[K];
    for (size_t k = 0; k < K; k++) m[k] = v_set1(-INFINITY);
    size_t i = 0;
    for (; i + K * VL <= n; i += K * VL)
        for (size_t k = 0; k < K; k++) m[k] = v_max(m[k], f(x_load(x + i + k * VL), c));
    for (; i + VL <= n; i += VL) m[0] = v_max(m[0], f(x_load(x + i), c));
    if (i < n) m[1] = v_max(m[1], v_first(f(x_load_part(x + i, n - i, 0.0f), c), n - i, -INFINITY));
    return v_hmax(v_max(v_max(m[0], m[1]), v_max(m[2], m[3])));
}

/* Returns the end of a chain that begins at i: after BLOCK steps, or after the last whole step. */
static inline size_t row_block_end(size_t i, size_t n, size_t step)
{
    size_t whole = (n - i) / step;
    return i + (whole < BLOCK ? whole : BLOCK) * step;
}

/* Returns sum f(x[i]), and unless y is NULL stores y[i] = f(x[i]) as floats. Chains are cut every
 * BLOCK additions: the tree's height is BLOCK + n / (K VL BLOCK) + log2 (K VL), and never more than
 * that of K plain chains. */
ALWAYS_INLINE float row_sum(const element *x, float *y, size_t n, row_function *f,
                            const struct row_context *c)
{
    vf total = v_set1(0.0f);
    size_t i = 0;
    while (n - i >= K * VL) {
        vf s[K];
        for (size_t k = 0; k < K; k++) s[k] = v_set1(0.0f);
        for (size_t end = row_block_end(i, n, K * VL); i < end; i += K * VL)
            for (size_t k = 0; k < K; k++) {
                vf v = f(x_load(x + i + k * VL), c);
                if (y) v_store(y + i + k * VL, v);
                s[k] = v_add(s[k], v);
            }
        total = v_add(total, tree4(s));
    }
    vf rest[K];
    for (size_t k = 0; k < K; k++) rest[k] = v_set1(0.0f);
    for (size_t k = 0; i < n; k++, i += VL) {
        size_t left = n - i < VL ? n - i : VL;
        vf v = f(x_load_upto(x + i, left, 0.0f), c);
        if (y) v_store_part(y + i, v, left);
        rest[k] = v_first(v, left, 0.0f);
    }
    return v_sum(v_add(total, tree4(rest)));
}

/* Returns whether the row holds a NaN. */
static inline bool row_has_nan(const element *x, size_t n)
{
    int found = 0;
    for (size_t i = 0; i < n; i += VL) {
        vf v = x_load_upto(x + i, n - i, 0.0f);
        found |= m_any(v_unord(v, v));
    }
    return found;
}

/* Applies a vector function to one value. */
ALWAYS_INLINE float v_scalar(vf (*f)(vf), float a)
{
    float y;
    v_store_part(&y, f(v_set1(a)), 1);
    return y;
}

#endif
