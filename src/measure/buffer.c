// SPDX-License-Identifier: MIT
#include "measure/buffer.h"

#include <stdint.h>
#include <sys/mman.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

struct buffer buffer_map(size_t bytes, size_t page_offset)
{
    struct buffer b = {.mapped = bytes + 2 * (size_t)HUGE_PAGE + 2 * PAGE};
    void *mapping =
        mmap(NULL, b.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return (struct buffer){0};
    madvise(mapping, b.mapped,
            MADV_HUGEPAGE); /* only a request; doctor says whether it can be granted */
    uintptr_t aligned = ((uintptr_t)mapping + PAGE + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    b.mapping = mapping;
    b.data = (char *)mapping + (aligned - (uintptr_t)mapping) + page_offset;
    b.bytes = bytes;
    return b;
}

void buffer_unmap(struct buffer *b)
{
    if (b->mapping) munmap(b->mapping, b->mapped);
    *b = (struct buffer){0};
}
