// SPDX-License-Identifier: MIT
/* The parts of a variation: the choice of elements of the row, and their change. */
#ifndef ULPLAB_VARIATION_PARTS_H
#define ULPLAB_VARIATION_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "study/box.h"

enum { VARIATION_CHOICES = 7, VARIATION_CHANGES = 14 };

struct variation {
    uint64_t random; /* state of base/random.h */
    size_t n;
    struct box box;
    size_t *at; /* [n]: positions of the chosen elements, the first `count` */
    size_t count;
    /* Weights of choices and changes: those that helped lately are tried more often. */
    double choice_weight[VARIATION_CHOICES], change_weight[VARIATION_CHANGES];
};

/* Writes positions into v->at, and v->count. */
typedef void choose_elements(struct variation *v, const float *row);
extern choose_elements *const variation_choices[VARIATION_CHOICES];

/* Changes the chosen elements of row[n]. other[n]: a row that is good too. */
typedef void change_elements(struct variation *v, float *row, const float *other);
extern change_elements *const variation_changes[VARIATION_CHANGES];

#endif
