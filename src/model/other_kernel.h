// SPDX-License-Identifier: MIT
/* The kinds of kernel that stand beside a user's function: rows of others[] (docs/contract.md,
 * `try`). Each row is of one kind. */
#ifndef ULPLAB_OTHER_KERNEL_H
#define ULPLAB_OTHER_KERNEL_H

#include <string.h>

#include "model/record.h"

/* Returns whether the kernel is the loop that anybody would write, or the C library's function. */
static inline bool other_is_plain(const json_t *other)
{
    const char *algorithm = record_text(other, "algorithm");
    return !strcmp(algorithm, "plain") || !strcmp(algorithm, "glibc");
}

/* Returns whether the kernel calls a library. */
static inline bool other_is_library(const json_t *other)
{
    return !other_is_plain(other) && !strcmp(record_text(other, "arithmetic"), "library");
}

/* Returns whether the kernel is the lab's own. */
static inline bool other_is_lab(const json_t *other)
{
    return !other_is_plain(other) && !other_is_library(other);
}

#endif
