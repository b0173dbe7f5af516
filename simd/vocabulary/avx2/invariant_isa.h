// SPDX-License-Identifier: MIT
/* The operations that simd/invariant needs of an ISA; simd/vocabulary/scalar/one_lane.h defines
 * each name. Here a virtual register is two vectors of 8 lanes. */
#ifndef INVARIANT_ISA_H
#define INVARIANT_ISA_H

#include "vec.h"

typedef __m256d dr;
#define SUFFIX "p"
#include "invariant/registers.h"

static inline dr dr_sqrt(dr a)
{
    dr r;
    __asm__("vsqrtpd %1, %0" : "=x"(r) : "x"(a));
    return r;
}
#include "double_pairs.h"

#define INLINE_LANES static inline __attribute__((always_inline))

typedef vi table8;
static inline table8 table8_load(const int32_t t[8])
{
    return _mm256_loadu_si256((const __m256i *)(const void *)t);
}
static inline vi table8_at(table8 t, vi i) { return _mm256_permutevar8x32_epi32(t, i); }

/* Adds the exponential's terms (add_terms()) of both vectors of a virtual register: 12 instructions
 * each, with two of the cubic's constants in memory. With 16 registers compilers copy and spill,
 * and every extra instruction counts while another thread uses the core. The instructions of both
 * vectors are interleaved in the best order that a search found. */
#define I_TERMS
INLINE_LANES void i_terms(vf sum[2], const float *x, vf per_step, vf magic, vf minus_step,
                          table8 powers, vf r2, const float low[2][8], vi *seen)
{
    vf z0, z1, r0, r1, power;
    __asm__("vmovaps %[magic], %[z0]\n\t"
            "vmovaps %[magic], %[z1]\n\t"
            "vfmadd231ps %[x0], %[per_step], %[z0]\n\t"
            "vfmadd231ps %[x1], %[per_step], %[z1]\n\t"
            "vsubps %[magic], %[z0], %[r0]\n\t"
            "vsubps %[magic], %[z1], %[r1]\n\t"
            "vpor %[z0], %[seen], %[seen]\n\t"
            "vpor %[z1], %[seen], %[seen]\n\t"
            "vpermd %[powers], %[z0], %[power]\n\t"
            "vfmadd213ps %[x0], %[minus_step], %[r0]\n\t"
            "vfmadd213ps %[x1], %[minus_step], %[r1]\n\t"
            "vpslld $20, %[z0], %[z0]\n\t"
            "vpaddd %[z0], %[power], %[power]\n\t"
            "vaddps %[r2], %[r0], %[z0]\n\t" /* the cubic of r0 */
            "vfmadd213ps %[low1], %[r0], %[z0]\n\t"
            "vfmadd213ps %[low0], %[r0], %[z0]\n\t"
            "vpermd %[powers], %[z1], %[r0]\n\t" /* the power of z1 */
            "vpslld $20, %[z1], %[z1]\n\t"
            "vfmadd231ps %[power], %[z0], %[sum0]\n\t"
            "vpaddd %[z1], %[r0], %[r0]\n\t"
            "vaddps %[r2], %[r1], %[z0]\n\t" /* the cubic of r1 */
            "vfmadd213ps %[low1], %[r1], %[z0]\n\t"
            "vfmadd213ps %[low0], %[r1], %[z0]\n\t"
            "vfmadd231ps %[r0], %[z0], %[sum1]"
            : [sum0] "+x"(sum[0]), [sum1] "+x"(sum[1]), [seen] "+x"(*seen), [z0] "=&x"(z0),
              [z1] "=&x"(z1), [r0] "=&x"(r0), [r1] "=&x"(r1), [power] "=&x"(power)
            : [x0] "m"(*(const float(*)[8])(const void *)x),
              [x1] "m"(*(const float(*)[8])(const void *)(x + 8)), [per_step] "x"(per_step),
              [magic] "x"(magic), [minus_step] "x"(minus_step), [powers] "x"(powers), [r2] "x"(r2),
              [low1] "m"(*(const float(*)[8])low[0]), [low0] "m"(*(const float(*)[8])low[1]));
}

/* ---- Folds ----------------------------------------------------------------------------------- */

static inline float i_sum(const vf a[2])
{
    vf s = keep(_mm256_add_ps(a[0], a[1]));
    __m128 h = keep4(_mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1)));
    h = keep4(_mm_add_ps(h, _mm_movehl_ps(h, h)));
    return _mm_cvtss_f32(keep4(_mm_add_ss(h, _mm_movehdup_ps(h))));
}

/* Folds 8 rows: two shuffles gather operands, and one operation folds two rows, so that there are 7
 * operations. */
static inline __attribute__((always_inline)) vf rows_fold(const vf a[][2], vf (*op)(vf, vf))
{
    vf h[8], f[4], t[2];
    for (int r = 0; r < 8; r++) h[r] = op(a[r][0], a[r][1]);
    for (int r = 0; r < 4; r++)
        f[r] = op(_mm256_permute2f128_ps(h[r], h[r + 4], 0x20),
                  _mm256_permute2f128_ps(h[r], h[r + 4], 0x31));
    for (int r = 0; r < 2; r++) {
        __m256d u = _mm256_castps_pd(f[2 * r]), v = _mm256_castps_pd(f[2 * r + 1]);
        t[r] = op(_mm256_castpd_ps(_mm256_unpacklo_pd(u, v)),
                  _mm256_castpd_ps(_mm256_unpackhi_pd(u, v)));
    }
    return op(_mm256_shuffle_ps(t[0], t[1], 0x88), _mm256_shuffle_ps(t[0], t[1], 0xdd));
}

/* ---- Doubles --------------------------------------------------------------------------------- */

