/* The values that are timed, by family: speed depends on them where subnormals, branches or
 * exponents do. */
#ifndef ULPLAB_BENCH_FILL_H
#define ULPLAB_BENCH_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an operation makes sense of: exponentials and all that stands on them; means and variances
 * (tiny: subnormal inputs); logarithms (positive). */
enum bench_domain { BENCH_EXPONENT, BENCH_MOMENTS, BENCH_POSITIVE };
enum bench_domain bench_domain_of(const char *op);

/* Row `row` of a family, n elements: a pure function of (seed, row, index). False for a family
 * that is unknown here; x is then untouched. */
bool bench_fill(const char *family, enum bench_domain domain, uint64_t seed, size_t row, float *x,
                size_t n);

#endif
