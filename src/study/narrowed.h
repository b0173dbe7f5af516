// SPDX-License-Identifier: MIT
/* A user's reference in float: the plain loop beside a function of an operation that the lab does
 * not have. */
#ifndef ULPLAB_NARROWED_H
#define ULPLAB_NARROWED_H

/* Returns the text of a C file with float in the place of double, long double and __float128: its
 * types, its constants, and the functions of libm that it calls. What it includes stays. The caller
 * frees. */
char *narrowed_text(const char *text);

#endif
