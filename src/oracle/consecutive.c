// SPDX-License-Identifier: MIT
#include "oracle/consecutive.h"

#include <immintrin.h>
#include <math.h>
#include <sleef.h>
#include <string.h>

#include "base/float_bits.h"
#include "oracle/unary.h"

/* ---- The continuation of a function from one point ------------------------------------------- */

/* Taylor polynomials on tiles. A tile is at most 2^-15 |x| long, and at most 2^-9 where exp(x) is a
 * float (|x| < 128), so that the terms left out are below 2^-50 of the result: (256 h)^5 / 120 for
 * exp, (256 h / x)^5 / 5 for log. */

/* Writes c, the polynomial at x, where the function has the value f, in steps of h. The caller has
 * set c[0] = f and the other coefficients to 0. */
typedef void taylor(double x, double f, double h, double c[UNARY_TERMS]);

struct expansion {
    const char *op;
    taylor *taylor;
    /* Whether f(1) = 0: values near 1 are small, and so must be their errors. */
    bool zero_at_one;
    /* The |x| from which on, steps being long, f(x + d) = f(x) cos d + f'(x) sin d is used; 0:
     * nowhere. */
    double turns_from;
    /* The interval where the function changes too fast for a polynomial; both 0: none. */
    double steep_from, steep_to;
};

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

static const struct expansion *expansion_find(const char *op)
{
    for (size_t i = 0; i < sizeof expansions / sizeof *expansions; i++)
        if (!strcmp(expansions[i].op, op)) return &expansions[i];
    return NULL;
}

/* ---- Floats by their rank -------------------------------------------------------------------- */

enum { ROW = CONSECUTIVE_ROW, TILE = CONSECUTIVE_TILE, TILES = CONSECUTIVE_TILES };
enum { FRACTION_BITS = 23, EXPONENT_MAX = 255 };

