// SPDX-License-Identifier: MIT
/* A table of 256 bytes, one load per code. Each name is defined here; the other ISAs hold the table
 * in vectors. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include <stdint.h>

enum { LOOKUP_BYTES = 1 }; /* codes per step */
struct lookup {
    const int8_t *zero; /* the entry for code 0 */
};

/* Opens a table, where table[128 + q] is the entry for code q. The table must stay valid while the
 * lookup is used. */
static inline struct lookup lookup_open(const int8_t table[256])
{
    return (struct lookup){table + 128};
}
/* Stores the entries for x[0 .. LOOKUP_BYTES) to y. */
static inline void lookup_bytes(const struct lookup *t, const int8_t *x, int8_t *y)
{
    *y = t->zero[*x];
}

#endif
