// SPDX-License-Identifier: MIT
/* The other file of that op and algorithm. */
#include "twin_copy.c"
