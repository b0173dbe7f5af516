// SPDX-License-Identifier: MIT
#include "study/explain_lines.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Lines of memory, in an open hash table, with the number of their last use. */
struct line {
    uintptr_t name; /* address / 64; 0: an empty place */
    uint64_t used;  /* number of the use */
};
struct lines {
    struct line *table;
    size_t size;
};

static size_t explain_lines_place_of(const struct lines *l, uintptr_t name)
{
    size_t place = (name * 0x9e3779b97f4a7c15u >> 16) % l->size;
    while (l->table[place].name && l->table[place].name != name) place = (place + 1) % l->size;
    return place;
}

/* A Fenwick tree over uses: how many lines were used last behind a given use. */
struct uses {
    uint32_t *tree;
    size_t size;
};

static void add_use(struct uses *u, size_t at, int more)
{
    for (at++; at <= u->size; at += at & -at) u->tree[at] += (uint32_t)more;
}

static size_t uses_before(const struct uses *u, size_t at)
{
    uint32_t sum = 0;
    for (; at; at -= at & -at) sum += u->tree[at];
    return sum;
}

static enum level explain_lines_level_of(double distance, const size_t bytes[LEVEL_DRAM])
{
    enum { LINE = 64 };
    enum level level = LEVEL_L1;
    while (level < LEVEL_DRAM && (!bytes[level] || distance * LINE > (double)bytes[level])) level++;
    return level;
}

/* Counts, at each use of a line, the other lines that were used since its last use: that number
 * says whether a cache still has it. The first call only fills the caches. */
void lines_by_level(const struct code *c, double scale, const size_t bytes[LEVEL_DRAM],
                    double lines[LEVELS])
{
    enum { CALLS = 2 };
    size_t touches = 0, now = 0, all = 0;
    for (size_t i = 0; i < c->step_count; i++) touches += c->memory[i] != 0;
    struct uses uses = {.size = CALLS * touches + 1};
    struct lines known = {.size = 2 * touches + 64};
    uses.tree = memory_zeroed(uses.size + 1, sizeof *uses.tree);
    known.table = memory_zeroed(known.size, sizeof *known.table);
    for (size_t k = 0; k < LEVELS; k++) lines[k] = 0;
    for (size_t call = 0, begin = 0; call < CALLS; call++, begin = now)
        for (size_t i = 0; i < c->step_count; i++) {
            if (!c->memory[i]) continue;
            struct line *line = &known.table[explain_lines_place_of(&known, c->memory[i] / 64 + 1)];
            if (line->name) {
                double distance = (double)(all - uses_before(&uses, line->used + 1));
                if (line->used < begin) distance *= scale;
                if (call) lines[explain_lines_level_of(distance, bytes)]++;
                add_use(&uses, line->used, -1);
            } else {
                line->name = c->memory[i] / 64 + 1;
                all++;
            }
            line->used = now;
            add_use(&uses, now++, 1);
        }
    free(uses.tree);
    free(known.table);
}
