// SPDX-License-Identifier: MIT
/* The ways in which a variation chooses elements of a row. */
#include <math.h>

#include "base/random.h"
#include "study/variation_parts.h"

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

choose_elements *const variation_choices[VARIATION_CHOICES] = {
    choose_one,       choose_few,
    choose_stretch,   choose_by_position_bits,
    choose_at_stride, choose_similar_values,
    choose_all};
