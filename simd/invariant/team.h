// SPDX-License-Identifier: MIT
/* One row by several threads (a team), with the bits that one thread computes. The row length alone
 * cuts a row into blocks, each thread sums its share of the blocks, and every thread that needs the
 * total adds the blocks' sums in the row's order. If a block holds anything that the usual path
 * does not expect, part 0 calls run() for the whole row, alone. */
#ifndef TEAM_H
#define TEAM_H

#include "invariant.h"

/* Elements [first, end) of a row: whole blocks, except at the row's end. */
struct share {
    size_t first, end;
};
static inline size_t block_count(size_t n) { return n / BLOCK + (n % BLOCK != 0); }
static inline struct share share_of(size_t n, size_t part, size_t parts)
{
    size_t blocks = block_count(n), first = blocks * part / parts * BLOCK;
    size_t end = blocks * (part + 1) / parts * BLOCK;
    return (struct share){first, end < n ? end : n};
}
/* Returns where the blocks' sums are kept, block_bytes for each: at the far end of the scratch (2 n
 * + 256 floats), because run() may use its beginning while other threads still read. */
static inline void *team_scratch(const struct job *j, size_t block_bytes)
{
    return (char *)(j->scratch + 2 * j->n + 256) - block_bytes * block_count(j->n);
}

#endif
