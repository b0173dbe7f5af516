// SPDX-License-Identifier: MIT
#include "study/variation.h"

#include <math.h>
#include <stdlib.h>

#include "base/float_bits.h"
#include "base/memory.h"
#include "base/random.h"

/* ---- Floats of a box ------------------------------------------------------------------------- */

static float study_box_clamp(float x, float low, float high)
{
    return !(x > low) ? low : x < high ? x : high;
}

float float_between(uint64_t *random, float low, float high)
{
    double share = random_unit(random);
    return study_box_clamp((float)((double)low + ((double)high - (double)low) * share), low, high);
}

static double box_width(const struct box *b)
{
    return (double)b->high - (double)b->low;
}

/* Returns the value of the box that is nearest to x; `low` for NaN. */
static float box_clamp(const struct box *b, float x)
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

/* Returns the float `ranks` places above x in the order of floats (below, where negative), clamped.
 * x is in the box. */
static float box_step(const struct box *b, float x, int64_t ranks)
{
    int64_t low = rank_of(b->low), high = rank_of(b->high), to = rank_of(x) + ranks;
    return box_float_of_rank(to < low ? low : to > high ? high : to);
}

/* ---- Draws ----------------------------------------------------------------------------------- */

/* Draws a number, each as likely as any other: most have the largest exponents. */
static float box_uniform(const struct box *b, uint64_t *random)
{
    return float_between(random, b->low, b->high);
}

/* Draws a float, each as likely as any other: exponents are uniform. */
static float box_any_float(const struct box *b, uint64_t *random)
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

/* Draws a float, mostly uniformly; else any float, one with few bits, an edge, or one near a power
 * of two, where a rounding weighs most. */
static float box_notable_float(const struct box *b, uint64_t *random)
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

/* ---- Choices --------------------------------------------------------------------------------- */

/* The ways in which a variation chooses elements of a row. */

static void choose_one(struct variation *v, const float *row)
{
    (void)row;
    v->at[0] = random_below(&v->random, v->n);
    v->count = 1;
}

static void choose_few(struct variation *v, const float *row)
{
    (void)row;
    v->count = random_log_uniform(&v->random, v->n < 64 ? v->n : 64);
    for (size_t k = 0; k < v->count; k++) v->at[k] = random_below(&v->random, v->n);
}

static void choose_stretch(struct variation *v, const float *row)
{
    (void)row;
    size_t first = random_below(&v->random, v->n), most = random_log_uniform(&v->random, v->n);
    v->count = 0;
    for (size_t j = first; j < v->n && v->count < most; j++) v->at[v->count++] = j;
}

/* Chooses elements whose positions agree in some bits: one subtree of a sum, or the same place in
 * each of its subtrees. */
static void choose_by_position_bits(struct variation *v, const float *row)
{
    (void)row;
    uint64_t mask = random_next(&v->random), pattern = random_below(&v->random, v->n);
    switch (random_below(&v->random, 4)) {
    case 0:
        mask &= random_next(&v->random);
        break;
    case 1:
        mask |= random_next(&v->random);
        break;
    case 2:
        mask = ((uint64_t)1 << random_below(&v->random, 10)) - 1;
        break;
    default:
        break;
    }
    v->count = 0;
    for (size_t j = 0; j < v->n; j++)
        if ((j & mask) == (pattern & mask)) v->at[v->count++] = j;
}

/* Chooses elements at equal distances: those of one lane, where the distance is a vector's width.
 */
static void choose_at_stride(struct variation *v, const float *row)
{
    (void)row;
    size_t stride = random_below(&v->random, 4) ? (size_t)1 << random_below(&v->random, 9)
                                                : random_log_uniform(&v->random, v->n);
    size_t first = random_below(&v->random, v->n),
           most = random_log_uniform(&v->random, v->n / stride + 1);
    v->count = 0;
    for (size_t j = first; j < v->n && v->count < most; j += stride) v->at[v->count++] = j;
}

