// SPDX-License-Identifier: MIT
/* The rows with which a search begins. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "study/variation.h"

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
