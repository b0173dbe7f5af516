// SPDX-License-Identifier: MIT
/* Taylor polynomials on tiles. A tile is at most 2^-15 |x| long, and at most 2^-9 where exp(x) is a
 * float (|x| < 128), so that the terms left out are below 2^-50 of the result: (256 h)^5 / 120 for
 * exp, (256 h / x)^5 / 5 for log. */
#include "oracle/taylor.h"

#include <immintrin.h>
#include <sleef.h>
#include <string.h>

static double exp_fixed(double a)
{
    return _mm256_cvtsd_f64(Sleef_finz_expd4_u10avx2(_mm256_set1_pd(a)));
}

/* ---- Exponentials and logarithms ------------------------------------------------------------- */

/* Writes the terms of f' = rate f, from the second one on. */
static void exponential(double slope, double rate, double h, double c[UNARY_TERMS])
{
    c[1] = h * slope;
    for (int d = 2; d < UNARY_TERMS; d++) c[d] = c[d - 1] * h * rate / d;
}

static void exp_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    (void)x;
    exponential(f, 1, h, c);
}

static void exp2_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    (void)x;
    const double ln2 = 0x1.62e42fefa39efp-1;
    exponential(f * ln2, ln2, h, c);
}

static void expm1_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    (void)x;
    exponential(f + 1, 1, h, c);
}

static void log_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    (void)f;
    double t = h / x, power = -1;
    for (int d = 1; d < UNARY_TERMS; d++) c[d] = (power *= -t) / d;
}

static void log2_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    log_taylor(x, f, h, c);
    for (int d = 1; d < UNARY_TERMS; d++) c[d] *= 0x1.71547652b82fep0;
}

static void log1p_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    log_taylor(1 + x, f, h, c);
}

/* ---- Sigmoid and what is made of it ---------------------------------------------------------- */

/* Writes the terms of s' = s (1 - s), one by one. */
static void sigmoid_taylor(double x, double s, double h, double c[UNARY_TERMS])
{
    (void)x;
    double slope = 1 - 2 * s;
    c[1] = h * s * (1 - s);
    c[2] = h / 2 * c[1] * slope;
    c[3] = h / 3 * (c[2] * slope - c[1] * c[1]);
    c[4] = h / 4 * (c[3] * slope - 2 * c[1] * c[2]);
}

/* Writes the terms of x s. */
static void silu_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    double s[UNARY_TERMS] = {f / x};
    sigmoid_taylor(x, s[0], h, s);
    for (int d = 1; d < UNARY_TERMS; d++) c[d] = x * s[d] + h * s[d - 1];
}

/* Writes the terms of f' = s = 1 - exp(-f). */
static void softplus_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    double s[UNARY_TERMS] = {-_mm256_cvtsd_f64(Sleef_finz_expm1d4_u10avx2(_mm256_set1_pd(-f)))};
    sigmoid_taylor(x, s[0], h, s);
    for (int d = 1; d < UNARY_TERMS; d++) c[d] = h / d * s[d - 1];
}

/* Writes the terms of f' = 1 - f^2, one by one. */
static void tanh_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    (void)x;
    c[1] = h * (1 - f) * (1 + f);
    c[2] = -h * f * c[1];
    c[3] = -h / 3 * (2 * f * c[2] + c[1] * c[1]);
    c[4] = -h / 2 * (f * c[3] + c[1] * c[2]);
}

/* ---- The normal distribution ----------------------------------------------------------------- */

/* Writes the terms of f = x P, P' = p, p' = -x p: the normal distribution and its density. Where f
 * is a float and its tail is steep, |x| < 14.2 and 256 h |x| < 2^-8, so that (256 h x)^5 / 120 is
 * at most 2^-47. */
static void gelu_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    double xx = x * x, p = exp_fixed(xx * -0.5) * 0x1.9884533d43651p-2;
    c[1] = h * (f / x + x * p);
    c[2] = h * h / 2 * (2 - xx) * p;
    c[3] = h * h * h / 6 * (xx - 4) * x * p;
    c[4] = h * h * h * h / 24 * ((7 - xx) * xx - 4) * p;
}

/* Writes the terms of f' = p, p' = -2 x p. */
static void erf_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    (void)f;
    double xx = x * x, p = exp_fixed(-xx) * 0x1.20dd750429b6dp+0;
    c[1] = h * p;
    c[2] = -h * h * x * p;
    c[3] = h * h * h / 3 * (2 * xx - 1) * p;
    c[4] = h * h * h * h / 6 * (3 - 2 * xx) * x * p;
}

/* ---- Others ---------------------------------------------------------------------------------- */

static void rsqrt_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    (void)f;
    double t = h / x;
    for (int d = 1; d < UNARY_TERMS; d++) c[d] = c[d - 1] * t * (0.5 - d) / d;
}

/* Writes the terms of f'' = -f, a rotation. */
static void rotation(double f, double slope, double h, double c[UNARY_TERMS])
{
    c[1] = h * slope;
    c[2] = h * h / -2 * f;
    c[3] = h * h / -6 * c[1];
    c[4] = h * h / -12 * c[2];
}

static void sin_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    rotation(f, _mm256_cvtsd_f64(Sleef_finz_cosd4_u10avx2(_mm256_set1_pd(x))), h, c);
}

static void cos_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    rotation(f, -_mm256_cvtsd_f64(Sleef_finz_sind4_u10avx2(_mm256_set1_pd(x))), h, c);
}

/* The expansions. Below 16 a tile is at most 2^-12 long, and sin and cos of a float at least 2^-26:
 * (256 h)^5 / 120 is 2^-66. */
static const struct expansion expansions[] = {
    {.op = "exp", .taylor = exp_taylor},
    {.op = "expkappa", .taylor = exp_taylor},
    {.op = "log", .taylor = log_taylor, .zero_at_one = true},
    {.op = "log2", .taylor = log2_taylor, .zero_at_one = true},
    {.op = "sigmoid", .taylor = sigmoid_taylor},
    {.op = "gelu", .taylor = gelu_taylor},
    {.op = "exp2", .taylor = exp2_taylor},
    {.op = "expm1", .taylor = expm1_taylor},
    {.op = "log1p", .taylor = log1p_taylor, .steep_from = -1, .steep_to = -63. / 64},
    {.op = "tanh", .taylor = tanh_taylor},
    {.op = "erf", .taylor = erf_taylor},
    {.op = "silu", .taylor = silu_taylor},
    {.op = "softplus", .taylor = softplus_taylor},
    {.op = "sin", .taylor = sin_taylor, .turns_from = 16},
    {.op = "cos", .taylor = cos_taylor, .turns_from = 16},
    {.op = "rsqrt", .taylor = rsqrt_taylor},
};

const struct expansion *expansion_find(const char *op)
{
    for (size_t i = 0; i < sizeof expansions / sizeof *expansions; i++)
        if (!strcmp(expansions[i].op, op)) return &expansions[i];
    return NULL;
}
