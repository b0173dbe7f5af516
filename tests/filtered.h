// SPDX-License-Identifier: MIT
/* Opens the registry for a test: the test's own filter, narrowed by ULPLAB_TEST_FILTER. Where a CPU
 * is emulated (scripts/emulate), testing all variants would take hours. */
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
/* Returns whether a test found at least `least` items; with a filter set, fewer are enough. */
static inline bool enough(size_t asked, size_t least)
{
    return asked >= least || test_filter();
}

/* Calls registry_open() with both filters; returns its code. */
static inline int filtered_registry(struct registry *r, const char *filter)
{
    struct cpu cpu;
    struct error e;
    const char *filters[] = {filter, test_filter()};
    if (cpu_detect(&cpu, NULL, &e)) abort(); /* a failure, not a reason to skip */
    return registry_open(r, &cpu, filters, filters[1] ? 2 : 1, &e);
}

/* Opens the registry whatever ULPLAB_TEST_FILTER says; NULL: every variant (filtered.c). */
struct registry registry_of_filter(const char *filter);
/* Opens the registry for a test that is skipped if ULPLAB_TEST_FILTER leaves no variant, and fails
 * if the build has none (filtered.c). */
struct registry registry_or_skip(const char *filter);

#endif
