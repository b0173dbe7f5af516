/* How a row of n floats in a box is varied: which of its elements, and what becomes of them. Sums
 * are trees and chains over positions, and round alike what looks alike: most ways change many
 * elements in one go, chosen by the bits of their positions or by their values. */
#ifndef ULPLAB_VARIATION_H
#define ULPLAB_VARIATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VARIATION_CHOICES = 7, VARIATION_CHANGES = 14 };

/* splitmix64 */
uint64_t random_next(uint64_t *state);
size_t random_below(uint64_t *state, size_t count);
float random_between(uint64_t *state, float low, float high);

struct variation {
    uint64_t random; /* state */
    size_t n;
    float low, high; /* the box */
    size_t *at;      /* [n]: the elements chosen */
    size_t count;
    /* What has helped lately, and so is tried more often. */
    double choice_weight[VARIATION_CHOICES], change_weight[VARIATION_CHANGES];
};

/* What variation_apply() did, for variation_credit(). */
struct variation_move {
    unsigned char choice, change;
};

bool variation_open(struct variation *v, uint64_t seed, size_t n, float low, float high);
void variation_close(struct variation *v);

/* Changes row[n] in place; other[n]: what else is known to be good. */
struct variation_move variation_apply(struct variation *v, float *row, const float *other);
/* share: of what the best move gained at the same time, this one's; 0 where it gained nothing. */
void variation_credit(struct variation *v, struct variation_move m, double share);

/* A row to begin with: what sums and exponentials find hard, `kind` of it. Any kind is one. */
void variation_seed(struct variation *v, size_t kind, float *row);

#endif
