// SPDX-License-Identifier: MIT
#include "guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct guard guard_open(size_t count)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (count * sizeof(float) + page) / page * page;
    struct guard g = {.map_size = room + 2 * page};
    g.map = mmap(NULL, g.map_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *begin = (char *)g.map + page;
    if (g.map == MAP_FAILED || mprotect(begin, room, PROT_READ | PROT_WRITE) != 0) {
        perror("guard_open");
        exit(EXIT_FAILURE);
    }
    g.begin = (float *)(void *)begin;
    g.end = (float *)(void *)(begin + room);
    return g;
}

void guard_close(struct guard *g)
{
    munmap(g->map, g->map_size);
    *g = (struct guard){0};
}

float *guard_place(const struct guard *g, size_t count, bool at_end)
{
    return at_end ? g->end - count : g->begin;
}