/* Chooses the elements whose values equal that of one of them, or nearly. */
static void choose_similar_values(struct variation *v, const float *row)
{
    float x = row[random_below(&v->random, v->n)];
    double reach = random_below(&v->random, 2)
                       ? 0
                       : ldexp(box_width(&v->box), -1 - (int)random_below(&v->random, 20));
    v->count = 0;
    for (size_t j = 0; j < v->n; j++)
        if (fabs((double)row[j] - (double)x) <= reach) v->at[v->count++] = j;
}

static void choose_all(struct variation *v, const float *row)
{
    (void)row;
    for (size_t j = 0; j < v->n; j++) v->at[j] = j;
    v->count = v->n;
}

/* Writes positions into v->at, and v->count. */
typedef void choose_elements(struct variation *v, const float *row);
static choose_elements *const variation_choices[VARIATION_CHOICES] = {
    choose_one,       choose_few,
    choose_stretch,   choose_by_position_bits,
    choose_at_stride, choose_similar_values,
    choose_all};

/* ---- Changes --------------------------------------------------------------------------------- */

/* The changes that a variation makes to chosen elements. */

static void set_one_value(struct variation *v, float *row, const float *other)
{
    (void)other;
    float x = box_notable_float(&v->box, &v->random);
    for (size_t k = 0; k < v->count; k++) row[v->at[k]] = x;
}

static void set_new_values(struct variation *v, float *row, const float *other)
{
    (void)other;
    for (size_t k = 0; k < v->count; k++) row[v->at[k]] = box_notable_float(&v->box, &v->random);
}

static void set_value_of_another(struct variation *v, float *row, const float *other)
{
    (void)other;
    float x = row[random_below(&v->random, v->n)];
    for (size_t k = 0; k < v->count; k++) row[v->at[k]] = x;
}

/* Shifts the values by one amount of any size, from that of the box to their last bits. */
static void shift_values(struct variation *v, float *row, const float *other)
{
    (void)other;
    int halvings = (int)random_below(&v->random, 28);
    double by = ldexp((double)float_between(&v->random, -1, 1) * box_width(&v->box), -halvings);
    for (size_t k = 0; k < v->count; k++)
        row[v->at[k]] = box_clamp(&v->box, (float)((double)row[v->at[k]] + by));
}

static void jitter_values(struct variation *v, float *row, const float *other)
{
    (void)other;
    double by = ldexp(box_width(&v->box), -(int)random_below(&v->random, 28));
    for (size_t k = 0; k < v->count; k++) {
        double d = (double)float_between(&v->random, -1, 1) * by;
        row[v->at[k]] = box_clamp(&v->box, (float)((double)row[v->at[k]] + d));
    }
}

static void step_values(struct variation *v, float *row, const float *other)
{
    (void)other;
    int64_t by = (int64_t)random_log_uniform(&v->random, 64);
    if (random_below(&v->random, 2)) by = -by;
    for (size_t k = 0; k < v->count; k++) row[v->at[k]] = box_step(&v->box, row[v->at[k]], by);
}

static void flip_bit(struct variation *v, float *row, const float *other)
{
    (void)other;
    uint32_t bit = 1u << random_below(&v->random, 24);
    for (size_t k = 0; k < v->count; k++)
        row[v->at[k]] = box_clamp(&v->box, float_of_bits(bits_of_float(row[v->at[k]]) ^ bit));
}

/* Copies neighbours: a value that helped in one place often helps beside it. */
static void copy_neighbours(struct variation *v, float *row, const float *other)
{
    (void)other;
    size_t by = random_below(&v->random, 2) ? (size_t)1 << random_below(&v->random, 12)
                                            : random_below(&v->random, v->n);
    for (size_t k = 0; k < v->count; k++) {
        size_t from = (v->at[k] ^ by) < v->n && random_below(&v->random, 2)
                          ? v->at[k] ^ by
                          : (v->at[k] + by) % v->n;
        row[v->at[k]] = row[from];
    }
}

