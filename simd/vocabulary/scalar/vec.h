// SPDX-License-Identifier: MIT
/* The vector vocabulary in one lane, the baseline that SIMD is compared with. The meaning of every
 * operation is defined here; avx2/vec.h and avx512/vec.h do the same in every lane.
 * tests/test_vocabulary.c compares them operation by operation. */
#ifndef VEC_H
#define VEC_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

enum { VL = 1 };
typedef float vf;   /* VL floats */
typedef int32_t vi; /* VL 32-bit integers */
typedef int vm;     /* VL truth values */

static inline vf v_set1(float a) { return a; }
static inline vi vi_set1(int32_t a) { return a; }

/* Loads and stores at any alignment. The _part forms touch n <= VL elements only; v_load_part puts
 * `fill` into the other lanes. */
static inline vf v_load(const float *p) { return *p; }
static inline void v_store(float *p, vf a) { *p = a; }
static inline vf v_load_part(const float *p, size_t n, float fill) { return n ? *p : fill; }
static inline void v_store_part(float *p, vf a, size_t n)
{
    if (n) *p = a;
}
/* Returns the first n lanes of a, and `fill` in the others. */
static inline vf v_first(vf a, size_t n, float fill) { return n ? a : fill; }

static inline vf v_add(vf a, vf b) { return a + b; }
static inline vf v_sub(vf a, vf b) { return a - b; }
static inline vf v_mul(vf a, vf b) { return a * b; }
static inline vf v_div(vf a, vf b) { return a / b; }
static inline vf v_sqrt(vf a) { return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(a))); }

/* v_mad: a * b + c, which fuses if the policy says so. It is written as one expression because
 * clang's `on` fuses within an expression, but not through an inline function. v_nmad: c - a *
 * b. */
static inline vf v_mad(vf a, vf b, vf c) { return a * b + c; }
static inline vf v_nmad(vf a, vf b, vf c) { return c - a * b; }
/* v_fma: a * b + c with one rounding, always. v_fnma: c - a * b. */
static inline vf v_fma(vf a, vf b, vf c) { return __builtin_fmaf(a, b, c); }
static inline vf v_fnma(vf a, vf b, vf c) { return __builtin_fmaf(-a, b, c); }

/* maxps and minps, which return the second operand where either is NaN or both are zero. */
static inline vf v_max(vf a, vf b) { return a > b ? a : b; }
static inline vf v_min(vf a, vf b) { return a < b ? a : b; }
static inline vi v_bits(vf a)
{
    vi b;
    __builtin_memcpy(&b, &a, sizeof b);
    return b;
}
static inline vf v_float(vi a)
{
    vf b;
    __builtin_memcpy(&b, &a, sizeof b);
    return b;
}
static inline vf v_abs(vf a) { return v_float(v_bits(a) & 0x7fffffff); }

/* Rounds to the nearest integer, ties to even, by the instruction: reassociation deletes the
 * addition and subtraction of a magic number. */
static inline vf v_round(vf a)
{
    __m128 v = _mm_set_ss(a);
    return _mm_cvtss_f32(_mm_round_ss(v, v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
static inline vi v_to_int(vf a) { return _mm_cvtss_si32(_mm_set_ss(a)); }
static inline vf v_from_int(vi a) { return (float)a; }

static inline vi vi_add(vi a, vi b) { return (vi)((uint32_t)a + (uint32_t)b); }
static inline vi vi_sub(vi a, vi b) { return (vi)((uint32_t)a - (uint32_t)b); }
static inline vi vi_and(vi a, vi b) { return a & b; }
static inline vi vi_or(vi a, vi b) { return a | b; }
#define vi_shl(a, k) ((vi)((uint32_t)(a) << (k)))
#define vi_shr(a, k) ((vi)((uint32_t)(a) >> (k))) /* logical */
#define vi_sar(a, k) ((vi)(a) >> (k))             /* arithmetic */

/* Comparisons are false on NaN; v_unord is true where either is NaN. */
static inline vm v_lt(vf a, vf b) { return a < b; }
static inline vm v_le(vf a, vf b) { return a <= b; }
static inline vm v_eq(vf a, vf b) { return a == b; }
static inline vm v_unord(vf a, vf b) { return __builtin_isunordered(a, b); }
static inline vm vi_lt(vi a, vi b) { return a < b; }
static inline vm m_or(vm a, vm b) { return a | b; }
static inline vm m_and(vm a, vm b) { return a & b; }
static inline int m_any(vm a) { return a; }
static inline vf v_select(vm m, vf a, vf b) { return m ? a : b; }

/* Compiler barrier: no policy rewrites arithmetic across it. It costs no instruction. */
static inline vf v_barrier(vf a)
{
    __asm__ volatile("" : "+x"(a));
    return a;
}

#include "../scale.h"

/* Reductions over the lanes, in a fixed tree: halves, quarters, ... */
static inline float v_sum(vf a) { return a; }
static inline float v_hmax(vf a) { return a; } /* v_max's rules */

#endif
