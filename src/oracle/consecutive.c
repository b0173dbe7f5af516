#include "oracle/consecutive.h"

#include <immintrin.h>
#include <math.h>
#include <sleef.h>
#include <string.h>

#include "base/float_bits.h"
#include "oracle/unary.h"

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

/* A row's floats have one sign, so that their bits go up or down by one. */
void consecutive_inputs(uint32_t row, float x[ROW])
{
    uint32_t flip = bits_of_rank(row) ^ row;
    for (uint32_t i = 0; i < ROW; i++) x[i] = float_of_bits((row + i) ^ flip);
}

/* ---- Taylor ----------------------------------------------------------------------------------
 * The polynomial at x, where the function has the value f, in steps of h. A tile is at most 2^-15
 * |x| long, and at most 2^-9 where exp(x) is a float (|x| < 128), so that the terms left out are
 * below 2^-50 of the result: (256 h)^5 / 120 for exp, (256 h / x)^5 / 5 for log. */

typedef void taylor(double x, double f, double h, double c[UNARY_TERMS]);

static void exp_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    (void)x;
    c[0] = f;
    for (int d = 1; d < UNARY_TERMS; d++) c[d] = c[d - 1] * h / d;
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

/* s' = s (1 - s), term by term. */
static void sigmoid_taylor(double x, double s, double h, double c[UNARY_TERMS])
{
    (void)x;
    double slope = 1 - 2 * s;
    c[1] = h * s * (1 - s);
    c[2] = h / 2 * c[1] * slope;
    c[3] = h / 3 * (c[2] * slope - c[1] * c[1]);
    c[4] = h / 4 * (c[3] * slope - 2 * c[1] * c[2]);
}

/* f = x P, P' = p, p' = -x p: the normal distribution and its density. Where f is a float and its
 * tail is steep, |x| < 14.2 and 256 h |x| < 2^-8, so that (256 h x)^5 / 120 is at most 2^-47. */
static void gelu_taylor(double x, double f, double h, double c[UNARY_TERMS])
{
    double xx = x * x;
    double p = _mm256_cvtsd_f64(Sleef_finz_expd4_u10avx2(_mm256_set1_pd(xx * -0.5))) *
               0x1.9884533d43651p-2;
    c[1] = h * (f / x + x * p);
    c[2] = h * h / 2 * (2 - xx) * p;
    c[3] = h * h * h / 6 * (xx - 4) * x * p;
    c[4] = h * h * h * h / 24 * ((7 - xx) * xx - 4) * p;
}

static const struct expansion {
    const char *op;
    bool zero_at_one; /* f(1) = 0: values near 1 are small, and so have to be their errors */
    taylor *taylor;
} expansions[] = {{"exp", false, exp_taylor},         {"expkappa", false, exp_taylor},
                  {"log", true, log_taylor},          {"log2", true, log2_taylor},
                  {"sigmoid", false, sigmoid_taylor}, {"gelu", false, gelu_taylor}};

static const struct expansion *expansion_of(const struct oracle *o)
{
    for (size_t i = 0; i < sizeof expansions / sizeof *expansions && !oracle_source(o); i++)
        if (!strcmp(expansions[i].op, o->op)) return &expansions[i];
    return NULL;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The distance between the row's floats; 0 where they are not normal numbers. */
static double step_of(uint32_t row)
{
    int exponent = (int)(bits_of_rank(row) >> FRACTION_BITS & EXPONENT_MAX);
    if (exponent == 0 || exponent == EXPONENT_MAX) return 0;
    return ldexp(1, exponent - 127 - FRACTION_BITS);
}

void consecutive_expand(const struct oracle *o, uint32_t row, struct consecutive *r)
{
    const struct expansion *expansion = expansion_of(o);
    double h = step_of(row), f[TILES];
    struct oracle_row facts;
    float x[TILES];
    r->known = expansion && h > 0;
    if (!r->known) return;
    /* The anchor is the end of the tile that is nearer to the function's zero, so that the terms
     * add to its value and do not cancel it. */
    float first = float_of_rank(row);
    uint32_t anchor = expansion->zero_at_one && first > 0 && first < 1 ? TILE : 0;
    for (uint32_t t = 0; t < TILES; t++) x[t] = float_of_rank(row + t * TILE + anchor);
    o->row(x, TILES, &parameters_default, f, &facts);
    for (size_t t = 0; t < TILES; t++) {
        r->tiles[t] = (struct consecutive_tile){.from = -(double)anchor, .c = {f[t]}};
        if (isfinite(f[t])) expansion->taylor((double)x[t], f[t], h, r->tiles[t].c);
    }
}

void consecutive_values(const struct consecutive *r, double y[ROW])
{
    const struct unary_rows *rows = unary_rows_here();
    for (size_t t = 0; t < TILES; t++)
        rows->polynomial(r->tiles[t].c, r->tiles[t].from, TILE, y + t * TILE);
}
