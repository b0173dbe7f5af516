// SPDX-License-Identifier: MIT
/* The words for what binds, and the record of all that is known of a variant. */
#ifndef ULPLAB_EXPLAIN_WORDS_H
#define ULPLAB_EXPLAIN_WORDS_H

#include <jansson.h>

#include "measure/cell.h"
#include "study/explain_types.h"

/* Writes a sentence that says what binds, and why. */
void explain_words(const struct explained *x, const struct core *core, char *text, size_t size);
void explain_loop_words(const struct explained_loop *l, const struct core *core, char *text,
                        size_t size);

json_t *explain_record(const struct explained *x, const struct cell *c, const struct core *core);

#endif
