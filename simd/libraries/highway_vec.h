// SPDX-License-Identifier: MIT
/* Highway's functions (hwy/contrib/math) for a vector of the vocabulary. Highway is a library of
 * headers, compiled here under each regime and without its own dispatch: the flags choose its ISA.
 * Two instruction sets that Highway demands beside AVX2 are not among the flags; its mathematical
 * functions do not use them. */
#ifndef HIGHWAY_VEC_H
#define HIGHWAY_VEC_H

#include "header_library.h"
#include "vec.h"

#define HWY_COMPILE_ONLY_STATIC
#define HWY_DISABLE_PCLMUL_AES
#define HWY_DISABLE_BMI2_FMA
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

static_assert(HWY_TARGET <= HWY_AVX2, "Highway does not see AVX2 in the flags");

HEADER_LIBRARY("Highway", HWY_MAJOR, HWY_MINOR, HWY_PATCH);

namespace highway = hwy::HWY_NAMESPACE;
using highway_tag = highway::FixedTag<float, VL>;

#define HIGHWAY(name, function)                                                                    \
    static inline vf highway_##name(vf x)                                                          \
    {                                                                                              \
        return highway::function(highway_tag(), highway::Vec<highway_tag>{x}).raw;                 \
    }
HIGHWAY(exp, Exp)
HIGHWAY(expm1, Expm1)
HIGHWAY(log, Log)
HIGHWAY(log1p, Log1p)
HIGHWAY(log2, Log2)
HIGHWAY(tanh, Tanh)
HIGHWAY(sin, Sin)
HIGHWAY(cos, Cos)

#endif
