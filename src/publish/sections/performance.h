/* One page for any number of machines: what each ISA buys where, and per operation the clocks per
 * element and the largest error of every kernel, a column group per machine. The shape that experts
 * know from Intel's "oneMKL VM Performance and Accuracy Data", with the intervals, the flags and
 * the limits that it lacks. From result files alone, as Markdown. */
#ifndef ULPLAB_PERFORMANCE_H
#define ULPLAB_PERFORMANCE_H

#include <stdio.h>

#include "base/error.h"

/* Reads the folders, narrows them by the filters, and writes the page. bar: of advice
 * (analyse/summary.h). EXIT_USAGE for more than 16, EXIT_BAD_INPUT where a folder cannot be read or
 * folders must not stand side by side (origin_comparable: other schema or input seed), EXIT_USAGE
 * where no cell is left that two machines have of the same machine code. */
int performance_write(const char *const *folders, size_t count, const char *const *filters,
                      size_t filter_count, double bar, FILE *out, struct error *e);

/* The same into a file; written whole or not at all. */
int performance_write_file(const char *const *folders, size_t count, const char *const *filters,
                           size_t filter_count, double bar, const char *path, struct error *e);

#endif
