// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: its reference has a constructor, which would run in the
 * lab's own process. Status: skipped */
#include "copy.h"

#ifdef REFERENCE
static __attribute__((constructor)) void construct(void)
{
    __builtin_trap();
}

const struct oracle REFERENCE = {
    .op = "earlyref", .outputs = {"y"}, .elementwise = true, .row = copy_row};
#else
const struct kernel KERNEL = {COPY_KERNEL("earlyref", "copy"), .run = copy_rows};
#endif
