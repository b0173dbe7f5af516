/* performance.html: several CPUs on one page that loads nothing. The CPUs and their limits are
 * written here; the tables of cells, of what AVX-512 buys and of policies are made by its script
 * from the data in it (cpus_data.h). From files alone; performance.md is its twin. */
#ifndef ULPLAB_CPUS_H
#define ULPLAB_CPUS_H

#include <stddef.h>

#include "base/error.h"

/* Reads the folders, narrows them by the filters and writes the page, whole or not at all. Errors
 * as of performance_write(). */
int cpus_write(const char *const *folders, size_t count, const char *const *filters,
               size_t filter_count, double bar, const char *path, struct error *e);

#endif
