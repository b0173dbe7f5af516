// SPDX-License-Identifier: MIT
#include "study/box.h"

#include <math.h>

#include "base/float_bits.h"
#include "base/random.h"

static float study_box_clamp(float x, float low, float high)
{
    return !(x > low) ? low : x < high ? x : high;
}

float float_between(uint64_t *random, float low, float high)
{
    double share = random_unit(random);
    return study_box_clamp((float)((double)low + ((double)high - (double)low) * share), low, high);
}

double box_width(const struct box *b)
{
    return (double)b->high - (double)b->low;
}

float box_clamp(const struct box *b, float x)
{
    return study_box_clamp(x, b->low, b->high);
}

/* ---- Floats in order, as integers: neighbours differ by 1 ------------------------------------ */

static int64_t rank_of(float x)
{
    int32_t bits = (int32_t)bits_of_float(x);
    return bits < 0 ? (int64_t)INT32_MIN - bits : bits;
}

static float box_float_of_rank(int64_t rank)
{
    return float_of_bits((uint32_t)(rank < 0 ? (int64_t)INT32_MIN - rank : rank));
}

float box_step(const struct box *b, float x, int64_t ranks)
{
    int64_t low = rank_of(b->low), high = rank_of(b->high), to = rank_of(x) + ranks;
    return box_float_of_rank(to < low ? low : to > high ? high : to);
}

/* ---- Draws ----------------------------------------------------------------------------------- */

float box_uniform(const struct box *b, uint64_t *random)
{
    return float_between(random, b->low, b->high);
}

float box_any_float(const struct box *b, uint64_t *random)
{
    int64_t low = rank_of(b->low), high = rank_of(b->high);
    return box_float_of_rank(low + (int64_t)(random_next(random) % (uint64_t)(high - low + 1)));
}

/* Draws a number with x's sign and, half of the time, its exponent. */
static float near_power_of_two(const struct box *b, float x, uint64_t *random)
{
    int exponent;
    frexpf(random_below(random, 2) ? box_any_float(b, random) : x, &exponent);
    float power = box_clamp(b, copysignf(ldexpf(0.5f, exponent), x));
    return box_step(b, power, (int64_t)random_below(random, 17) - 8);
}

float box_notable_float(const struct box *b, uint64_t *random)
{
    float x = box_uniform(b, random);
    switch (random_below(random, 8)) {
    case 0:
        return box_any_float(b, random);
    case 1: {
        double grid = ldexp(box_width(b), -(int)random_below(random, 12));
        return box_clamp(b, (float)(round((double)x / grid) * grid));
    }
    case 2:
        return random_below(random, 2) ? b->low : b->high;
    case 3:
        return near_power_of_two(b, x, random);
    default:
        return x;
    }
}
