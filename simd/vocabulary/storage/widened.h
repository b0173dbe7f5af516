// SPDX-License-Identifier: MIT
/* Rows of a 16-bit type, assembled as floats; storage/f32/storage.h defines each name. The
 * including file has defined element and its loads and stores. */
#ifndef WIDENED_H
#define WIDENED_H

static inline const float *x_floats(const element *x, size_t n, float *room)
{
    size_t i = 0;
    for (; i + VL <= n; i += VL) v_store(room + i, x_load(x + i));
    v_store_part(room + i, x_load_part(x + i, n - i, 0.0f), n - i);
    return room;
}
static inline float *y_floats(element *y, float *room)
{
    (void)y;
    return room;
}
static inline void y_put(element *y, const float *row, size_t n)
{
    size_t i = 0;
    for (; i + VL <= n; i += VL) y_store(y + i, v_load(row + i));
    y_store_part(y + i, v_load_part(row + i, n - i, 0.0f), n - i);
}

#endif
