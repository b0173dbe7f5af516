// SPDX-License-Identifier: MIT
/* Arithmetic of the double oracle: double-doubles with FMA, and double-doubles that have an
 * exponent of their own. Only files of src/oracle that are compiled with FMA_AS_WRITTEN include it.
 * Source of the algorithms and of their bounds: M. Joldes, J.-M. Muller, V. Popescu, "Tight and
 * rigorous error bounds for basic building blocks of double-word arithmetic", ACM TOMS 44 (2017).
 */
#ifndef ULPLAB_F64_ARITHMETIC_H
#define ULPLAB_F64_ARITHMETIC_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "oracle/double_double.h"
#include "oracle/f64.h"

/* Returns a + b exactly. */
static inline struct double_double dd_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (struct double_double){s, (a - (s - t)) + (b - t)};
}

/* Returns a + b exactly, where |a| >= |b| or a is 0. */
static inline struct double_double dd_ordered_sum(double a, double b)
{
    double s = a + b;
    return (struct double_double){s, b - (s - a)};
}

/* Returns a b exactly; the product must be above 2^-969. */
static inline struct double_double dd_exact_product(double a, double b)
{
    double p = a * b;
    return (struct double_double){p, __builtin_fma(a, b, -p)};
}

/* Returns a + b within 3 2^-106 of itself, also where it cancels. */
static inline struct double_double dd_plus(struct double_double a, struct double_double b)
{
    struct double_double s = dd_sum(a.hi, b.hi), t = dd_sum(a.lo, b.lo);
    s = dd_ordered_sum(s.hi, s.lo + t.hi);
    return dd_ordered_sum(s.hi, s.lo + t.lo);
}

/* Returns a b within 5 2^-106 of itself. */
static inline struct double_double dd_times(struct double_double a, struct double_double b)
{
    struct double_double p = dd_exact_product(a.hi, b.hi);
    double cross = __builtin_fma(a.lo, b.hi, __builtin_fma(a.hi, b.lo, a.lo * b.lo));
    return dd_ordered_sum(p.hi, p.lo + cross);
}

/* Returns a / b within 10 2^-106 of itself: the quotient of the leading parts, and that of what is
 * left. */
static inline struct double_double dd_over(struct double_double a, struct double_double b)
{
    double q = a.hi / b.hi;
    double rest = __builtin_fma(-q, b.hi, a.hi);
    rest += __builtin_fma(-q, b.lo, a.lo);
    return dd_ordered_sum(q, rest / b.hi);
}

/* Returns a times a power of two. */
static inline struct double_double dd_scaled(struct double_double a, double power)
{
    return (struct double_double){a.hi * power, a.lo * power};
}

/* Returns 2^e, -1022 <= e <= 1023. */
static inline double f64_power(int e)
{
    int64_t bits = (int64_t)(e + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* The number m 2^e, 1 <= |m| < 2, or m = 0 = e. */
struct f64_wide {
    struct double_double m;
    int e;
};

/* Returns a 2^e. */
static inline struct f64_wide f64_wide_of(struct double_double a, int e)
{
    if (a.hi == 0 || !isfinite(a.hi)) return (struct f64_wide){a, 0};
    int k = ilogb(a.hi);
    struct double_double m = {ldexp(a.hi, -k), ldexp(a.lo, -k)};
    return (struct f64_wide){m, e + k};
}

static inline struct f64_wide f64_wide_times(struct f64_wide a, struct f64_wide b)
{
    double sign = a.m.hi * b.m.hi;
    if (sign == 0) return (struct f64_wide){{sign, 0}, 0}; /* a zero keeps its sign */
    return f64_wide_of(dd_times(a.m, b.m), a.e + b.e);
}

static inline struct f64_wide f64_wide_plus(struct f64_wide a, struct f64_wide b)
{
    enum { FAR = 900 };
    if (a.m.hi == 0 || (b.m.hi != 0 && b.e > a.e)) {
        struct f64_wide other = a;
        a = b, b = other;
    }
    if (b.m.hi == 0 || a.e - b.e > FAR)
        return a.m.hi == 0 ? (struct f64_wide){{a.m.hi + b.m.hi, 0}, 0} : a;
    return f64_wide_of(dd_plus(a.m, dd_scaled(b.m, f64_power(b.e - a.e))), a.e);
}

/* Returns the value a 2^e; a.hi must be the double that is nearest to a. */
struct f64_value f64_value_of(struct double_double a, int e);

#endif
