// SPDX-License-Identifier: MIT
/* Memory between two guard pages: one element too far is a fault and not a silent access. */
#ifndef ULPLAB_TEST_GUARD_H
#define ULPLAB_TEST_GUARD_H

#include <stdbool.h>
#include <stddef.h>

struct guard {
    void *map;
    size_t map_size;
    float *begin, *end; /* page-aligned: an access before begin or from end on faults */
};

/* Reserves room for at least `count` floats. Exits the test program if there is no memory. */
struct guard guard_open(size_t count);
void guard_close(struct guard *g);

/* Return `count` floats that start at the first guard, or end at the second. */
float *guard_place(const struct guard *g, size_t count, bool at_end);

#endif