static void take_from_other_row(struct variation *v, float *row, const float *other)
{
    for (size_t k = 0; k < v->count; k++) row[v->at[k]] = box_clamp(&v->box, other[v->at[k]]);
}

/* Mirrors the values at one of them. */
static void mirror_values(struct variation *v, float *row, const float *other)
{
    (void)other;
    double about = (double)row[random_below(&v->random, v->n)];
    if (random_below(&v->random, 2)) about = ((double)v->box.low + (double)v->box.high) / 2;
    for (size_t k = 0; k < v->count; k++)
        row[v->at[k]] = box_clamp(&v->box, (float)(2 * about - (double)row[v->at[k]]));
}

/* Rounds the values to a coarser grid. */
static void round_to_grid(struct variation *v, float *row, const float *other)
{
    (void)other;
    double grid = ldexp(box_width(&v->box), -(int)random_below(&v->random, 24));
    for (size_t k = 0; k < v->count; k++)
        row[v->at[k]] = box_clamp(&v->box, (float)(round((double)row[v->at[k]] / grid) * grid));
}

/* Moves the values closer to one of them, or farther from it. */
static void scale_distances(struct variation *v, float *row, const float *other)
{
    (void)other;
    double about = (double)row[random_below(&v->random, v->n)],
           by = ldexp(1, (int)random_below(&v->random, 7) - 4);
    for (size_t k = 0; k < v->count; k++)
        row[v->at[k]] = box_clamp(&v->box, (float)(about + ((double)row[v->at[k]] - about) * by));
}

/* Returns an element's partner: at the distance of lanes, vectors or chains, or anywhere. */
static size_t partner_of(struct variation *v, size_t j)
{
    size_t other = j ^ (size_t)1 << random_below(&v->random, 12);
    return other < v->n && random_below(&v->random, 2) ? other : random_below(&v->random, v->n);
}

/* Swaps elements with their partners, which leaves the sum as it is but changes the roundings on
 * the way. */
static void swap_with_partners(struct variation *v, float *row, const float *unused)
{
    (void)unused;
    size_t by = (size_t)1 << random_below(&v->random, 12);
    for (size_t k = 0; k < v->count; k++) {
        size_t j = v->at[k], other = (j ^ by) < v->n ? j ^ by : partner_of(v, j);
        if (v->count < 4) other = partner_of(v, j);
        float x = row[j];
        row[j] = row[other];
        row[other] = x;
    }
}

/* Moves each element and its partner by the same amount in opposite directions, which hardly moves
 * sums further up. */
static void step_against_partners(struct variation *v, float *row, const float *unused)
{
    (void)unused;
    int64_t by = (int64_t)random_log_uniform(&v->random, 16);
    if (random_below(&v->random, 2)) by = -by;
    for (size_t k = 0; k < v->count; k++) {
        size_t other = partner_of(v, v->at[k]);
        row[v->at[k]] = box_step(&v->box, row[v->at[k]], by);
        row[other] = box_step(&v->box, row[other], -by);
    }
}

/* Changes the chosen elements of row[n]. other[n]: a row that is good too. */
typedef void change_elements(struct variation *v, float *row, const float *other);
static change_elements *const variation_changes[VARIATION_CHANGES] = {
    set_one_value, set_new_values,  set_value_of_another, shift_values,         jitter_values,
    step_values,   flip_bit,        copy_neighbours,      take_from_other_row,  mirror_values,
    round_to_grid, scale_distances, swap_with_partners,   step_against_partners};

/* ---- First rows ------------------------------------------------------------------------------ */

/* The rows with which a search begins. */

typedef float draw_float(const struct box *, uint64_t *random);

static void fill_with(struct variation *v, float *row, draw_float *draw)
{
    for (size_t j = 0; j < v->n; j++) row[j] = draw(&v->box, &v->random);
}

