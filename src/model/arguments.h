// SPDX-License-Identifier: MIT
/* The members of struct job (include/kernel.h) that only some operations have. */
#ifndef ULPLAB_ARGUMENTS_H
#define ULPLAB_ARGUMENTS_H

enum argument {
    ARGUMENT_SCALE = 1,
    ARGUMENT_LOG_OUTPUT = 2,
    ARGUMENT_EPS = 4,
    ARGUMENT_GAMMA = 8,
    ARGUMENT_BETA = 16,
    ARGUMENT_STATS = 32,
};

/* The arguments of a kernel of the lab's own operations, a sum of enum argument. 0 also for an
 * operation that it does not know. */
unsigned arguments_of(const char *op, const char *algorithm);

#endif