static inline vd vd_set1(double a) { return vd_both(_mm256_set1_pd(a), _mm256_set1_pd(a)); }
static inline vd vd_fma(vd a, vd b, vd c)
{
    return vd_both(_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high));
}
static inline vd vd_of(vf a)
{
    return vd_both(_mm256_cvtps_pd(_mm256_castps256_ps128(a)),
                   _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)));
}
static inline vf vd_to(vd a)
{
    return keep(_mm256_set_m128(keep4(_mm256_cvtpd_ps(a.high)), keep4(_mm256_cvtpd_ps(a.low))));
}

struct wide {
    dr d[2]; /* sums 0..3, 4..7 */
};
/* Returns four of the eight sums of a virtual register. */
static inline dr add_as_doubles(__m128 a, __m128 b)
{
    return keep_dr(_mm256_add_pd(keep_dr(_mm256_cvtps_pd(a)), keep_dr(_mm256_cvtps_pd(b))));
}
static inline struct wide wide_of(const vf a[2])
{
    return (struct wide){
        {add_as_doubles(_mm256_castps256_ps128(a[0]), _mm256_castps256_ps128(a[1])),
         add_as_doubles(_mm256_extractf128_ps(a[0], 1), _mm256_extractf128_ps(a[1], 1))}};
}
/* Adds to the sums without wide_of(), with which gcc would copy more. */
static inline struct wide wide_add(struct wide w, const vf a[2])
{
    dr low = add_as_doubles(_mm256_castps256_ps128(a[0]), _mm256_castps256_ps128(a[1]));
    dr high = add_as_doubles(_mm256_extractf128_ps(a[0], 1), _mm256_extractf128_ps(a[1], 1));
    w.d[0] = dr_add(w.d[0], low);
    w.d[1] = dr_add(w.d[1], high);
    return w;
}
static inline double wide_sum(struct wide w)
{
    dr s = dr_add(w.d[0], w.d[1]);
    __m128d h = keep_two(_mm_add_pd(_mm256_castpd256_pd128(s), _mm256_extractf128_pd(s, 1)));
    return _mm_cvtsd_f64(keep_two(_mm_add_sd(h, _mm_unpackhi_pd(h, h))));
}
static inline dr four_wide_sums(const struct wide *w)
{
    dr h[4], f[2];
    for (int r = 0; r < 4; r++) h[r] = dr_add(w[r].d[0], w[r].d[1]);
    for (int r = 0; r < 2; r++)
        f[r] = dr_add(_mm256_permute2f128_pd(h[r], h[r + 2], 0x20),
                      _mm256_permute2f128_pd(h[r], h[r + 2], 0x31));
    return dr_add(_mm256_unpacklo_pd(f[0], f[1]), _mm256_unpackhi_pd(f[0], f[1]));
}
static inline vd rows_wide_sum(const struct wide *w)
{
    return (vd){four_wide_sums(w), four_wide_sums(w + 4)};
}

/* ---- Moments of a batch of rows -------------------------------------------------------------- */

enum { BATCH_ROWS = 8 };
typedef vd per_row;
static inline per_row per_row_set1(double a) { return vd_set1(a); }
static inline per_row per_row_load(const float p[BATCH_ROWS]) { return vd_of(v_load(p)); }
static inline void per_row_store(float p[BATCH_ROWS], per_row a) { v_store(p, vd_to(a)); }
static inline per_row per_row_load_doubles(const double p[BATCH_ROWS])
{
    return vd_both(_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4));
}
static inline void per_row_store_doubles(double p[BATCH_ROWS], per_row a)
{
    _mm256_storeu_pd(p, a.low), _mm256_storeu_pd(p + 4, a.high);
}
static inline void per_row_store_pairs(float p[2 * BATCH_ROWS], per_row a, per_row b)
{
    vf low = _mm256_unpacklo_ps(vd_to(a), vd_to(b)), high = _mm256_unpackhi_ps(vd_to(a), vd_to(b));
    v_store(p, _mm256_permute2f128_ps(low, high, 0x20));
    v_store(p + 8, _mm256_permute2f128_ps(low, high, 0x31));
}
static inline per_row per_row_add(per_row a, per_row b) { return vd_add(a, b); }
static inline per_row per_row_sub(per_row a, per_row b) { return vd_sub(a, b); }
static inline per_row per_row_mul(per_row a, per_row b) { return vd_mul(a, b); }
static inline per_row per_row_div(per_row a, per_row b) { return vd_div(a, b); }
static inline per_row per_row_sqrt(per_row a) { return (per_row){dr_sqrt(a.low), dr_sqrt(a.high)}; }
static inline per_row per_row_max(per_row a, per_row b)
{
    return (per_row){dr_max(a.low, b.low), dr_max(a.high, b.high)};
}
static inline per_row per_row_rounded(per_row a) { return vd_of(vd_to(a)); }
static inline unsigned per_row_at_most(per_row a, per_row b)
{
    dr low, high;
    __asm__("vcmplepd %2, %1, %0" : "=x"(low) : "x"(a.low), "x"(b.low));
    __asm__("vcmplepd %2, %1, %0" : "=x"(high) : "x"(a.high), "x"(b.high));
    return (unsigned)_mm256_movemask_pd(low) | (unsigned)_mm256_movemask_pd(high) << 4;
}
static inline partial_sum partial_sum_of(const vf a[2]) { return keep(_mm256_add_ps(a[0], a[1])); }
static inline per_row per_row_fold(const partial_sum h[BATCH_ROWS])
{
    return vd_of(fold_partial_sums(h));
}
static inline per_row per_row_total(const struct wide w[BATCH_ROWS]) { return rows_wide_sum(w); }

static inline void i_stream(float *p, vf a) { _mm256_stream_ps(p, a); }

#endif
