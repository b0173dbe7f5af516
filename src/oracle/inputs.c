// SPDX-License-Identifier: MIT
#include "oracle/inputs.h"

#include "base/float_bits.h"

typedef float real;
#include "oracle/families.h"

static const struct family_limits limits = {.exp_tiny = -104,
                                            .exp_span = 17,
                                            .tail_tiny = -14.5,
                                            .tail_span = 1.6,
                                            .below = 24,
                                            .outlier = 60,
                                            .huge = 66,
                                            .sum = 124,
                                            .most = 126};

static float uniform_real(uint64_t bits)
{
    return (float)((int32_t)(bits >> 40) - (1 << 23)) * 0x1p-23f;
}

static float subnormal_real(uint64_t bits)
{
    return float_of_bits((uint32_t)(bits >> 32) & 0x807fffff);
}

static float wide_real(uint64_t bits, uint64_t more)
{
    (void)more;
    uint32_t exponent = 1 + (uint32_t)((bits >> 32) * 254 >> 32);
    return float_of_bits(((uint32_t)bits & 0x807fffff) | exponent << 23);
}

static uint64_t order_of_real(float x)
{
    uint32_t b = bits_of_float(x + 0.0f);
    return b >> 31 ? ~b : b | 0x80000000u;
}

const char *family_name(enum family f)
{
    return families[f].name;
}

enum family family_find(const char *name)
{
    enum family f = 0;
    while (f < FAMILY_COUNT && strcmp(families[f].name, name) != 0) f++;
    return f;
}

void inputs_row(enum family f, enum domain d, uint64_t seed, uint64_t row, size_t n, float *x)
{
    families_row(f, d, seed, row, n, x);
}

void inputs_affine(size_t n, float *gamma, float *beta)
{
    families_affine(n, gamma, beta);
}
