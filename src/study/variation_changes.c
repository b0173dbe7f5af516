// SPDX-License-Identifier: MIT
/* The changes that a variation makes to chosen elements. */
#include <math.h>

#include "base/float_bits.h"
#include "base/random.h"
#include "study/variation_parts.h"

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

change_elements *const variation_changes[VARIATION_CHANGES] = {
    set_one_value, set_new_values,  set_value_of_another, shift_values,         jitter_values,
    step_values,   flip_bit,        copy_neighbours,      take_from_other_row,  mirror_values,
    round_to_grid, scale_distances, swap_with_partners,   step_against_partners};
