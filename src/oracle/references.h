// SPDX-License-Identifier: MIT
/* The references that users' kernel files contain (include/kernel_reference.h). */
#ifndef ULPLAB_REFERENCES_H
#define ULPLAB_REFERENCES_H

#include <stddef.h>

#include "kernel_reference.h"

/* Returns the first sound reference for that operation, or NULL. */
const struct oracle *references_find(const char *op);
/* Returns the file of a user's reference; NULL for other oracles. */
const char *references_source(const struct oracle *);
/* Writes why references_find() has none: one sentence. */
void references_missing(const char *op, char *why, size_t size);

/* Writes to `line` that reference i is sound but not in use, if there is another for its operation;
 * otherwise `line` is empty. Returns false after the last reference. */
bool references_unused(size_t i, char *line, size_t size);

#endif
