// SPDX-License-Identifier: MIT
/* Inputs that real data has and the families lack. */
#ifndef ULPLAB_SPECIALS_H
#define ULPLAB_SPECIALS_H

#include "base/error.h"

/* Writes rows each with one of NaN, infinities, zeros of both signs and numbers at the ends of the
 * range, and rows of nothing else, as an .npy. */
int specials_write(const char *path, struct error *e);

#endif
