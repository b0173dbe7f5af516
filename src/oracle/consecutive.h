/* Exact values on rows of consecutive floats, as a scan asks for them: a function's Taylor
 * polynomial in the index, from one value per tile that the oracle gives. Four FMAs per element
 * instead of a function. MPFR finds these values within 2^-26 fp32 ulp, gelu's (as its erfc is)
 * within 2^-21: tests/test_consecutive.c. */
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

/* Floats in their order: rank 0 is the NaN of all ones, then -inf, ascending through -0 and +0, to
 * the positive NaNs. */
uint32_t float_rank(float x);
float float_of_rank(uint32_t rank);

/* The floats of a row, which is named by its first rank. */
void consecutive_inputs(uint32_t row, float x[CONSECUTIVE_ROW]);

struct consecutive {
    bool known; /* false: ask the oracle itself */
    struct consecutive_tile {
        double from;           /* the first element's place, seen from the anchor's: 0 or
                                  -CONSECUTIVE_TILE */
        double c[UNARY_TERMS]; /* value: sum of c[d] place^d */
    } tiles[CONSECUTIVE_TILES];
};

/* Unknown where the function is not the lab's own, and in rows of subnormal numbers, infinities and
 * NaNs. */
void consecutive_expand(const struct oracle *, uint32_t row, struct consecutive *);
/* Of one that is known. The same bits on every CPU. */
void consecutive_values(const struct consecutive *, double y[CONSECUTIVE_ROW]);

#endif
