// SPDX-License-Identifier: MIT
/* The operations that simd/invariant needs of an ISA; simd/vocabulary/scalar/one_lane.h defines
 * each name. Here a virtual register is one hardware register. */
#ifndef INVARIANT_ISA_H
#define INVARIANT_ISA_H

#include "vec.h"

typedef __m512d dr;
#define SUFFIX "p"
#include "invariant/registers.h"

static inline dr dr_sqrt(dr a)
{
    dr r;
    __asm__("vsqrtpd %1, %0" : "=v"(r) : "v"(a));
    return r;
}
#include "../avx2/double_pairs.h"

#define INLINE_LANES static inline __attribute__((always_inline))

/* A table of eight words, held twice, because the permutation uses four bits of an index. */
typedef vi table8;
static inline table8 table8_load(const int32_t t[8])
{
    return _mm512_broadcast_i32x8(_mm256_loadu_si256((const __m256i *)(const void *)t));
}
static inline vi table8_at(table8 t, vi i) { return _mm512_permutexvar_epi32(i, t); }

/* ---- Folds ----------------------------------------------------------------------------------- */

static inline float i_sum(const vf a[1])
{
    __m256 s = keep8(_mm256_add_ps(_mm512_castps512_ps256(a[0]), _mm512_extractf32x8_ps(a[0], 1)));
    __m128 h = keep4(_mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1)));
    h = keep4(_mm_add_ps(h, _mm_movehl_ps(h, h)));
    return _mm_cvtss_f32(keep4(_mm_add_ss(h, _mm_movehdup_ps(h))));
}

/* Folds 16 rows: two shuffles gather operands, and one operation folds two rows, so that there are
 * 15 operations. */
static inline __attribute__((always_inline)) vf rows_fold(const vf a[][1], vf (*op)(vf, vf))
{
    vf h[8], f[4], t[2];
    for (int r = 0; r < 8; r++) { /* rows g and g + 4 (g < 4), then 8 and 12 more */
        vf u = a[r % 4 + r / 4 * 8][0], v = a[r % 4 + r / 4 * 8 + 4][0];
        h[r] = op(_mm512_shuffle_f32x4(u, v, 0x44), _mm512_shuffle_f32x4(u, v, 0xee));
    }
    for (int r = 0; r < 4; r++)
        f[r] = op(_mm512_shuffle_f32x4(h[r], h[r + 4], 0x88),
                  _mm512_shuffle_f32x4(h[r], h[r + 4], 0xdd));
    for (int r = 0; r < 2; r++) {
        __m512d u = _mm512_castps_pd(f[2 * r]), v = _mm512_castps_pd(f[2 * r + 1]);
        t[r] = op(_mm512_castpd_ps(_mm512_unpacklo_pd(u, v)),
                  _mm512_castpd_ps(_mm512_unpackhi_pd(u, v)));
    }
    return op(_mm512_shuffle_ps(t[0], t[1], 0x88), _mm512_shuffle_ps(t[0], t[1], 0xdd));
}

/* ---- Doubles --------------------------------------------------------------------------------- */

static inline vd vd_set1(double a) { return vd_both(_mm512_set1_pd(a), _mm512_set1_pd(a)); }
static inline vd vd_fma(vd a, vd b, vd c)
{
    return vd_both(_mm512_fmadd_pd(a.low, b.low, c.low), _mm512_fmadd_pd(a.high, b.high, c.high));
}
static inline vd vd_of(vf a)
{
    return vd_both(_mm512_cvtps_pd(_mm512_castps512_ps256(a)),
                   _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1)));
}
static inline vf vd_to(vd a)
{
    __m512 low = _mm512_castps256_ps512(keep8(_mm512_cvtpd_ps(a.low)));
    return keep(_mm512_insertf32x8(low, keep8(_mm512_cvtpd_ps(a.high)), 1));
}

