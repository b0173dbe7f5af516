#include "study/variation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Random choices: splitmix64 ---------------------------------------------------------------
 */

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

size_t random_below(uint64_t *state, size_t count)
{
    return (size_t)((random_next(state) >> 32) * (uint64_t)count >> 32);
}

static float within(float x, float low, float high)
{
    return !(x > low) ? low : x < high ? x : high;
}

float random_between(uint64_t *state, float low, float high)
{
    double share = (double)(random_next(state) >> 11) * 0x1p-53;
    return within((float)((double)low + ((double)high - (double)low) * share), low, high);
}

static size_t below(struct variation *v, size_t count)
{
    return random_below(&v->random, count);
}

/* 1 .. most, small ones as often as large ones. */
static size_t some(struct variation *v, size_t most)
{
    unsigned bits = 1;
    while (most >> bits) bits++;
    size_t limit = (size_t)1 << below(v, bits);
    size_t count = limit + below(v, limit);
    return count < most ? count : most;
}

/* Floats in order, as integers: neighbours differ by 1. */
static int64_t rank_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? (int64_t)INT32_MIN - bits : bits;
}

static float of_rank(int64_t rank)
{
    int32_t bits = (int32_t)(rank < 0 ? (int64_t)INT32_MIN - rank : rank);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float inside(const struct variation *v, float x)
{
    return within(x, v->low, v->high);
}

static float step(const struct variation *v, float x, int64_t ranks)
{
    int64_t low = rank_of(v->low), high = rank_of(v->high), to = rank_of(x) + ranks;
    return of_rank(to < low ? low : to > high ? high : to);
}

/* Every float of the box as often as any other: exponents are uniform. */
static float any_float(struct variation *v)
{
    int64_t low = rank_of(v->low), high = rank_of(v->high);
    return of_rank(low + (int64_t)(random_next(&v->random) % (uint64_t)(high - low + 1)));
}

static double width(const struct variation *v)
{
    return (double)v->high - (double)v->low;
}

static float uniform(struct variation *v)
{
    return random_between(&v->random, v->low, v->high);
}

/* Uniform; one with few bits; an edge; near a power of two, where a rounding weighs most. */
static float fresh(struct variation *v)
{
    float x = uniform(v);
    switch (below(v, 8)) {
    case 0:
        return any_float(v);
    case 1: {
        double grid = ldexp(width(v), -(int)below(v, 12));
        return inside(v, (float)(round((double)x / grid) * grid));
    }
    case 2:
        return below(v, 2) ? v->low : v->high;
    case 3: {
        int exponent;
        frexpf(below(v, 2) ? any_float(v) : x, &exponent);
        return step(v, inside(v, copysignf(ldexpf(0.5f, exponent), x)), (int64_t)below(v, 17) - 8);
    }
    default:
        return x;
    }
}

/* ---- Which elements ----------------------------------------------------------------------------
 */

typedef void choice(struct variation *, const float *row);

static void one(struct variation *v, const float *row)
{
    (void)row;
    v->at[0] = below(v, v->n);
    v->count = 1;
}

static void few(struct variation *v, const float *row)
{
    (void)row;
    v->count = some(v, v->n < 64 ? v->n : 64);
    for (size_t k = 0; k < v->count; k++) v->at[k] = below(v, v->n);
}

static void stretch(struct variation *v, const float *row)
{
    (void)row;
    size_t first = below(v, v->n), most = some(v, v->n);
    v->count = 0;
    for (size_t j = first; j < v->n && v->count < most; j++) v->at[v->count++] = j;
}

/* Those that share some bits of their positions: one subtree of a sum, or its like in all. */
static void lattice(struct variation *v, const float *row)
{
    (void)row;
    uint64_t mask = random_next(&v->random), pattern = below(v, v->n);
    switch (below(v, 4)) {
    case 0:
        mask &= random_next(&v->random);
        break;
    case 1:
        mask |= random_next(&v->random);
        break;
    case 2:
        mask = ((uint64_t)1 << below(v, 10)) - 1;
        break;
    default:
        break;
    }
    v->count = 0;
    for (size_t j = 0; j < v->n; j++)
        if ((j & mask) == (pattern & mask)) v->at[v->count++] = j;
}

/* Elements at equal distances, as a vector's lanes see them. */
static void comb(struct variation *v, const float *row)
{
    (void)row;
    size_t stride = below(v, 4) ? (size_t)1 << below(v, 9) : some(v, v->n);
    size_t first = below(v, v->n), most = some(v, v->n / stride + 1);
    v->count = 0;
    for (size_t j = first; j < v->n && v->count < most; j += stride) v->at[v->count++] = j;
}

/* Those whose values are equal, or nearly so. */
static void alike(struct variation *v, const float *row)
{
    float x = row[below(v, v->n)];
    double reach = below(v, 2) ? 0 : ldexp(width(v), -1 - (int)below(v, 20));
    v->count = 0;
    for (size_t j = 0; j < v->n; j++)
        if (fabs((double)row[j] - (double)x) <= reach) v->at[v->count++] = j;
}

static void all(struct variation *v, const float *row)
{
    (void)row;
    for (size_t j = 0; j < v->n; j++) v->at[j] = j;
    v->count = v->n;
}

static choice *const choices[VARIATION_CHOICES] = {one, few, stretch, lattice, comb, alike, all};

/* ---- What becomes of them ----------------------------------------------------------------------
 */

typedef void change(struct variation *, float *row, const float *other);

static void to_one_value(struct variation *v, float *row, const float *other)
{
    (void)other;
    float x = fresh(v);
    for (size_t k = 0; k < v->count; k++) row[v->at[k]] = x;
}

static void to_any_values(struct variation *v, float *row, const float *other)
{
    (void)other;
    for (size_t k = 0; k < v->count; k++) row[v->at[k]] = fresh(v);
}

static void to_a_value_there(struct variation *v, float *row, const float *other)
{
    (void)other;
    float x = row[below(v, v->n)];
    for (size_t k = 0; k < v->count; k++) row[v->at[k]] = x;
}

/* By the same amount, of any size: from the box to its last bits. */
static void shifted(struct variation *v, float *row, const float *other)
{
    (void)other;
    double by = ldexp((double)random_between(&v->random, -1, 1) * width(v), -(int)below(v, 28));
    for (size_t k = 0; k < v->count; k++)
        row[v->at[k]] = inside(v, (float)((double)row[v->at[k]] + by));
}

static void jittered(struct variation *v, float *row, const float *other)
{
    (void)other;
    double by = ldexp(width(v), -(int)below(v, 28));
    for (size_t k = 0; k < v->count; k++) {
        double d = (double)random_between(&v->random, -1, 1) * by;
        row[v->at[k]] = inside(v, (float)((double)row[v->at[k]] + d));
    }
}

static void stepped(struct variation *v, float *row, const float *other)
{
    (void)other;
    int64_t by = (int64_t)some(v, 64);
    if (below(v, 2)) by = -by;
    for (size_t k = 0; k < v->count; k++) row[v->at[k]] = step(v, row[v->at[k]], by);
}

static void flipped(struct variation *v, float *row, const float *other)
{
    (void)other;
    uint32_t bit = 1u << below(v, 24);
    for (size_t k = 0; k < v->count; k++) {
        uint32_t bits;
        float x;
        memcpy(&bits, &row[v->at[k]], sizeof bits);
        bits ^= bit;
        memcpy(&x, &bits, sizeof x);
        row[v->at[k]] = inside(v, x);
    }
}

/* What helped in one place often helps beside it. */
static void copied(struct variation *v, float *row, const float *other)
{
    (void)other;
    size_t by = below(v, 2) ? (size_t)1 << below(v, 12) : below(v, v->n);
    for (size_t k = 0; k < v->count; k++) {
        size_t from =
            (v->at[k] ^ by) < v->n && below(v, 2) ? v->at[k] ^ by : (v->at[k] + by) % v->n;
        row[v->at[k]] = row[from];
    }
}

static void crossed(struct variation *v, float *row, const float *other)
{
    for (size_t k = 0; k < v->count; k++) row[v->at[k]] = inside(v, other[v->at[k]]);
}

/* To the other side of one of the values. */
static void mirrored(struct variation *v, float *row, const float *other)
{
    (void)other;
    double about = (double)row[below(v, v->n)];
    if (below(v, 2)) about = ((double)v->low + (double)v->high) / 2;
    for (size_t k = 0; k < v->count; k++)
        row[v->at[k]] = inside(v, (float)(2 * about - (double)row[v->at[k]]));
}

/* Onto a coarser grid. */
static void rounded(struct variation *v, float *row, const float *other)
{
    (void)other;
    double grid = ldexp(width(v), -(int)below(v, 24));
    for (size_t k = 0; k < v->count; k++)
        row[v->at[k]] = inside(v, (float)(round((double)row[v->at[k]] / grid) * grid));
}

/* Closer to one of the values, or farther from it. */
static void scaled(struct variation *v, float *row, const float *other)
{
    (void)other;
    double about = (double)row[below(v, v->n)], by = ldexp(1, (int)below(v, 7) - 4);
    for (size_t k = 0; k < v->count; k++)
        row[v->at[k]] = inside(v, (float)(about + ((double)row[v->at[k]] - about) * by));
}

/* Where a partner stands: as far away as lanes, vectors and chains are, or anywhere. */
static size_t partner(struct variation *v, size_t j)
{
    size_t other = j ^ (size_t)1 << below(v, 12);
    return other < v->n && below(v, 2) ? other : below(v, v->n);
}

/* The sum stays what it is; what is rounded on the way does not. */
static void swapped(struct variation *v, float *row, const float *unused)
{
    (void)unused;
    size_t by = (size_t)1 << below(v, 12);
    for (size_t k = 0; k < v->count; k++) {
        size_t j = v->at[k], other = (j ^ by) < v->n ? j ^ by : partner(v, j);
        if (v->count < 4) other = partner(v, j);
        float x = row[j];
        row[j] = row[other];
        row[other] = x;
    }
}

/* Each and its partner by as much the other way: sums further up hardly move. */
static void opposed(struct variation *v, float *row, const float *unused)
{
    (void)unused;
    int64_t by = (int64_t)some(v, 16);
    if (below(v, 2)) by = -by;
    for (size_t k = 0; k < v->count; k++) {
        size_t other = partner(v, v->at[k]);
        row[v->at[k]] = step(v, row[v->at[k]], by);
        row[other] = step(v, row[other], -by);
    }
}

static change *const changes[VARIATION_CHANGES] = {
    to_one_value, to_any_values, to_a_value_there, shifted, jittered, stepped, flipped,
    copied,       crossed,       mirrored,         rounded, scaled,   swapped, opposed};

/* ---- The ways ---------------------------------------------------------------------------------
 */

static size_t weighted(struct variation *v, const double *weights, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += weights[k];
    double left = (double)(random_next(&v->random) >> 11) * 0x1p-53 * sum;
    size_t k = 0;
    while (k + 1 < count && left >= weights[k]) left -= weights[k++];
    return k;
}

struct variation_move variation_apply(struct variation *v, float *row, const float *other)
{
    struct variation_move w = {(unsigned char)weighted(v, v->choice_weight, VARIATION_CHOICES),
                    (unsigned char)weighted(v, v->change_weight, VARIATION_CHANGES)};
    choices[w.choice](v, row);
    changes[w.change](v, row, other);
    return w;
}

/* Means over a few dozen of tries each; never so small that a way is lost. */
static void credit(double *weight, double share)
{
    *weight += (share - *weight) / 32;
    if (*weight < 0.02) *weight = 0.02;
}

void variation_credit(struct variation *v, struct variation_move w, double share)
{
    credit(&v->choice_weight[w.choice], share);
    credit(&v->change_weight[w.change], share);
}

bool variation_open(struct variation *v, uint64_t seed, size_t n, float low, float high)
{
    *v = (struct variation){.random = seed, .n = n, .low = low, .high = high};
    for (size_t k = 0; k < VARIATION_CHOICES; k++) v->choice_weight[k] = 0.1;
    for (size_t k = 0; k < VARIATION_CHANGES; k++) v->change_weight[k] = 0.1;
    v->at = malloc((n + 1) * sizeof *v->at);
    return v->at != NULL;
}

void variation_close(struct variation *v)
{
    free(v->at);
}

/* ---- Rows to begin with ------------------------------------------------------------------------
 */

static void fill_fresh(struct variation *v, float *row, float (*of)(struct variation *))
{
    for (size_t j = 0; j < v->n; j++) row[j] = of(v);
}

/* Few values, by position (a vector's lanes see them in turn) or by chance. */
static void few_values(struct variation *v, float *row, bool in_turn)
{
    enum { MOST = 32 };
    float values[MOST];
    size_t period = (size_t)1 << below(v, 8), count = 1 + some(v, MOST - 1);
    for (size_t k = 0; k < count; k++) values[k] = fresh(v);
    for (size_t j = 0; j < v->n; j++)
        row[j] = values[in_turn ? j / period % count : below(v, count)];
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void near_one_value(struct variation *v, float *row)
{
    float centre = fresh(v);
    double reach = ldexp(width(v), -(int)below(v, 24));
    for (size_t j = 0; j < v->n; j++)
        row[j] =
            inside(v, (float)((double)centre + reach * (double)random_between(&v->random, -1, 1)));
}

/* All but a few equal; those differ by a few ulp, or by anything. */
static void few_apart(struct variation *v, float *row)
{
    float rest = fresh(v);
    int64_t by = 1 - 2 * (int64_t)below(v, 2);
    if (below(v, 4) == 0) by *= (int64_t)some(v, 1 << 20);
    float other = below(v, 2) ? step(v, rest, by) : fresh(v);
    for (size_t j = 0; j < v->n; j++) row[j] = rest;
    for (size_t count = some(v, v->n); count; count--) row[below(v, v->n)] = other;
}

static void sorted(struct variation *v, float *row)
{
    fill_fresh(v, row, uniform);
    qsort(row, v->n, sizeof *row, ascending);
    if (below(v, 2))
        for (size_t j = 0; j < v->n / 2; j++) {
            float x = row[j];
            row[j] = row[v->n - 1 - j];
            row[v->n - 1 - j] = x;
        }
}

void variation_seed(struct variation *v, size_t kind, float *row)
{
    switch (kind % 8) {
    case 0:
        fill_fresh(v, row, uniform);
        break;
    case 1:
        few_values(v, row, true);
        break;
    case 2:
        near_one_value(v, row);
        break;
    case 3:
        few_apart(v, row);
        break;
    case 4:
        few_values(v, row, false);
        break;
    case 5:
        fill_fresh(v, row, any_float);
        break;
    case 6:
        sorted(v, row);
        break;
    default:
        fill_fresh(v, row, fresh);
        break;
    }
}
