// SPDX-License-Identifier: MIT
/* xsimd's functions for a vector of the vocabulary. xsimd is a library of headers, compiled here
 * under each regime; the flags choose its ISA. */
#ifndef XSIMD_VEC_H
#define XSIMD_VEC_H

/* xsimd 8.1's rsqrt for AVX-512 calls an intrinsic that no compiler has. Nothing calls that
 * function here, but clang looks the name up where it stands. */
#define _mm512_rsqrt23_ps _mm512_rsqrt14_ps
#include <xsimd/xsimd.hpp>

#include "header_library.h"
#include "vec.h"

HEADER_LIBRARY("xsimd", XSIMD_VERSION_MAJOR, XSIMD_VERSION_MINOR, XSIMD_VERSION_PATCH);

using xsimd_batch = xsimd::batch<float>;
static_assert(xsimd_batch::size == VL, "xsimd does not see this ISA in the flags");

#define XSIMD(name)                                                                                \
    static inline vf xsimd_##name(vf x) { return xsimd::name(xsimd_batch(x)); }
XSIMD(exp)
XSIMD(exp2)
XSIMD(expm1)
XSIMD(log)
XSIMD(log1p)
XSIMD(log2)
XSIMD(tanh)
XSIMD(erf)
XSIMD(sin)
XSIMD(cos)
XSIMD(rsqrt)

#endif
