// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: a new operation without a reference. Status: skipped */
#include "copy.h"

const struct kernel KERNEL = {COPY_KERNEL("noref", "copy"), .run = copy_rows};
