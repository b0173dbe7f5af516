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

static size_t draw_below(struct variation *v, size_t n)
{
    return random_below(&v->random, n);
}

static float clamped(const struct variation *v, double x)
{
    return box_clamp(&v->box, (float)x);
}

static float notable(struct variation *v)
{
    return box_notable_float(&v->box, &v->random);
}

/* The ways in which a variation chooses elements of v->row: they write v->at and v->count. */

static void choose_one(struct variation *v)
{
    v->at[0] = draw_below(v, v->n);
    v->count = 1;
}

static void choose_few(struct variation *v)
{
    v->count = random_log_uniform(&v->random, v->n < 64 ? v->n : 64);
    for (size_t k = 0; k < v->count; k++) v->at[k] = draw_below(v, v->n);
}

static void choose_stretch(struct variation *v)
{
    size_t first = draw_below(v, v->n), most = random_log_uniform(&v->random, v->n);
    v->count = 0;
    for (size_t j = first; j < v->n && v->count < most; j++) v->at[v->count++] = j;
}

/* Chooses elements whose positions agree in some bits: one subtree of a sum, or the same place in
 * each of its subtrees. */
static void choose_by_position_bits(struct variation *v)
{
    uint64_t mask = random_next(&v->random), pattern = draw_below(v, v->n);
    switch (draw_below(v, 4)) {
    case 0:
        mask &= random_next(&v->random);
        break;
    case 1:
        mask |= random_next(&v->random);
        break;
    case 2:
        mask = ((uint64_t)1 << draw_below(v, 10)) - 1;
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
static void choose_at_stride(struct variation *v)
{
    size_t stride =
        draw_below(v, 4) ? (size_t)1 << draw_below(v, 9) : random_log_uniform(&v->random, v->n);
    size_t first = draw_below(v, v->n), most = random_log_uniform(&v->random, v->n / stride + 1);
    v->count = 0;
    for (size_t j = first; j < v->n && v->count < most; j += stride) v->at[v->count++] = j;
}

/* Chooses the elements whose values equal that of one of them, or nearly. */
static void choose_similar_values(struct variation *v)
{
    float x = v->row[draw_below(v, v->n)];
    double reach = draw_below(v, 2) ? 0 : ldexp(box_width(&v->box), -1 - (int)draw_below(v, 20));
    v->count = 0;
    for (size_t j = 0; j < v->n; j++)
        if (fabs((double)v->row[j] - (double)x) <= reach) v->at[v->count++] = j;
}

static void choose_all(struct variation *v)
{
    for (size_t j = 0; j < v->n; j++) v->at[j] = j;
    v->count = v->n;
}

typedef void variation_part(struct variation *v);
static variation_part *const variation_choices[VARIATION_CHOICES] = {
    choose_one,       choose_few,
    choose_stretch,   choose_by_position_bits,
    choose_at_stride, choose_similar_values,
    choose_all};

/* ---- Changes --------------------------------------------------------------------------------- */

/* The changes that a variation makes to chosen elements. */

static void set_one_value(struct variation *v)
{
    float x = notable(v);
    for (size_t k = 0; k < v->count; k++) v->row[v->at[k]] = x;
}

static void set_new_values(struct variation *v)
{
    for (size_t k = 0; k < v->count; k++) v->row[v->at[k]] = notable(v);
}

static void set_value_of_another(struct variation *v)
{
    float x = v->row[draw_below(v, v->n)];
    for (size_t k = 0; k < v->count; k++) v->row[v->at[k]] = x;
}

/* Shifts the values by one amount of any size, from that of the box to their last bits. */
static void shift_values(struct variation *v)
{
    int halvings = (int)draw_below(v, 28);
    double by = ldexp((double)float_between(&v->random, -1, 1) * box_width(&v->box), -halvings);
    for (size_t k = 0; k < v->count; k++)
        v->row[v->at[k]] = clamped(v, (double)v->row[v->at[k]] + by);
}

static void jitter_values(struct variation *v)
{
    double by = ldexp(box_width(&v->box), -(int)draw_below(v, 28));
    for (size_t k = 0; k < v->count; k++) {
        double d = (double)float_between(&v->random, -1, 1) * by;
        v->row[v->at[k]] = clamped(v, (double)v->row[v->at[k]] + d);
    }
}

static void step_values(struct variation *v)
{
    int64_t by = (int64_t)random_log_uniform(&v->random, 64);
    if (draw_below(v, 2)) by = -by;
    for (size_t k = 0; k < v->count; k++)
        v->row[v->at[k]] = box_step(&v->box, v->row[v->at[k]], by);
}

static void flip_bit(struct variation *v)
{
    uint32_t bit = 1u << draw_below(v, 24);
    for (size_t k = 0; k < v->count; k++)
        v->row[v->at[k]] = clamped(v, (double)float_of_bits(bits_of_float(v->row[v->at[k]]) ^ bit));
}

/* Copies neighbours: a value that helped in one place often helps beside it. */
static void copy_neighbours(struct variation *v)
{
    size_t by = draw_below(v, 2) ? (size_t)1 << draw_below(v, 12) : draw_below(v, v->n);
    for (size_t k = 0; k < v->count; k++) {
        size_t from =
            (v->at[k] ^ by) < v->n && draw_below(v, 2) ? v->at[k] ^ by : (v->at[k] + by) % v->n;
        v->row[v->at[k]] = v->row[from];
    }
}

static void take_from_other_row(struct variation *v)
{
    for (size_t k = 0; k < v->count; k++) v->row[v->at[k]] = clamped(v, (double)v->other[v->at[k]]);
}

/* Mirrors the values at one of them. */
static void mirror_values(struct variation *v)
{
    double about = (double)v->row[draw_below(v, v->n)];
    if (draw_below(v, 2)) about = ((double)v->box.low + (double)v->box.high) / 2;
    for (size_t k = 0; k < v->count; k++)
        v->row[v->at[k]] = clamped(v, 2 * about - (double)v->row[v->at[k]]);
}

/* Rounds the values to a coarser grid. */
static void round_to_grid(struct variation *v)
{
    double grid = ldexp(box_width(&v->box), -(int)draw_below(v, 24));
    for (size_t k = 0; k < v->count; k++)
        v->row[v->at[k]] = clamped(v, round((double)v->row[v->at[k]] / grid) * grid);
}

/* Moves the values closer to one of them, or farther from it. */
static void scale_distances(struct variation *v)
{
    double about = (double)v->row[draw_below(v, v->n)], by = ldexp(1, (int)draw_below(v, 7) - 4);
    for (size_t k = 0; k < v->count; k++)
        v->row[v->at[k]] = clamped(v, about + ((double)v->row[v->at[k]] - about) * by);
}

/* Returns an element's partner: at the distance of lanes, vectors or chains, or anywhere. */
static size_t partner_of(struct variation *v, size_t j)
{
    size_t other = j ^ (size_t)1 << draw_below(v, 12);
    return other < v->n && draw_below(v, 2) ? other : draw_below(v, v->n);
}

/* Swaps elements with their partners, which leaves the sum as it is but changes the roundings on
 * the way. */
static void swap_with_partners(struct variation *v)
{
    size_t by = (size_t)1 << draw_below(v, 12);
    for (size_t k = 0; k < v->count; k++) {
        size_t j = v->at[k], other = (j ^ by) < v->n ? j ^ by : partner_of(v, j);
        if (v->count < 4) other = partner_of(v, j);
        float x = v->row[j];
        v->row[j] = v->row[other];
        v->row[other] = x;
    }
}

/* Moves each element and its partner by the same amount in opposite directions, which hardly moves
 * sums further up. */
static void step_against_partners(struct variation *v)
{
    int64_t by = (int64_t)random_log_uniform(&v->random, 16);
    if (draw_below(v, 2)) by = -by;
    for (size_t k = 0; k < v->count; k++) {
        size_t other = partner_of(v, v->at[k]);
        v->row[v->at[k]] = box_step(&v->box, v->row[v->at[k]], by);
        v->row[other] = box_step(&v->box, v->row[other], -by);
    }
}

static variation_part *const variation_changes[VARIATION_CHANGES] = {
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
    size_t period = (size_t)1 << draw_below(v, 8),
           count = 1 + random_log_uniform(&v->random, MOST - 1);
    for (size_t k = 0; k < count; k++) values[k] = notable(v);
    for (size_t j = 0; j < v->n; j++)
        row[j] = values[in_turn ? j / period % count : draw_below(v, count)];
}

static int variation_seeds_ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void fill_near_one_value(struct variation *v, float *row)
{
    float centre = notable(v);
    double reach = ldexp(box_width(&v->box), -(int)draw_below(v, 24));
    for (size_t j = 0; j < v->n; j++)
        row[j] = clamped(v, (double)centre + reach * (double)float_between(&v->random, -1, 1));
}

/* Fills a row with equal values except for a few, which differ by a few ulp, or by anything. */
static void fill_but_for_few(struct variation *v, float *row)
{
    float rest = notable(v);
    int64_t by = 1 - 2 * (int64_t)draw_below(v, 2);
    if (draw_below(v, 4) == 0) by *= (int64_t)random_log_uniform(&v->random, 1 << 20);
    float other = draw_below(v, 2) ? box_step(&v->box, rest, by) : notable(v);
    for (size_t j = 0; j < v->n; j++) row[j] = rest;
    for (size_t count = random_log_uniform(&v->random, v->n); count; count--)
        row[draw_below(v, v->n)] = other;
}

static void variation_seeds_fill_sorted(struct variation *v, float *row)
{
    fill_with(v, row, box_uniform);
    qsort(row, v->n, sizeof *row, variation_seeds_ascending);
    if (draw_below(v, 2))
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
    v->row = row;
    v->other = other;
    variation_choices[w.choice](v);
    variation_changes[w.change](v);
    return w;
}

/* The weight is a mean over the last few dozen tries, and never so small that the part is no longer
 * tried. */
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
