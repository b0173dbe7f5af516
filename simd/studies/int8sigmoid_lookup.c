// SPDX-License-Identifier: MIT
/* y = table[x], x, y: int8_t [rows, n]; job.operand: struct int8_map, of which only the table is
 * used. It does no arithmetic: every ISA gives the same bits, by its own shuffles (lookup.h). For
 * the case study src/cases/int8_table_domain.c. 0 flops, 2 bytes per element. */
// build: isas=scalar,avx2,avx512,avx512vbmi policies=off
#include <string.h>

#include "int8_map.h"
#include "lookup.h"
#include "row.h"

ALWAYS_INLINE void row(const int8_t *x, int8_t *y, size_t n, const struct lookup *t)
{
    size_t i = 0;
    for (; i + LOOKUP_BYTES <= n; i += LOOKUP_BYTES) lookup_bytes(t, x + i, y + i);
    if (i < n) {
        int8_t in[LOOKUP_BYTES] = {0}, out[LOOKUP_BYTES];
        memcpy(in, x + i, n - i);
        lookup_bytes(t, in, out);
        memcpy(y + i, out, n - i);
    }
}

static void run(const struct job *j)
{
    const struct lookup t = lookup_open(((const struct int8_map *)j->operand)->table);
    for (size_t r = 0; r < j->rows; r++)
        row((const int8_t *)j->x + r * j->x_stride, (int8_t *)j->y + r * j->y_stride, j->n, &t);
}

const struct kernel KERNEL = {
    .op = "int8sigmoid",
    .algorithm = "lookup",
    .dtype = "i8",
    .arithmetic = ARITHMETIC_POLICY,
    .flops = 0,
    .bytes = 2,
    .lanes = LOOKUP_BYTES,
    .study = true,
    .run = run,
};
