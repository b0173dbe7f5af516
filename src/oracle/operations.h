// SPDX-License-Identifier: MIT
/* The exact values of the lab's own operations. */
#ifndef ULPLAB_OPERATIONS_H
#define ULPLAB_OPERATIONS_H

#include "kernel_reference.h"

/* Returns NULL if the lab has no operation of that name. */
const struct oracle *operations_find(const char *op);
/* Returns NULL behind the last. */
const struct oracle *operations_at(size_t i);

#endif
