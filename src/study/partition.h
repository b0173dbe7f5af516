// SPDX-License-Identifier: MIT
/* The variants of an operation on one block of inputs, a family at a length of rows: parted into
 * classes of equal bits, and how far the classes are apart. Class 0 is the first variant's. */
#ifndef ULPLAB_PARTITION_H
#define ULPLAB_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/distance.h"
#include "oracle/inputs.h"

struct partition {
    enum family family;
    size_t n, rows;
    size_t variants;        /* how many */
    size_t *class_of;       /* [variants], NO_CLASS where it did not run */
    size_t *representative; /* [class_count]: a variant of each class */
    uint64_t *bits;         /* [class_count]: the hash of its outputs */
    struct distance *pairs; /* [variants, variants], the upper triangle of the classes' */
    size_t class_count;
};

void partition_open(struct partition *, enum family, size_t n, size_t rows, size_t variants);
void partition_close(struct partition *);

/* Returns the class of those bits; class_count if there is none yet. */
size_t partition_find(const struct partition *, uint64_t bits);
/* Adds a class, represented by that variant. to: its distance to each class before. */
void partition_add_class(struct partition *, size_t variant, uint64_t bits,
                         const struct distance *to);
/* Returns the distance between two classes. */
const struct distance *partition_distance(const struct partition *, size_t a, size_t b);

#endif
