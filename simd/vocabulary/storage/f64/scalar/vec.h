// SPDX-License-Identifier: MIT
/* The vector vocabulary of doubles in one lane. simd/vocabulary/scalar/vec.h says what each
 * operation means; here are those that need no integers. Beside them, v_load_floats() and
 * v_store_floats() convert from and to fp32 in memory. */
#ifndef VEC_H
#define VEC_H

#include "../first.h"

enum { VL = 1 };
typedef double vf;
typedef int vm;

static inline vf v_set1(double a) { return a; }
static inline vf v_load(const double *p) { return *p; }
static inline void v_store(double *p, vf a) { *p = a; }
static inline vf v_load_part(const double *p, size_t n, double fill) { return n ? *p : fill; }
static inline void v_store_part(double *p, vf a, size_t n)
{
    if (n) *p = a;
}
static inline vf v_first(vf a, size_t n, double fill) { return n ? a : fill; }
static inline vf v_load_floats(const fp32 *p) { return *p; }
static inline void v_store_floats(fp32 *p, vf a) { *p = (fp32)a; }

static inline vf v_add(vf a, vf b) { return a + b; }
static inline vf v_sub(vf a, vf b) { return a - b; }
static inline vf v_mul(vf a, vf b) { return a * b; }
static inline vf v_div(vf a, vf b) { return a / b; }
static inline vf v_mad(vf a, vf b, vf c) { return a * b + c; }
static inline vf v_nmad(vf a, vf b, vf c) { return c - a * b; }
static inline vf v_fma(vf a, vf b, vf c) { return __builtin_fma(a, b, c); }
static inline vf v_max(vf a, vf b) { return a > b ? a : b; }
static inline vf v_min(vf a, vf b) { return a < b ? a : b; }

static inline vm v_lt(vf a, vf b) { return a < b; }
static inline vm v_unord(vf a, vf b) { return __builtin_isunordered(a, b); }
static inline int m_any(vm a) { return a; }
static inline vf v_select(vm m, vf a, vf b) { return m ? a : b; }

static inline double v_sum(vf a) { return a; }
static inline double v_hmax(vf a) { return a; }

#include "../words.h"

#endif
