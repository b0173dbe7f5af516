// SPDX-License-Identifier: MIT
/* The operations that simd/invariant needs of an ISA whose vectors are one lane, in terms of those
 * of registers.h. invariant_isa.h includes this file after dr_sqrt() and dr_at_most(). Each name is
 * defined here. */
#ifndef ONE_LANE_H
#define ONE_LANE_H

/* INLINE_LANES marks functions that go through the lanes of a virtual register and are called in
 * many places. They are not inlined here, because one lane per vector makes them 16 times as
 * large. */
#define INLINE_LANES static __attribute__((noinline, unused))

/* A table of eight words, looked up by the low three bits of each lane. */
typedef const int32_t *table8;
static inline table8 table8_load(const int32_t t[8]) { return t; }
static inline vi table8_at(table8 t, vi i) { return t[i & 7]; }

/* ---- Folds ----------------------------------------------------------------------------------- */

/* Returns the sum over a virtual register, folded: a fold combines lane l with lane l + 8, then 4,
 * 2, 1 apart. */
static inline float i_sum(const vf a[16])
{
    vf s[8];
    for (int l = 0; l < 8; l++) s[l] = keep(a[l] + a[l + 8]);
    for (int n = 4; n; n /= 2)
        for (int l = 0; l < n; l++) s[l] = keep(s[l] + s[l + n]);
    return s[0];
}

/* Folds VL virtual registers, one per row, into a vector with row l's result in lane l. */
static inline __attribute__((always_inline)) vf rows_fold(const vf a[][16], vf (*op)(vf, vf))
{
    vf s[8];
    for (int l = 0; l < 8; l++) s[l] = op(a[0][l], a[0][l + 8]);
    for (int n = 4; n; n /= 2)
        for (int l = 0; l < n; l++) s[l] = op(s[l], s[l + n]);
    return s[0];
}

/* ---- Doubles --------------------------------------------------------------------------------- */

/* A vector of VL doubles. */
typedef dr vd;
static inline vd vd_set1(double a) { return keep_dr(a); }
static inline vd vd_of(vf a) { return keep_dr((double)keep(a)); }
static inline vf vd_to(vd a) { return keep((float)keep_dr(a)); }
static inline vd vd_add(vd a, vd b) { return dr_add(a, b); }
static inline vd vd_sub(vd a, vd b) { return dr_sub(a, b); }
static inline vd vd_mul(vd a, vd b) { return dr_mul(a, b); }
static inline vd vd_fma(vd a, vd b, vd c) { return keep_dr(__builtin_fma(a, b, c)); }
static inline vd vd_div(vd a, vd b) { return dr_div(a, b); }

/* Eight sums in double: sum l adds lanes l and l + 8 of virtual registers, which are added to each
 * other first. */
struct wide {
    dr d[8];
};
static inline struct wide wide_of(const vf a[16])
{
    struct wide w;
    for (int l = 0; l < 8; l++) w.d[l] = keep_dr(keep_dr((double)a[l]) + keep_dr((double)a[l + 8]));
    return w;
}
static inline struct wide wide_add(struct wide w, const vf a[16])
{
    struct wide b = wide_of(a);
    for (int l = 0; l < 8; l++) w.d[l] = keep_dr(w.d[l] + b.d[l]);
    return w;
}
/* wide_sum() returns the sum of the eight: l and l + 4, then 2, 1 apart. rows_wide_sum() returns
 * those of VL rows. */
static inline double wide_sum(struct wide w)
{
    for (int n = 4; n; n /= 2)
        for (int l = 0; l < n; l++) w.d[l] = keep_dr(w.d[l] + w.d[l + n]);
    return w.d[0];
}
static inline vd rows_wide_sum(const struct wide *w) { return wide_sum(*w); }

/* ---- Moments of a batch of rows -------------------------------------------------------------- */

/* Moments are computed for BATCH_ROWS rows together: per_row is a double for each of them. */
enum { BATCH_ROWS = 1 };
typedef dr per_row;
static inline per_row per_row_set1(double a) { return keep_dr(a); }
static inline per_row per_row_load(const float p[BATCH_ROWS]) { return vd_of(p[0]); }
static inline void per_row_store(float p[BATCH_ROWS], per_row a) { p[0] = vd_to(a); }
static inline per_row per_row_load_doubles(const double p[BATCH_ROWS]) { return keep_dr(p[0]); }
static inline void per_row_store_doubles(double p[BATCH_ROWS], per_row a) { p[0] = a; }
/* Stores (a, b) of each row, as floats. */
static inline void per_row_store_pairs(float p[2 * BATCH_ROWS], per_row a, per_row b)
{
    p[0] = vd_to(a), p[1] = vd_to(b);
}
static inline per_row per_row_add(per_row a, per_row b) { return dr_add(a, b); }
static inline per_row per_row_sub(per_row a, per_row b) { return dr_sub(a, b); }
static inline per_row per_row_mul(per_row a, per_row b) { return dr_mul(a, b); }
static inline per_row per_row_div(per_row a, per_row b) { return dr_div(a, b); }
static inline per_row per_row_sqrt(per_row a) { return dr_sqrt(a); }
static inline per_row per_row_max(per_row a, per_row b) { return dr_max(a, b); }
/* Rounds each to the nearest float. */
static inline per_row per_row_rounded(per_row a) { return vd_of(vd_to(a)); }
/* Returns one bit per row, set if a <= b, clear if either is NaN. */
static inline unsigned per_row_at_most(per_row a, per_row b) { return dr_at_most(a, b); }
/* A row's virtual register, folded as far as that is cheap for a single row; per_row_fold() does
 * the rest for all rows at once. */
typedef float partial_sum;
static inline partial_sum partial_sum_of(const vf a[16]) { return i_sum(a); }
static inline per_row per_row_fold(const partial_sum h[BATCH_ROWS]) { return vd_of(h[0]); }
/* Returns wide_sum() of each row. */
static inline per_row per_row_total(const struct wide w[BATCH_ROWS]) { return wide_sum(w[0]); }

/* ---- Streaming stores ------------------------------------------------------------------------ */

/* i_stream() stores a vector, aligned to its size, without reading its line into the caches;
 * i_stream_end() is the fence after the last of such stores. One lane gains nothing by
 * streaming. */
static inline void i_stream(float *p, vf a) { v_store(p, a); }
static inline void i_stream_end(void) {}

#endif
