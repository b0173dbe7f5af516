// SPDX-License-Identifier: MIT
#include "model/dtype.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/float_bits.h"
#include "kernel.h"

/* Returns a / 2^shift, rounded to nearest, ties to even. */
static uint32_t rounded_shift(uint32_t a, uint32_t shift)
{
    return (a + (1u << (shift - 1)) - 1 + (a >> shift & 1)) >> shift;
}

static uint16_t bf16_of(float a)
{
    uint32_t b = bits_of_float(a);
    return (uint16_t)(isnan(a) ? b >> 16 | 0x40 : rounded_shift(b, 16));
}

static float float_of_bf16(uint16_t h)
{
    return float_of_bits((uint32_t)h << 16);
}

static uint16_t f16_of(float a)
{
    uint32_t b = bits_of_float(a), sign = b >> 16 & 0x8000, size = b & 0x7fffffff, word;
    if (size > 0x7f800000)
        word = 0x7e00 | (size >> 13 & 0x3ff);
    else if (size >= 0x477ff000) /* 65520 */
        word = 0x7c00;
    else if (size >= 0x38800000) /* 2^-14 */
        word = rounded_shift(size - (112u << 23), 13);
    else if (size < 0x33000000) /* 2^-25 */
        word = 0;
    else
        word = rounded_shift((size & 0x7fffff) | 0x800000, 126 - (size >> 23));
    return (uint16_t)(sign | word);
}

static float float_of_f16(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, size = h & 0x7fff;
    if (size >= 0x7c00)
        return float_of_bits(sign | 0x7f800000 | size << 13 | (size > 0x7c00 ? 0x400000 : 0));
    if (size < 0x400) return float_of_bits(sign | bits_of_float((float)size * 0x1p-24f));
    return float_of_bits(sign | ((size << 13) + (112u << 23)));
}

/* Defines TYPE_narrow() and TYPE_widen(), by what makes a value of `stored` of a float, and back.
 */
#define CONVERSIONS(type, stored, of, back)                                                        \
    static void type##_narrow(const float *from, void *to, size_t count)                           \
    {                                                                                              \
        stored *y = to;                                                                            \
        for (size_t i = 0; i < count; i++) y[i] = of(from[i]);                                     \
    }                                                                                              \
    static void type##_widen(const void *from, float *to, size_t count)                            \
    {                                                                                              \
        const stored *x = from;                                                                    \
        for (size_t i = 0; i < count; i++) to[i] = back(x[i]);                                     \
    }
CONVERSIONS(f32, float, (float), (float))
CONVERSIONS(bf16, uint16_t, bf16_of, float_of_bf16)
CONVERSIONS(f16, uint16_t, f16_of, float_of_f16)
CONVERSIONS(f64, double, (double), (float))

const struct dtype dtype_f32 = {"f32",
                                .bytes = 4,
                                .fraction_bits = 23,
                                .min_exponent = -126,
                                .largest = 0x1.fffffep127,
                                .overflow = 0x1.ffffffp127,
                                .least = 0x1p-149,
                                .narrow = f32_narrow,
                                .widen = f32_widen};
static const struct dtype dtype_bf16 = {"bf16",
                                        .bytes = 2,
                                        .fraction_bits = 7,
                                        .min_exponent = -126,
                                        .largest = 0x1.fep127,
                                        .overflow = 0x1.ffp127,
                                        .least = 0x1p-133,
                                        .narrow = bf16_narrow,
                                        .widen = bf16_widen};
static const struct dtype dtype_f16 = {"f16",
                                       .bytes = 2,
                                       .fraction_bits = 10,
                                       .min_exponent = -14,
                                       .largest = 65504,
                                       .overflow = 65520,
                                       .least = 0x1p-24,
                                       .narrow = f16_narrow,
                                       .widen = f16_widen};
const struct dtype dtype_f64 = {"f64",
                                .bytes = 8,
                                .fraction_bits = 52,
                                .min_exponent = -1022,
                                .largest = DBL_MAX,
                                .overflow = INFINITY,
                                .least = 0x1p-1074,
                                .narrow = f64_narrow,
                                .widen = f64_widen};

const struct dtype *dtype_find(const char *name)
{
    static const struct dtype *const types[] = {&dtype_f32, &dtype_bf16, &dtype_f16, &dtype_f64};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i]->name, name)) return types[i];
    return NULL;
}

const struct dtype *dtype_computed(const struct dtype *t)
{
    return t == &dtype_f64 ? t : &dtype_f32;
}

const struct dtype *dtype_of(const struct kernel *k)
{
    const struct dtype *t = k->dtype ? dtype_find(k->dtype) : NULL;
    return t ? t : &dtype_f32;
}

void dtype_round_inputs(const struct dtype *t, float *x, size_t count)
{
    enum { TILE = 256 };
    uint32_t words[TILE];
    if (t == &dtype_f32 || t == &dtype_f64) return;
    for (size_t i = 0; i < count; i += TILE) {
        size_t length = count - i < TILE ? count - i : TILE;
        for (size_t k = i; k < i + length; k++)
            if (fabsf(x[k]) > (float)t->largest && fabsf(x[k]) <= FLT_MAX)
                x[k] = copysignf((float)t->largest, x[k]);
        t->narrow(x + i, words, length);
        t->widen(words, x + i, length);
    }
}
