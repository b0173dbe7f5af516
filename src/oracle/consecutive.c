// SPDX-License-Identifier: MIT
#include "oracle/consecutive.h"

#include <immintrin.h>
#include <math.h>
#include <sleef.h>
#include <string.h>

#include "base/float_bits.h"
#include "oracle/functions.h"
#include "oracle/taylor.h"
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
    function_row *row = is_sin ? cos_row : sin_row;
    row(x, TILES, &parameters_default, slope, &facts);
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
