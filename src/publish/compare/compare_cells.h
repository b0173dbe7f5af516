/* The cells of a side sorted by key, so that the cells of two sides can be paired. */
#ifndef ULPLAB_COMPARE_CELLS_H
#define ULPLAB_COMPARE_CELLS_H

#include "publish/compare/compare_types.h"

struct cell_entry {
    char key[256];
    size_t variant_length; /* of the part of the key that names the variant */
    size_t order;
    const void *row;
    const struct axes *axes;
};

struct cell_index {
    struct cell_entry *entries; /* sorted by key, no key twice */
    size_t count;
};

/* The timed cells of a side (rows: struct timing_result) or its accuracy cells (struct
 * accuracy_result). The caller frees the entries; NULL means that memory ran out. */
struct cell_index cells_index(const struct compare_plan *plan, size_t side, bool timings);
/* Walks two indices together, from *i and *k on, to the next pair with equal keys. */
bool cells_next_pair(const struct cell_index *a, const struct cell_index *b, size_t *i, size_t *k);

#endif
