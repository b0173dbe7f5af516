// SPDX-License-Identifier: MIT
/* What every vec.h of doubles begins with: the headers in which `float` is fp32, before words.h
 * gives that word another meaning. */
#ifndef FIRST_H
#define FIRST_H

#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel.h"

typedef float fp32;

#endif
