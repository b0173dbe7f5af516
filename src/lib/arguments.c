// SPDX-License-Identifier: MIT
#include "lib/arguments.h"

#include <stdint.h>

#include "ulp.h"

static bool lib_is_empty(const struct matrix *m)
{
    return m->rows == 0 || m->columns == 0;
}

int ulp_check_matrix(const struct matrix *m)
{
    size_t elements, bytes;
    if (lib_is_empty(m)) return ULP_OK;
    if (!m->data) return ULP_NULL;
    if ((uintptr_t)m->data & (m->element_bytes - 1)) return ULP_ALIGNMENT;
    if (m->rows > 1 && m->stride < m->columns) return ULP_STRIDE;
    if (__builtin_mul_overflow(m->rows - 1, m->stride, &elements) ||
        __builtin_add_overflow(elements, m->columns, &elements) ||
        __builtin_mul_overflow(elements, m->element_bytes, &bytes) || bytes > PTRDIFF_MAX)
        return ULP_SIZE;
    return ULP_OK;
}

/* Returns the bytes from a matrix's first element to the end of its last; it has passed
 * ulp_check_matrix(). */
static size_t extent(const struct matrix *m)
{
    return ((m->rows - 1) * m->stride + m->columns) * m->element_bytes;
}

/* Returns whether the rows of two matrices alternate: with one stride, each row of either lies
 * between two of the other. */
static bool rows_alternate(const struct matrix *low, const struct matrix *high)
{
    size_t low_stride = low->stride * low->element_bytes;
    if (low->rows == 1 || low_stride != high->stride * high->element_bytes) return false;
    size_t behind = ((uintptr_t)high->data - (uintptr_t)low->data) % low_stride;
    return behind >= low->columns * low->element_bytes &&
           behind + high->columns * high->element_bytes <= low_stride;
}

int ulp_check_overlap(const struct matrix *x, const struct matrix *y, bool *in_place)
{
    if (in_place) *in_place = false;
    if (lib_is_empty(x) || lib_is_empty(y)) return ULP_OK;
    const struct matrix *low = (uintptr_t)x->data <= (uintptr_t)y->data ? x : y;
    const struct matrix *high = low == x ? y : x;
    if ((uintptr_t)high->data - (uintptr_t)low->data >= extent(low)) return ULP_OK;
    if (in_place && x->data == y->data && (x->rows == 1 || x->stride == y->stride)) {
        *in_place = true;
        return ULP_OK;
    }
    return rows_alternate(low, high) ? ULP_OK : ULP_OVERLAP;
}
