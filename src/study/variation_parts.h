/* What a variation is put together from: which elements of the row, and what becomes of them. */
#ifndef ULPLAB_VARIATION_PARTS_H
#define ULPLAB_VARIATION_PARTS_H

#include "study/variation.h"

/* Writes positions into v->at, and v->count. */
typedef void choose_elements(struct variation *v, const float *row);
extern choose_elements *const variation_choices[VARIATION_CHOICES];

/* Changes the chosen elements of row[n]. other[n]: a row that is good too. */
typedef void change_elements(struct variation *v, float *row, const float *other);
extern change_elements *const variation_changes[VARIATION_CHANGES];

#endif
