// SPDX-License-Identifier: MIT
#include "oracle/inputs.h"

#include <string.h>

typedef double real;
#include "oracle/families.h"

static const struct family_limits limits = {.exp_tiny = -745.5,
                                            .exp_span = 37.5,
                                            .tail_tiny = -38.5,
                                            .tail_span = 0.9,
                                            .below = 53,
                                            .outlier = 996,
                                            .huge = 514,
                                            .sum = 1020,
                                            .most = 1022};

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double uniform_real(uint64_t bits)
{
    return (double)((int64_t)(bits >> 11) - (1ll << 52)) * 0x1p-52;
}

static double subnormal_real(uint64_t bits)
{
    return double_of(bits & 0x800fffffffffffff);
}

static double wide_real(uint64_t bits, uint64_t more)
{
    uint64_t exponent = 1 + ((more >> 32) * 2046 >> 32);
    return double_of((bits & 0x800fffffffffffff) | exponent << 52);
}

static uint64_t order_of_real(double x)
{
    uint64_t b;
    x += 0.0;
    memcpy(&b, &x, sizeof b);
    return b >> 63 ? ~b : b | 0x8000000000000000u;
}

void f64_inputs_row(enum family f, enum domain d, uint64_t seed, uint64_t row, size_t n, double *x)
{
    families_row(f, d, seed, row, n, x);
}

void f64_inputs_affine(size_t n, double *gamma, double *beta)
{
    families_affine(n, gamma, beta);
}
