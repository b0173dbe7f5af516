// SPDX-License-Identifier: MIT
/* The sum of a row, compensated, with the REFERENCE of the plain one: -fassociative-math deletes
 * the compensation. */
#define COMPENSATED 1
#define OP "kahan"
#include "total_plain.c"
