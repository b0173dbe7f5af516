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

/* Returns this CPU, without the ISAs that are hidden as by --hide-isa; NULL: none are (filtered.c).
 */
struct cpu this_cpu(const char *hidden);
bool cpu_runs(const char *isa);

/* Returns the job of one row of n elements, with as many results. */
static inline struct job row_job(const void *x, size_t n, void *y, void *scratch)
{
    return (struct job){.rows = 1,
                        .n = n,
                        .x = x,
                        .x_stride = n,
                        .y = y,
                        .y_stride = n,
                        .scale = 1,
                        .eps = 1e-5f,
                        .scratch = scratch};
}

/* Calls registry_open() with both filters; returns its code. */
static inline int filtered_registry(struct registry *r, const char *filter)
{
    const struct cpu cpu = this_cpu(NULL);
    struct error e;
    const char *filters[] = {filter, test_filter()};
    return registry_open(r, &cpu, filters, filters[1] ? 2 : 1, &e);
}

/* Keeps an open registry until the test program ends; returns it (filtered.c). */
struct registry registry_kept(struct registry r);
/* Opens the registry whatever ULPLAB_TEST_FILTER says; NULL: every variant (filtered.c). */
struct registry registry_of_filter(const char *filter);
/* Opens the registry of the variants that can run here. Skips the test if there are none, or if
 * ULPLAB_TEST_FILTER leaves none; fails it if the build has none (filtered.c). */
struct registry registry_or_skip(const char *filter);

#endif
