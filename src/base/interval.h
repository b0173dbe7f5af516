// SPDX-License-Identifier: MIT
/* An interval as given on a command line: "LO,HI". */
#ifndef ULPLAB_INTERVAL_H
#define ULPLAB_INTERVAL_H

#include <stdbool.h>

/* Parses two numbers like strtof(), hexadecimal ones and infinities included. Returns false for any
 * other text. */
bool interval_parse(const char *text, float *low, float *high);

#endif