/* Fills a row with few values, by position (a vector's lanes see them in turn) or by chance. */
static void fill_with_few_values(struct variation *v, float *row, bool in_turn)
{
    enum { MOST = 32 };
    float values[MOST];
    size_t period = (size_t)1 << random_below(&v->random, 8),
           count = 1 + random_log_uniform(&v->random, MOST - 1);
    for (size_t k = 0; k < count; k++) values[k] = box_notable_float(&v->box, &v->random);
    for (size_t j = 0; j < v->n; j++)
        row[j] = values[in_turn ? j / period % count : random_below(&v->random, count)];
}

static int variation_seeds_ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void fill_near_one_value(struct variation *v, float *row)
{
    float centre = box_notable_float(&v->box, &v->random);
    double reach = ldexp(box_width(&v->box), -(int)random_below(&v->random, 24));
    for (size_t j = 0; j < v->n; j++)
        row[j] = box_clamp(
            &v->box, (float)((double)centre + reach * (double)float_between(&v->random, -1, 1)));
}

/* Fills a row with equal values except for a few, which differ by a few ulp, or by anything. */
static void fill_but_for_few(struct variation *v, float *row)
{
    float rest = box_notable_float(&v->box, &v->random);
    int64_t by = 1 - 2 * (int64_t)random_below(&v->random, 2);
    if (random_below(&v->random, 4) == 0) by *= (int64_t)random_log_uniform(&v->random, 1 << 20);
    float other = random_below(&v->random, 2) ? box_step(&v->box, rest, by)
                                              : box_notable_float(&v->box, &v->random);
    for (size_t j = 0; j < v->n; j++) row[j] = rest;
    for (size_t count = random_log_uniform(&v->random, v->n); count; count--)
        row[random_below(&v->random, v->n)] = other;
}

static void variation_seeds_fill_sorted(struct variation *v, float *row)
{
    fill_with(v, row, box_uniform);
    qsort(row, v->n, sizeof *row, variation_seeds_ascending);
    if (random_below(&v->random, 2))
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
        fill_with(v, row, box_uniform);
        break;
    case 1:
        fill_with_few_values(v, row, true);
        break;
    case 2:
        fill_near_one_value(v, row);
        break;
    case 3:
        fill_but_for_few(v, row);
        break;
    case 4:
        fill_with_few_values(v, row, false);
        break;
    case 5:
        fill_with(v, row, box_any_float);
        break;
    case 6:
        variation_seeds_fill_sorted(v, row);
        break;
    default:
        fill_with(v, row, box_notable_float);
        break;
    }
}

/* ---- A variation ----------------------------------------------------------------------------- */

/* Draws an index, with probability proportional to its weight. */
static size_t draw_weighted(struct variation *v, const double *weights, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += weights[k];
    double left = random_unit(&v->random) * sum;
    size_t k = 0;
    while (k + 1 < count && left >= weights[k]) left -= weights[k++];
    return k;
}

struct variation_move variation_apply(struct variation *v, float *row, const float *other)
{
    struct variation_move w = {
        (unsigned char)draw_weighted(v, v->choice_weight, VARIATION_CHOICES),
        (unsigned char)draw_weighted(v, v->change_weight, VARIATION_CHANGES)};
    variation_choices[w.choice](v, row);
    variation_changes[w.change](v, row, other);
    return w;
}

/* The weight is a mean over the last few dozen tries, and never so small that the part is tried no
 * more. */
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

void variation_open(struct variation *v, uint64_t seed, size_t n, float low, float high)
{
    *v = (struct variation){.random = seed, .n = n, .box = {low, high}};
    for (size_t k = 0; k < VARIATION_CHOICES; k++) v->choice_weight[k] = 0.1;
    for (size_t k = 0; k < VARIATION_CHANGES; k++) v->change_weight[k] = 0.1;
    v->at = memory_new((n + 1) * sizeof *v->at);
}

void variation_close(struct variation *v)
{
    free(v->at);
}
