// SPDX-License-Identifier: MIT
/* Inputs that real data has and the families lack. */
#ifndef ULPLAB_SPECIALS_H
#define ULPLAB_SPECIALS_H

#include <stdbool.h>

#include "base/error.h"

/* Writes rows each with one of NaN, infinities, zeros of both signs and numbers at the ends of the
 * range of floats, or of doubles, and rows of nothing else, as an .npy of that type. */
int specials_write(const char *path, bool in_double, struct error *e);

#endif
