// SPDX-License-Identifier: MIT
/* A user's kernel with a mistake: it has code in the section .init, which a program that it is
 * linked into runs before main. Status: unbuilt */
#include "copy.h"

__asm__(".section .init, \"ax\", @progbits\n ud2\n .text");

const struct kernel KERNEL = {COPY_KERNEL("early", "init"), .run = copy_rows};
