// SPDX-License-Identifier: MIT
#include "study/variation.h"

#include <stdlib.h>

#include "base/random.h"

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

bool variation_open(struct variation *v, uint64_t seed, size_t n, float low, float high)
{
    *v = (struct variation){.random = seed, .n = n, .box = {low, high}};
    for (size_t k = 0; k < VARIATION_CHOICES; k++) v->choice_weight[k] = 0.1;
    for (size_t k = 0; k < VARIATION_CHANGES; k++) v->change_weight[k] = 0.1;
    v->at = malloc((n + 1) * sizeof *v->at);
    return v->at != NULL;
}

void variation_close(struct variation *v)
{
    free(v->at);
}
