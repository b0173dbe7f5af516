/* The cells of a side by key, so that those of two sides find one another. */
#ifndef ULPLAB_COMPARE_CELLS_H
#define ULPLAB_COMPARE_CELLS_H

#include "publish/compare/compare_types.h"

struct cell_entry {
    char key[256];
    size_t variant_length; /* of the key: what names the variant */
    size_t order;
    const void *row;
};

struct cell_index {
    struct cell_entry *entries; /* by key, each once */
    size_t count;
};

/* A side's timed cells, or those of accuracy: rows are struct timing_result or accuracy_result. The
 * caller frees the entries, which are NULL where memory ran out. */
struct cell_index cells_index(const struct compare_plan *plan, size_t side, bool timings);
/* Walks two indices together, from *i and *k on, to the next pair with equal keys. */
bool cells_next_pair(const struct cell_index *a, const struct cell_index *b, size_t *i, size_t *k);

#endif
