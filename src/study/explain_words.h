// SPDX-License-Identifier: MIT
/* What binds, in words, and all that is known of a variant as a record. */
#ifndef ULPLAB_EXPLAIN_WORDS_H
#define ULPLAB_EXPLAIN_WORDS_H

#include <jansson.h>

#include "measure/cell.h"
#include "study/explain_types.h"

/* A sentence: what binds, and why that is said. */
void explain_words(const struct explained *x, const struct core *core, char *text, size_t size);
void explain_loop_words(const struct explained_loop *l, const struct core *core, char *text,
                        size_t size);

json_t *explain_record(const struct explained *x, const struct cell *c, const struct core *core);

#endif
