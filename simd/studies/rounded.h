// SPDX-License-Identifier: MIT
/* A vocabulary of 32 lanes in a 16-bit format: every operation's result is the exact one rounded to
 * the format, to nearest, ties to even, with gradual underflow. The file that includes this
 * (fp16.h, bf16.h) has defined `element`, x_load, y_store and their _part forms (storage.h), and
 *
 *     vf rounded(vf a)    a rounded to the format, as fp32 lanes
 *
 * Here the lanes are fp32 and hold values of the format; avx512fp16/fp16.h has lanes of 16 bits,
 * and gives the same bits. An operation is fp32's, rounded again. For + - * / sqrt the second
 * rounding is harmless because fp32's p = 24 >= 2 q + 2, q = 11 or 8 (Figueroa 1995): the first one
 * can only reach a midpoint of the format where the exact result lies on it. Subnormal results are
 * no exception: a sum that small is exact, and fewer bits only leave more room. exp and log are
 * those of exp.h and log.h, rounded again. In bf16 that is the correctly rounded result of all
 * 65,536 values; in fp16 of all but three, whose fp32 result is a midpoint and goes to the even
 * side, away from the exact one: exp at 0x1.de4p-8 and 0x1.73cp-6, log at 0x1.5ep-8.
 * tests/test_rounded.c tests them all for every compiler, ISA and policy: no policy changes a bit
 * here, since what it may change is less than what is rounded away, and nothing fuses or regroups
 * across a conversion. */
#ifndef ROUNDED_H
#define ROUNDED_H

#include "exp.h"
#include "log.h"
#include "rotate.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { RL = 32, PARTS = RL / VL };
typedef struct {
    vf part[PARTS]; /* lane i is lane i mod VL of part i / VL */
} vr;

#define EACH_PART _Pragma("GCC unroll 32") for (size_t k = 0; k < PARTS; k++)

/* Returns a in every lane; a must be a value of the format. */
static inline vr r_set1(float a)
{
    vr y;
    EACH_PART y.part[k] = v_set1(a);
    return y;
}

/* Returns the first n <= RL elements, with `fill` in the other lanes; reads nothing else. */
static inline vr r_load_part(const element *p, size_t n, float fill)
{
    vr y;
    EACH_PART
    {
        size_t before = k * VL, left = n > before ? n - before : 0;
        y.part[k] = left >= VL ? x_load(p + before)
                    : left     ? x_load_part(p + before, left, fill)
                               : v_set1(fill);
    }
    return y;
}
static inline vr r_load(const element *p)
{
    vr y;
    EACH_PART y.part[k] = x_load(p + k * VL);
    return y;
}
static inline void r_store(element *p, vr a) { EACH_PART y_store(p + k * VL, a.part[k]); }
static inline void r_store_part(element *p, vr a, size_t n)
{
    EACH_PART if (n > k * VL)
        y_store_part(p + k * VL, a.part[k], n - k * VL < VL ? n - k * VL : VL);
}
/* Returns one element in every lane. */
static inline vr r_all(const element *p) { return r_set1(x_at(p)); }
/* Returns the first lane. */
static inline float r_value(vr a)
{
    float first;
    v_store_part(&first, a.part[0], 1);
    return first;
}

static inline vf sum_of(vf a, vf b) { return rounded(v_add(a, b)); }
static inline vf difference_of(vf a, vf b) { return rounded(v_sub(a, b)); }
static inline vf exp_of(vf a) { return rounded(v_exp(a)); }
static inline vf log_of(vf a) { return rounded(v_log(a)); }

ALWAYS_INLINE vr r_each(vr a, vf (*f)(vf))
{
    EACH_PART a.part[k] = f(a.part[k]);
    return a;
}
ALWAYS_INLINE vr r_both(vr a, vr b, vf (*f)(vf, vf))
{
    EACH_PART a.part[k] = f(a.part[k], b.part[k]);
    return a;
}
static inline vr r_add(vr a, vr b) { return r_both(a, b, sum_of); }
static inline vr r_sub(vr a, vr b) { return r_both(a, b, difference_of); }
static inline vr r_exp(vr a) { return r_each(a, exp_of); }
static inline vr r_log(vr a) { return r_each(a, log_of); }
/* Returns the larger; b where one is NaN or both are zero, as the instruction does. */
static inline vr r_max(vr a, vr b) { return r_both(a, b, v_max); }
/* Returns +inf where a >= limit, and a elsewhere, as an accumulator of a smaller range would. */
static inline vr r_overflow(vr a, vr limit)
{
    EACH_PART a.part[k] = v_select(v_le(limit.part[k], a.part[k]), v_set1(INFINITY), a.part[k]);
    return a;
}
static inline int r_any_nan(vr a)
{
    int found = 0;
    EACH_PART found |= m_any(v_unord(a.part[k], a.part[k]));
    return found;
}

/* Reduces the 32 lanes by f: lane i with i + 16, then with i + 8, 4, 2, 1. All lanes of the result
 * are equal. */
ALWAYS_INLINE vr r_fold(vr a, vf (*f)(vf, vf))
{
    _Pragma("GCC unroll 8") for (size_t half = PARTS / 2; half; half /= 2)
        _Pragma("GCC unroll 32") for (size_t k = 0; k < half; k++)
            a.part[k] = f(a.part[k], a.part[k + half]);
    vf first = a.part[0];
    _Pragma("GCC unroll 8") for (size_t by = VL / 2; by; by /= 2) first =
        f(first, v_rotate(first, by));
    EACH_PART a.part[k] = first;
    return a;
}
static inline vr r_sum(vr a) { return r_fold(a, sum_of); }
static inline vr r_hmax(vr a) { return r_fold(a, v_max); }

#endif
