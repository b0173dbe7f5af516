/* References that kernel files from elsewhere brought along (include/kernel_reference.h). */
#ifndef ULPLAB_REFERENCES_H
#define ULPLAB_REFERENCES_H

#include <stddef.h>

#include "kernel_reference.h"

/* The first sound one of that operation, or NULL. */
const struct oracle *references_find(const char *op);
/* The file of one of them; NULL where it is none of them. */
const char *references_source(const struct oracle *);
/* Why references_find() has none: one sentence. */
void references_missing(const char *op, char *why, size_t size);

/* Reference i is sound, but not in use: another one answers for its operation. Says so in one line,
 * or leaves it empty. False behind the last. */
bool references_unused(size_t i, char *line, size_t size);

#endif
