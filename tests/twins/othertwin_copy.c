// SPDX-License-Identifier: MIT
/* The second file with that op and algorithm (twin_copy.c). */
#include "twin_copy.c"