struct wide {
    dr d;
};
static inline struct wide wide_of(const vf a[1])
{
    dr low = keep_dr(_mm512_cvtps_pd(_mm512_castps512_ps256(a[0])));
    dr high = keep_dr(_mm512_cvtps_pd(_mm512_extractf32x8_ps(a[0], 1)));
    return (struct wide){dr_add(low, high)};
}
static inline struct wide wide_add(struct wide w, const vf a[1])
{
    w.d = dr_add(w.d, wide_of(a).d);
    return w;
}
static inline __m256d keep_four(__m256d a)
{
    __asm__("" : "+v"(a));
    return a;
}
static inline double wide_sum(struct wide w)
{
    __m256d s =
        keep_four(_mm256_add_pd(_mm512_castpd512_pd256(w.d), _mm512_extractf64x4_pd(w.d, 1)));
    __m128d h = keep_two(_mm_add_pd(_mm256_castpd256_pd128(s), _mm256_extractf128_pd(s, 1)));
    return _mm_cvtsd_f64(keep_two(_mm_add_sd(h, _mm_unpackhi_pd(h, h))));
}
static inline dr eight_wide_sums(const struct wide *w)
{
    dr h[4], f[2];
    for (int r = 0; r < 4; r++) { /* rows 0 and 2, 1 and 3, then 4 more */
        dr u = w[r % 2 + r / 2 * 4].d, v = w[r % 2 + r / 2 * 4 + 2].d;
        h[r] = dr_add(_mm512_shuffle_f64x2(u, v, 0x44), _mm512_shuffle_f64x2(u, v, 0xee));
    }
    for (int r = 0; r < 2; r++)
        f[r] = dr_add(_mm512_shuffle_f64x2(h[r], h[r + 2], 0x88),
                      _mm512_shuffle_f64x2(h[r], h[r + 2], 0xdd));
    return dr_add(_mm512_unpacklo_pd(f[0], f[1]), _mm512_unpackhi_pd(f[0], f[1]));
}
static inline vd rows_wide_sum(const struct wide *w)
{
    return (vd){eight_wide_sums(w), eight_wide_sums(w + 8)};
}

/* ---- Moments of a batch of rows -------------------------------------------------------------- */

enum { BATCH_ROWS = 8 };
typedef dr per_row;
static inline per_row per_row_of(__m256 a) { return keep_dr(_mm512_cvtps_pd(a)); }
static inline __m256 per_row_to(per_row a) { return keep8(_mm512_cvtpd_ps(a)); }
static inline per_row per_row_set1(double a) { return keep_dr(_mm512_set1_pd(a)); }
static inline per_row per_row_load(const float p[BATCH_ROWS])
{
    return per_row_of(_mm256_loadu_ps(p));
}
static inline void per_row_store(float p[BATCH_ROWS], per_row a)
{
    _mm256_storeu_ps(p, per_row_to(a));
}
static inline per_row per_row_load_doubles(const double p[BATCH_ROWS])
{
    return keep_dr(_mm512_loadu_pd(p));
}
static inline void per_row_store_doubles(double p[BATCH_ROWS], per_row a)
{
    _mm512_storeu_pd(p, a);
}
static inline void per_row_store_pairs(float p[2 * BATCH_ROWS], per_row a, per_row b)
{
    const __m512i pairs = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    v_store(p, _mm512_permutex2var_ps(_mm512_castps256_ps512(per_row_to(a)), pairs,
                                      _mm512_castps256_ps512(per_row_to(b))));
}
static inline per_row per_row_add(per_row a, per_row b) { return dr_add(a, b); }
static inline per_row per_row_sub(per_row a, per_row b) { return dr_sub(a, b); }
static inline per_row per_row_mul(per_row a, per_row b) { return dr_mul(a, b); }
static inline per_row per_row_div(per_row a, per_row b) { return dr_div(a, b); }
static inline per_row per_row_sqrt(per_row a) { return dr_sqrt(a); }
static inline per_row per_row_max(per_row a, per_row b) { return dr_max(a, b); }
static inline per_row per_row_rounded(per_row a) { return per_row_of(per_row_to(a)); }
static inline unsigned per_row_at_most(per_row a, per_row b)
{
    __mmask8 m;
    __asm__("vcmplepd %2, %1, %0" : "=k"(m) : "v"(a), "v"(b));
    return m;
}
static inline partial_sum partial_sum_of(const vf a[1])
{
    return keep8(_mm256_add_ps(_mm512_castps512_ps256(a[0]), _mm512_extractf32x8_ps(a[0], 1)));
}
static inline per_row per_row_fold(const partial_sum h[BATCH_ROWS])
{
    return per_row_of(fold_partial_sums(h));
}
static inline per_row per_row_total(const struct wide w[BATCH_ROWS]) { return eight_wide_sums(w); }

static inline void i_stream(float *p, vf a) { _mm512_stream_ps(p, a); }

#endif
