// SPDX-License-Identifier: MIT
/* The axes of a variant, by which results are sorted, paired and filtered. */
#ifndef ULPLAB_AXES_H
#define ULPLAB_AXES_H

#include <stdbool.h>
#include <stddef.h>

/* The axes of a variant's id, cut apart. */
struct axes {
    char op[24], algorithm[40], dtype[16], isa[16], cc[40], policy[40];
    /* The operation, and its dtype where that is not f32: "softmax", "softmax bf16". Only
     * variants of one group compete, and means are over one group. */
    char group[44];
};
/* False where `id` is not op/algorithm/dtype=../isa=../cc=../policy=.. (a cell's rest is ignored).
 */
bool axes_parse(const char *id, struct axes *a);
/* The value of the axis "op", "algorithm", "dtype", "isa", "cc" or "policy"; "" for another word.
 */
const char *axes_value(const struct axes *a, const char *axis);
enum { VARIANT_ID_MAX = 200 };
/* The id of a variant: op/algorithm/dtype=../isa=../cc=../policy=... Returns its length. */
size_t variant_id(const struct axes *a, char id[VARIANT_ID_MAX]);
void axes_set(struct axes *a, const char *axis, const char *value);
/* Returns whether the variant is a library's, which has no compiler and policy of ours. */
bool axes_are_of_library(const struct axes *a);

#endif
