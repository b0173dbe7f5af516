// SPDX-License-Identifier: MIT
#include "study/partition.h"

#include <stdlib.h>

#include "base/memory.h"

void partition_open(struct partition *p, enum family family, size_t n, size_t rows, size_t variants)
{
    *p = (struct partition){.family = family,
                            .n = n,
                            .rows = rows,
                            .variants = variants,
                            .class_of = memory_zeroed(variants, sizeof *p->class_of),
                            .representative = memory_zeroed(variants, sizeof *p->representative),
                            .bits = memory_zeroed(variants, sizeof *p->bits),
                            .pairs = memory_zeroed(variants * variants, sizeof *p->pairs)};
}

void partition_close(struct partition *p)
{
    free(p->class_of);
    free(p->representative);
    free(p->bits);
    free(p->pairs);
}

static struct distance *pair_of(const struct partition *p, size_t a, size_t b)
{
    return &p->pairs[(a < b ? a : b) * p->variants + (a < b ? b : a)];
}

size_t partition_find(const struct partition *p, uint64_t bits)
{
    size_t class = 0;
    while (class < p->class_count && p->bits[class] != bits) class ++;
    return class;
}

void partition_add_class(struct partition *p, size_t variant, uint64_t bits,
                         const struct distance *to)
{
    size_t class = p->class_count++;
    p->representative[class] = variant;
    p->bits[class] = bits;
    for (size_t k = 0; k < class; k++) *pair_of(p, k, class) = to[k];
}

const struct distance *partition_distance(const struct partition *p, size_t a, size_t b)
{
    return pair_of(p, a, b);
}
