/* One row among several threads, to the bits of one: a row is cut into blocks by n alone, each block
 * is somebody's, and what its sums become is added up in the row's order by everyone who needs it.
 * Whatever a block has that the plain way does not expect, part 0 leaves to run(), alone. */
#ifndef INVARIANT_TEAM_H
#define INVARIANT_TEAM_H

#include "invariant.h"

/* Elements [first, end) of a row: blocks of one part. */
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
/* What blocks come to: at the scratch's far end, since run() may use the other while some part still
 * reads. 2 n + 256 floats hold 32 bytes a block and more. */
static inline void *team_scratch(const struct job *j, size_t block_bytes)
{
    return (char *)(j->scratch + 2 * j->n + 256) - block_bytes * block_count(j->n);
}

#endif
