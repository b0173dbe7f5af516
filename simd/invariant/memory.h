// SPDX-License-Identifier: MIT
/* Streaming stores, prefetch, and the placement of buffers. */
#ifndef MEMORY_H
#define MEMORY_H

#include "lanes.h"

/* Returns the number of floats before y's first 64-byte boundary; n if there is none. */
static inline size_t floats_before_line(const void *y, size_t n)
{
    size_t count = ((64 - ((uintptr_t)y & 63)) & 63) / sizeof(float);
    return count > n || (uintptr_t)y % sizeof(float) ? n : count;
}
/* Prefetches the lines that a row shares with its neighbours. They are written in part, so that
 * they have to be read first; without prefetch the stores would wait for memory. */
static inline void prefetch_partial_lines(const void *y, size_t n)
{
    const char *first = y, *end = first + n * sizeof(float);
    if ((uintptr_t)first & 63) __builtin_prefetch(first);
    if ((uintptr_t)end & 63) __builtin_prefetch(end);
}
/* Stores n < LINE floats before a boundary in pieces of 1, 2, 4 and 8: a masked store across two
 * lines is slow. */
static inline void store_head(float *y, const float *a, size_t n)
{
    for (size_t piece = 1; piece < LINE; piece *= 2)
        if (n & piece) {
            __builtin_memcpy(y, a, piece * sizeof *y);
            y += piece;
            a += piece;
        }
}

/* With streaming stores, the results of one row are stored while the next row is read, and both
 * rows' intermediate values share one buffer: two buffers would fill L1, and streaming stores would
 * wait for what L1 has to fetch. The buffer lies half a page from x, because a load whose address
 * equals that of an unfinished store in its last 12 bits waits for that store (4K aliasing).
 * Batches of short rows have an AREA of floats, half of a usual L1. */
enum { AREA = 4096, HALF_PAGE = 2048, PAGE = 4096, PAGE_FLOATS = PAGE / sizeof(float) };
static inline float *half_page_from(float *buffer, const float *x)
{
    return buffer +
           ((uintptr_t)x + HALF_PAGE - (uintptr_t)buffer) % PAGE / (LINE * sizeof *x) * LINE;
}
/* Returns the job's scratch for n floats, half a page from x; a scratch of less than a page has no
 * room for that shift. */
static inline float *scratch_half_page_from_x(const struct job *j)
{
    return j->n >= PAGE_FLOATS ? half_page_from(j->scratch, (const float *)j->x) : j->scratch;
}

/* Returns the address `bytes` behind p, for a prefetch. It may lie outside the array, where C does
 * not define pointer arithmetic: it is computed as an integer. */
ALWAYS_INLINE const void *beyond(const void *p, size_t bytes)
{
    return (const void *)((uintptr_t)p + bytes);
}
/* Prefetches 12 KiB ahead into L2 and 3 KiB ahead into L1: hardware prefetch stops at the end of a
 * page, rows do not. Both distances together are faster than either alone. */
enum { AHEAD = 3072 }; /* floats */
ALWAYS_INLINE void prefetch_ahead(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i += LINE) {
        __builtin_prefetch(beyond(x + i, AHEAD * sizeof *x), 0, 2);
        __builtin_prefetch(beyond(x + i, AHEAD / 4 * sizeof *x));
    }
}

/* Streams a vector to y. Only for jobs of which streams_stores() holds: their elements are
 * floats. */
static inline void y_stream(element *y, vf a) { i_stream((float *)(void *)y, a); }

#endif
