/* The values that are timed, by family: speed depends on them where subnormals, branches or
 * exponents do. */
#ifndef ULPLAB_BENCH_FILL_H
#define ULPLAB_BENCH_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Row `row` of a family, n elements: a pure function of (seed, row, index). False for a family
 * that is unknown here; x is then untouched. */
bool bench_fill(const char *family, uint64_t seed, size_t row, float *x, size_t n);

#endif
