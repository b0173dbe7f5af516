// SPDX-License-Identifier: MIT
/* gelu as it is usually written, x/2 (1 + erf(x / sqrt 2)), from any erf. */
#ifndef GELU_COMPOSED_H
#define GELU_COMPOSED_H

#include "vec.h"

static inline vf gelu_argument(vf x) { return v_mul(x, v_set1(0x1.6a09e6p-1f)); }
static inline vf gelu_composed(vf x, vf erf)
{
    return v_mul(v_mul(x, v_set1(0.5f)), v_add(v_set1(1.0f), erf));
}

#endif
