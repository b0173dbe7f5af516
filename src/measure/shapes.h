// SPDX-License-Identifier: MIT
/* The shapes that are timed: by the cache that they fill, by name, or given as ROWSxN. */
#ifndef ULPLAB_SHAPES_H
#define ULPLAB_SHAPES_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/cell.h"

struct shape {
    size_t rows, n; /* rows 0: there is no such shape here */
};

/* The shape that lives in a level of the memory; a row of its length where there is no kernel. */
struct shape shape_in(enum level level, const struct kernel *k, const struct bench_setup *s);

/* A named shape. A name ("default", "small", "cache", "memory", "huge", "models") denotes several
 * of these, in a fixed order. */
struct named_shape;
/* The next one of that name after `previous` (NULL: the first), or NULL. */
const struct named_shape *shape_named(const char *name, const struct named_shape *previous);
/* Returns the shape for one variant here: rows 0 if the operation is not timed at it, or if half of
 * the memory does not hold it. */
struct shape shape_resolve(const struct named_shape *named, const struct variant *v,
                           const struct bench_setup *s, unsigned threads);

/* Returns the shape of "64x4096"; rows 0 for any other text. */
struct shape shape_given(const char *text);
/* Returns whether input and output fit in half of the memory. */
bool shape_fits(struct shape shape, const struct bench_setup *s);

/* Returns the name (default, huge, models) of the shape of a cell on one thread, whoever asked for
 * the cell; or NULL. */
const char *cell_shapes(const struct cell *c);

/* EXIT_USAGE for a text that is neither a name nor ROWSxN, and for rows that half of the memory
 * does not hold. */
int bench_check_shapes(const char *const *shapes, size_t count, struct error *e);

#endif
