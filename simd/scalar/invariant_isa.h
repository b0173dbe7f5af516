/* What simd/invariant.h needs of an ISA. Here: one lane; a virtual register is 16 of them. */
#ifndef INVARIANT_ISA_H
#define INVARIANT_ISA_H

#include "vec.h"

/* How to define what goes through a virtual register's lanes in each of many places: here that is 16
 * times the text, and once is enough. */
#define INLINE_LANES static __attribute__((noinline, unused))

/* No compiler sees through this, whatever it was promised about arithmetic. Unlike v_barrier it is
 * not volatile: what does not change may leave a loop, and instructions may still be ordered. */
static inline vf keep(vf a) { __asm__("" : "+x"(a)); return a; }

/* sum + a b, in sum's register: clang adds onto a factor's and keeps sums in memory (moments of long rows took 1.6
 * times as long, AVX2). */
static inline vf i_fma_onto(vf sum, vf a, vf b)
{
    __asm__("vfmadd231ss %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
    return sum;
}
/* The instruction itself, b where either is NaN: -ffast-math swaps the operands of an intrinsic. */
static inline vf i_max(vf a, vf b)
{
    vf r;
    __asm__("vmaxss %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
    return r;
}

/* Eight words, looked up by the low three bits of each lane. */
typedef const int32_t *table8;
static inline table8 table8_load(const int32_t t[8]) { return t; }
static inline vi table8_at(table8 t, vi i) { return t[i & 7]; }

/* The sum over a virtual register: lane l + lane l + 8, then 4, 2, 1 apart. */
static inline float i_sum(const vf a[16])
{
    vf s[8];
    for (int l = 0; l < 8; l++) s[l] = keep(a[l] + a[l + 8]);
    for (int n = 4; n; n /= 2)
        for (int l = 0; l < n; l++) s[l] = keep(s[l] + s[l + n]);
    return s[0];
}

/* VL virtual registers, one to a row, to a vector with a row's result in each lane: lane l with lane
 * l + 8, then 4, 2, 1 apart. */
static inline __attribute__((always_inline)) vf rows_fold(const vf a[][16], vf (*op)(vf, vf))
{
    vf s[8];
    for (int l = 0; l < 8; l++) s[l] = op(a[0][l], a[0][l + 8]);
    for (int n = 4; n; n /= 2)
        for (int l = 0; l < n; l++) s[l] = op(s[l], s[l + n]);
    return s[0];
}

/* VL doubles. */
typedef double vd;
static inline vd keep_vd(vd a) { __asm__("" : "+x"(a)); return a; }
static inline vd vd_set1(double a) { return keep_vd(a); }
static inline vd vd_of(vf a) { return keep_vd((double)keep(a)); }
static inline vf vd_to(vd a) { return keep((float)keep_vd(a)); }
static inline vd vd_add(vd a, vd b) { return keep_vd(a + b); }
static inline vd vd_sub(vd a, vd b) { return keep_vd(a - b); }
static inline vd vd_mul(vd a, vd b) { return keep_vd(a * b); }
static inline vd vd_fma(vd a, vd b, vd c) { return keep_vd(__builtin_fma(a, b, c)); }
static inline vd vd_div(vd a, vd b)
{
    vd r;
    __asm__("vdivsd %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
    return r;
}
static inline vd vd_sqrt(vd a)
{
    vd r;
    __asm__("vsqrtsd %1, %1, %0" : "=x"(r) : "x"(a));
    return r;
}

/* Eight sums in double: sum l takes lanes l and l + 8 of a virtual register, added first. */
struct wide {
    double d[8];
};
static inline double keep_wide(double a) { __asm__("" : "+x"(a)); return a; }
static inline struct wide wide_of(const vf a[16])
{
    struct wide w;
    for (int l = 0; l < 8; l++) w.d[l] = keep_wide(keep_wide((double)a[l]) + keep_wide((double)a[l + 8]));
    return w;
}
static inline struct wide wide_add(struct wide w, const vf a[16])
{
    struct wide b = wide_of(a);
    for (int l = 0; l < 8; l++) w.d[l] = keep_wide(w.d[l] + b.d[l]);
    return w;
}
/* The sum of the eight: l + l + 4, then 2, 1 apart; of VL of them. */
static inline double wide_sum(struct wide w)
{
    for (int n = 4; n; n /= 2)
        for (int l = 0; l < n; l++) w.d[l] = keep_wide(w.d[l] + w.d[l + n]);
    return w.d[0];
}
static inline vd rows_wide_sum(const struct wide *w) { return wide_sum(*w); }

/* A group is that many rows whose results are computed together: a double for each. partial_sum_of() adds
 * the lanes of a virtual register as far as one row can alone, per_row_fold() the rest: lane l and lane
 * l + 8, then 4, 2, 1 apart; per_row_total() those of wide sums. */
enum { BATCH_ROWS = 1 };
typedef float partial_sum;
static inline partial_sum partial_sum_of(const vf a[16]) { return i_sum(a); }
typedef double per_row;
static inline per_row per_row_fold(const partial_sum h[BATCH_ROWS]) { return vd_of(h[0]); }
static inline per_row per_row_total(const struct wide w[BATCH_ROWS]) { return wide_sum(w[0]); }
static inline per_row per_row_set1(double a) { return vd_set1(a); }
static inline per_row per_row_load(const float p[BATCH_ROWS]) { return vd_of(p[0]); }
static inline per_row per_row_load_doubles(const double p[BATCH_ROWS]) { return keep_vd(p[0]); }
static inline void per_row_store_doubles(double p[BATCH_ROWS], per_row a) { p[0] = a; }
static inline per_row per_row_add(per_row a, per_row b) { return vd_add(a, b); }
static inline per_row per_row_sub(per_row a, per_row b) { return vd_sub(a, b); }
static inline per_row per_row_mul(per_row a, per_row b) { return vd_mul(a, b); }
static inline per_row per_row_div(per_row a, per_row b) { return vd_div(a, b); }
static inline per_row per_row_sqrt(per_row a) { return vd_sqrt(a); }
/* b where either is NaN */
static inline per_row per_row_max(per_row a, per_row b)
{
    per_row r;
    __asm__("vmaxsd %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
    return r;
}
static inline per_row per_row_rounded(per_row a) { return vd_of(vd_to(a)); } /* to a float */
static inline void per_row_store(float p[BATCH_ROWS], per_row a) { p[0] = vd_to(a); }
/* (a, b) for each row */
static inline void per_row_store_pairs(float p[2 * BATCH_ROWS], per_row a, per_row b) { p[0] = vd_to(a), p[1] = vd_to(b); }
/* A bit for each row where a <= b, which no NaN is. */
static inline unsigned per_row_at_most(per_row a, per_row b)
{
    per_row r;
    uint64_t bits;
    __asm__("vcmplesd %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
    __builtin_memcpy(&bits, &r, sizeof bits);
    return bits & 1;
}

/* Past the caches: 16 floats at a 64-byte boundary. One lane has no such store worth having. */
static inline void i_stream(float *p, vf a) { v_store(p, a); }
static inline void i_stream_end(void) {}

#endif
