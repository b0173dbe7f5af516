// SPDX-License-Identifier: MIT
/* Exact values on rows of consecutive floats, for scans. The oracle gives one value per tile, and
 * the function's Taylor polynomial in the index gives the others, by four FMAs per element; for sin
 * and cos, if a tile is long, the addition theorem does. MPFR finds these values within 2^-26 fp32
 * ulp, those of gelu, softplus, sin and cos within the limits in tests/test_consecutive.c, all
 * below 2^-14. */
#ifndef ULPLAB_CONSECUTIVE_H
#define ULPLAB_CONSECUTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "oracle/oracle.h"
#include "oracle/unary.h"

/* A row lies in one binade, since it begins at a multiple of its length. */
enum {
    CONSECUTIVE_ROW = 4096,
    CONSECUTIVE_TILE = 256,
    CONSECUTIVE_TILES = CONSECUTIVE_ROW / CONSECUTIVE_TILE
};

/* Returns the rank of a float in ascending order: rank 0 is the NaN whose bits are all ones, then
 * come -inf, the numbers through -0 and +0, +inf, and the positive NaNs. */
uint32_t float_rank(float x);
float float_of_rank(uint32_t rank);

/* Writes the floats of the row whose first rank is `row`. */
void consecutive_inputs(uint32_t row, float x[CONSECUTIVE_ROW]);

struct consecutive {
    bool known;                 /* false: use the oracle itself */
    const struct oracle *turns; /* NULL: polynomials; else value: c[0] cos d + c[1] sin d */
    uint32_t row; /* where the addition theorem is used: the first rank, and d / index */
    double step;
    struct consecutive_tile {
        double from;           /* index of the first element, relative to the anchor's */
        double c[UNARY_TERMS]; /* value: sum of c[d] index^d */
    } tiles[CONSECUTIVE_TILES];
};

/* Expands a row. r->known is false if the function is not the lab's own, for rows of subnormal
 * numbers, infinities and NaNs, and next to log1p's pole. */
void consecutive_expand(const struct oracle *, uint32_t row, struct consecutive *);
/* Computes the values of an expanded row, whose r->known must be true: the same bits on every
 * CPU. */
void consecutive_values(const struct consecutive *, double y[CONSECUTIVE_ROW]);

#endif
