// SPDX-License-Identifier: MIT
/* Random variations of a row of n floats in a box: which of its elements change, and how. A sum is
 * a tree or a chain over positions, and rounds equal terms equally: so most variations change many
 * elements at once, chosen by the bits of their positions or by their values. */
#ifndef ULPLAB_VARIATION_H
#define ULPLAB_VARIATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Floats of a box [low, high], drawn at random. */

struct box {
    float low, high; /* finite, low < high */
};

/* Returns a float drawn uniformly between two. */
float float_between(uint64_t *random, float low, float high);

/* The parts of a variation: the choice of elements of the row, and their change. */

enum { VARIATION_CHOICES = 7, VARIATION_CHANGES = 14 };

struct variation {
    uint64_t random; /* state of base/random.h */
    size_t n;
    struct box box;
    size_t *at; /* [n]: positions of the chosen elements, the first `count` */
    size_t count;
    float *row;         /* [n]: that is varied */
    const float *other; /* [n]: a row that is good, too */
    /* Weights of choices and changes: those that helped lately are tried more often. */
    double choice_weight[VARIATION_CHOICES], change_weight[VARIATION_CHANGES];
};

/* The changes that variation_apply() made, for variation_credit(). */
struct variation_move {
    unsigned char choice, change;
};

void variation_open(struct variation *v, uint64_t seed, size_t n, float low, float high);
void variation_close(struct variation *v);

/* Changes row[n] in place. other[n]: another row that is known to be good. */
struct variation_move variation_apply(struct variation *v, float *row, const float *other);
/* share: what this move gained over what the best move of its batch gained; 0 for no gain. */
void variation_credit(struct variation *v, struct variation_move m, double share);

/* Fills row[n] with a row to begin with, such as sums and exponentials find hard: of eight kinds,
 * that of `kind` modulo 8. */
void variation_seed(struct variation *v, size_t kind, float *row);

#endif
