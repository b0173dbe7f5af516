// SPDX-License-Identifier: MIT
/* Memory that is measured on: mapped, asked to be backed by huge pages, and placed at a chosen
 * offset within its page. Nothing is touched here: the thread that works on a part touches it
 * first, so that it is local to it. */
#ifndef ULPLAB_BUFFER_H
#define ULPLAB_BUFFER_H

#include <stddef.h>

/* The kind of pages that every buffer asks the system for, as the records name it. */
#define BUFFER_THP "madvise-hugepage"

struct buffer {
    char *data; /* `bytes` usable, between two whole guard pages */
    size_t bytes;
    void *mapping;
    size_t mapped;
};

/* data is congruent to `page_offset` (a multiple of 64, below 4096) modulo 4096. data is NULL where
 * memory is short. */
struct buffer buffer_map(size_t bytes, size_t page_offset);
void buffer_unmap(struct buffer *b);

#endif
