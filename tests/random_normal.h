// SPDX-License-Identifier: MIT
/* A normal number from two uniform ones (Box and Muller). */
#ifndef ULPLAB_TEST_RANDOM_NORMAL_H
#define ULPLAB_TEST_RANDOM_NORMAL_H

#include <math.h>

#include "base/random.h"

static inline double random_normal(uint64_t *state)
{
    double u = random_unit(state), v = random_unit(state);
    return sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

#endif
