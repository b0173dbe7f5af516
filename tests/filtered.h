// SPDX-License-Identifier: MIT
/* The registry that a test asks: its own filter, narrowed by ULPLAB_TEST_FILTER, as where a CPU is
 * emulated (scripts/emulate) and all of them would take hours. */
#ifndef ULPLAB_TEST_FILTERED_H
#define ULPLAB_TEST_FILTERED_H

#include <stdbool.h>
#include <stdlib.h>

#include "machine/cpu.h"
#include "model/registry.h"

static inline const char *test_filter(void)
{
    return getenv("ULPLAB_TEST_FILTER");
}
/* Are there at least `least`? A filter may leave fewer. */
static inline bool enough(size_t asked, size_t least)
{
    return asked >= least || test_filter();
}

/* registry_open()'s. */
static inline int filtered_registry(struct registry *r, const char *filter)
{
    struct cpu cpu;
    struct error e;
    const char *filters[] = {filter, test_filter()};
    if (cpu_detect(&cpu, NULL, &e)) abort(); /* no reason to skip anything */
    return registry_open(r, &cpu, filters, filters[1] ? 2 : 1, &e);
}

/* The same for a test, which is skipped where ULPLAB_TEST_FILTER leaves no variant, and fails where
 * there is none anyway (filtered.c). */
struct registry registry_or_skip(const char *filter);

#endif
