// SPDX-License-Identifier: MIT
/* IEEE half arithmetic by the instructions of AVX-512 FP16, 32 lanes. simd/studies/rounded.h
 * defines the names and the order of r_fold, and shows why the bits are the same. Sums,
 * differences, maxima and comparisons are vaddph, vsubph, vmaxph and vcmpph; exp and log are
 * computed in fp32 and rounded, as there. Everything is written in intrinsics, because compilers
 * differ in whether they keep excess precision for C's half type. */
#ifndef FP16_H
#define FP16_H

#include "storage/f16/storage.h"

#include "exp.h"
#include "log.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { RL = 32 };
typedef __m512h vr;

static inline vr r_bits(__m512i a) { return _mm512_castsi512_ph(a); }
static inline vr r_all(const element *p) { return r_bits(_mm512_set1_epi16((short)*p)); }
static inline vr r_set1(float a)
{
    element bits;
    y_store_part(&bits, v_set1(a), 1);
    return r_all(&bits);
}

static inline __mmask32 r_first(size_t n) { return (__mmask32)((1ull << n) - 1); }
static inline vr r_load(const element *p) { return r_bits(_mm512_loadu_epi16(p)); }
static inline vr r_load_part(const element *p, size_t n, float fill)
{
    return r_bits(_mm512_mask_loadu_epi16(_mm512_castph_si512(r_set1(fill)), r_first(n), p));
}
static inline void r_store(element *p, vr a) { _mm512_storeu_epi16(p, _mm512_castph_si512(a)); }
static inline void r_store_part(element *p, vr a, size_t n)
{
    _mm512_mask_storeu_epi16(p, r_first(n), _mm512_castph_si512(a));
}

static inline vf r_low(vr a) { return f16_widen(_mm512_castsi512_si256(_mm512_castph_si512(a))); }
static inline vf r_high(vr a)
{
    return f16_widen(_mm512_extracti64x4_epi64(_mm512_castph_si512(a), 1));
}
static inline float r_value(vr a)
{
    float first;
    v_store_part(&first, r_low(a), 1);
    return first;
}

ALWAYS_INLINE vr r_each(vr a, vf (*f)(vf))
{
    __m256i low = f16_narrow(f(r_low(a))), high = f16_narrow(f(r_high(a)));
    return r_bits(_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
}
static inline vr r_exp(vr a) { return r_each(a, v_exp); }
static inline vr r_log(vr a) { return r_each(a, v_log); }

static inline vr r_add(vr a, vr b) { return _mm512_add_ph(a, b); }
static inline vr r_sub(vr a, vr b) { return _mm512_sub_ph(a, b); }
static inline vr r_max(vr a, vr b) { return _mm512_max_ph(a, b); }
static inline vr r_overflow(vr a, vr limit)
{
    return _mm512_mask_blend_ph(_mm512_cmp_ph_mask(limit, a, _CMP_LE_OQ), a, r_set1(INFINITY));
}
static inline int r_any_nan(vr a) { return _mm512_cmp_ph_mask(a, a, _CMP_UNORD_Q) != 0; }

static inline vr r_rotate(vr a, size_t by)
{
    __m512i lanes = _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16,
                                     15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i from = _mm512_add_epi16(lanes, _mm512_set1_epi16((short)by)); /* modulo 32 */
    return r_bits(_mm512_permutexvar_epi16(from, _mm512_castph_si512(a)));
}
ALWAYS_INLINE vr r_fold(vr a, vr (*f)(vr, vr))
{
    _Pragma("GCC unroll 8") for (size_t by = RL / 2; by; by /= 2) a = f(a, r_rotate(a, by));
    return a;
}
static inline vr r_sum(vr a) { return r_fold(a, r_add); }
static inline vr r_hmax(vr a) { return r_fold(a, r_max); }

#endif