uint32_t float_rank(float x)
{
    uint32_t bits = bits_of_float(x);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static uint32_t bits_of_rank(uint32_t rank)
{
    return rank & 0x80000000u ? rank ^ 0x80000000u : ~rank;
}

float float_of_rank(uint32_t rank)
{
    return float_of_bits(bits_of_rank(rank));
}

/* Writes the row's floats, which have one sign, so that their bits go up or down by one. */
void consecutive_inputs(uint32_t row, float x[ROW])
{
    uint32_t flip = bits_of_rank(row) ^ row;
    for (uint32_t i = 0; i < ROW; i++) x[i] = float_of_bits((row + i) ^ flip);
}

static const struct expansion *expansion_of(const struct oracle *o)
{
    return oracle_source(o) ? NULL : expansion_find(o->op);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Returns the distance between the row's floats; 0 if they are not normal numbers. */
static double consecutive_step_of(uint32_t row)
{
    int exponent = (int)(bits_of_rank(row) >> FRACTION_BITS & EXPONENT_MAX);
    if (exponent == 0 || exponent == EXPONENT_MAX) return 0;
    return ldexp(1, exponent - 127 - FRACTION_BITS);
}

static bool is_steep(const struct expansion *e, uint32_t row)
{
    double first = float_of_rank(row), last = float_of_rank(row + ROW - 1);
    return e->steep_from < e->steep_to && last >= e->steep_from && first <= e->steep_to;
}

/* Computes the derivative at x, where a step is long: sin's is cos, and cos's is -sin. */
static void turn_slopes(const struct oracle *o, const float x[TILES], double slope[TILES])
{
    struct oracle_row facts;
    bool is_sin = !strcmp(o->op, "sin");
    oracle_find(is_sin ? "cos" : "sin")->row(x, TILES, &parameters_default, slope, &facts);
    for (size_t t = 0; t < TILES && !is_sin; t++) slope[t] = -slope[t];
}

/* Values from here on, and the rest of their tile, are beyond all floats: one stands for them all
 * where the terms might overflow. */
static const double beyond_floats = 0x1p200;

/* Gives zeros the function's sign, so that the sum of the terms has it: where a function has
 * vanished, its derivatives have too. */
static void sign_zeros(double c[UNARY_TERMS])
{
    for (int d = 1; d < UNARY_TERMS; d++)
        if (c[0] == 0 && c[d] == 0) c[d] = c[0];
}

void consecutive_expand(const struct oracle *o, uint32_t row, struct consecutive *r)
{
    const struct expansion *expansion = expansion_of(o);
    double h = consecutive_step_of(row), f[TILES], slope[TILES];
    struct oracle_row facts;
    float x[TILES];
    *r = (struct consecutive){.known = expansion && h > 0 && !is_steep(expansion, row)};
    if (!r->known) return;
    /* The anchor is the end of the tile that is nearer to the function's zero, so that the terms
     * add to its value and do not cancel it. */
    float first = float_of_rank(row);
    uint32_t anchor = expansion->zero_at_one && first > 0 && first < 1 ? TILE : 0;
    for (uint32_t t = 0; t < TILES; t++) x[t] = float_of_rank(row + t * TILE + anchor);
    o->row(x, TILES, &parameters_default, f, &facts);
    bool turns = expansion->turns_from > 0 && fabsf(first) >= (float)expansion->turns_from;
    if (turns) {
        *r = (struct consecutive){.known = true, .turns = o, .row = row, .step = h};
        turn_slopes(o, x, slope);
    }
    for (size_t t = 0; t < TILES; t++) {
        r->tiles[t] = (struct consecutive_tile){.from = -(double)anchor, .c = {f[t]}};
        if (turns)
            r->tiles[t].c[1] = slope[t];
        else if (fabs(f[t]) < beyond_floats)
            expansion->taylor((double)x[t], f[t], h, r->tiles[t].c);
        sign_zeros(r->tiles[t].c);
    }
}

/* ---- By the addition theorem ----------------------------------------------------------------- */

/* Computes cos and sin of 0, h, 2 h, .., by the addition theorem from 16 times 16 of them. */
static void turn_table(double h, double cosines[TILE], double sines[TILE])
{
    enum { SIDE = 16 };
    double cos_a[SIDE], sin_a[SIDE], cos_b[SIDE], sin_b[SIDE];
    for (int i = 0; i < SIDE; i += 4) {
        __m256d b = _mm256_mul_pd(_mm256_setr_pd(i, i + 1, i + 2, i + 3), _mm256_set1_pd(h));
        __m256d a = _mm256_mul_pd(b, _mm256_set1_pd(SIDE));
        Sleef___m256d_2 of_a = Sleef_finz_sincosd4_u10avx2(a);
        Sleef___m256d_2 of_b = Sleef_finz_sincosd4_u10avx2(b);
        _mm256_storeu_pd(sin_a + i, of_a.x);
        _mm256_storeu_pd(cos_a + i, of_a.y);
        _mm256_storeu_pd(sin_b + i, of_b.x);
        _mm256_storeu_pd(cos_b + i, of_b.y);
    }
    for (int a = 0; a < SIDE; a++)
        for (int b = 0; b < SIDE; b++) {
            cosines[SIDE * a + b] = cos_a[a] * cos_b[b] - sin_a[a] * sin_b[b];
            sines[SIDE * a + b] = sin_a[a] * cos_b[b] + cos_a[a] * sin_b[b];
        }
}

/* Replaces values whose terms cancel by the oracle's own. */
static void repair_small(const struct consecutive *r, uint32_t tile, double y[TILE])
{
    float x[TILE];
    double exact[TILE];
    struct oracle_row facts;
    size_t count = 0, used = 0;
    for (uint32_t i = 0; i < TILE; i++)
        if (fabs(y[i]) < UNARY_TURN_SMALL) x[count++] = float_of_rank(r->row + tile * TILE + i);
    r->turns->row(x, count, &parameters_default, exact, &facts);
    for (uint32_t i = 0; i < TILE; i++)
        if (fabs(y[i]) < UNARY_TURN_SMALL) y[i] = exact[used++];
}

static void turn_values(const struct consecutive *r, double y[ROW])
{
    const struct unary_rows *rows = unary_rows_here();
    double cosines[TILE], sines[TILE];
    turn_table(r->step, cosines, sines);
    for (uint32_t t = 0; t < TILES; t++)
        if (rows->turn(r->tiles[t].c, cosines, sines, TILE, y + t * TILE))
            repair_small(r, t, y + t * TILE);
}

void consecutive_values(const struct consecutive *r, double y[ROW])
{
    const struct unary_rows *rows = unary_rows_here();
    if (r->turns)
        turn_values(r, y);
    else
        for (size_t t = 0; t < TILES; t++)
            rows->polynomial(r->tiles[t].c, r->tiles[t].from, TILE, y + t * TILE);
}
