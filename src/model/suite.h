// SPDX-License-Identifier: MIT
/* Suites: named sets of kernels whose sources, flags, shapes and inputs do not change any more, so
 * that their runs remain comparable for years. tests/test_suite.c holds the hashes of their machine
 * code. A kernel that is new, or better, goes into a later suite. */
#ifndef ULPLAB_SUITE_H
#define ULPLAB_SUITE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/registry.h"

struct suite_shape {
    size_t rows, n;
};

enum { SUITE_SHAPES_MAX = 4 };
struct suite {
    size_t number;
    const char *kernels, *policies, *isas; /* "softmax/plain softmax/threepass": words */
    struct suite_shape shapes[SUITE_SHAPES_MAX];
    size_t shape_count;
};

/* Returns NULL if there is no such suite. */
const struct suite *suite_find(size_t number);
/* Returns whether the variant, of fp32, is in the suite. */
bool suite_has(const struct suite *s, const struct variant *v);
/* Returns whether it is in it under its first policy, as a quick run has it. */
bool suite_has_first(const struct suite *s, const struct variant *v);
/* Leaves only the suite's variants in the registry; EXIT_USAGE if there are none. */
int suite_narrow(const struct suite *s, struct registry *r, struct error *e);

#endif
