// SPDX-License-Identifier: MIT
/* The axes of a variant's id, cut apart. */
#ifndef ULPLAB_AXES_H
#define ULPLAB_AXES_H

#include <stdbool.h>

struct axes {
    char op[24], algorithm[40], dtype[16], isa[16], cc[40], policy[40];
};
/* Returns whether `id` is op/algorithm/dtype=../isa=../cc=../policy=..; the rest of a cell's is
 * ignored. */
bool axes_parse(const char *id, struct axes *a);

#endif
