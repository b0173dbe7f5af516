// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: it leaves .run out. Status: unbuilt */
#include "copy.h"

const struct kernel KERNEL = {COPY_KERNEL("missing", "run")};
