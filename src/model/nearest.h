// SPDX-License-Identifier: MIT
/* Suggestions for a mistyped id. */
#ifndef ULPLAB_NEAREST_H
#define ULPLAB_NEAREST_H

#include <stddef.h>

#include "model/registry.h"

/* Returns the edit distance (Levenshtein) of two strings of fewer than ID_MAX characters; longer
 * ones count by their beginning. */
size_t nearest_distance(const char *a, const char *b);

/* Finds the variants whose ids are spelt most like `id`, nearest first; if `id` has fewer parts
 * between slashes, their first parts are compared. Returns their number, at most `count`. */
size_t nearest_variants(const struct registry *r, const char *id, const struct variant **found,
                        size_t count);

#endif
