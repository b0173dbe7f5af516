// SPDX-License-Identifier: MIT
/* A user's reference in the type of the function that is tried, float or double: the plain loop
 * beside a function of an operation that the lab does not have. */
#ifndef ULPLAB_NARROWED_H
#define ULPLAB_NARROWED_H

#include <stdbool.h>

/* Returns the text of a C file with float (to_double: double) in the place of wider types: its
 * types, its constants, and the functions of libm that it calls. What it includes stays. The caller
 * frees. */
char *narrowed_text(const char *text, bool to_double);

#endif
