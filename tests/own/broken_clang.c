// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: clang rejects it, gcc does not. Status with clang: unbuilt */
#include "copy.h"

#ifdef __clang__
#error "this kernel is not for clang"
#endif

const struct kernel KERNEL = {COPY_KERNEL("broken", "clang"), .run = copy_rows};
