// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: it exports another name than KERNEL. Status: unbuilt */
#include "copy.h"

const struct kernel MY_KERNEL = {COPY_KERNEL("missing", "symbol"), .run = copy_rows};
