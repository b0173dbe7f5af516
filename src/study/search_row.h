// SPDX-License-Identifier: MIT
/* A row of search.jsonl. */
#ifndef ULPLAB_SEARCH_ROW_H
#define ULPLAB_SEARCH_ROW_H

#include "model/record.h"
#include "study/search_child.h"

/* reason: "" for none; input: the file of the worst row, NULL where nothing was found. */
json_t *search_row(const struct variant_search *, enum status, const char *reason,
                   const char *input);

/* Returns false, with the reason, if the worst row breaks a promise of the kernel's file. */
bool search_promise_kept(const struct variant_search *, char *reason, size_t size);

#endif
