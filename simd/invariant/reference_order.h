// SPDX-License-Identifier: MIT
/* The order of every sum, for reference.h. Element i of a row is in lane i % 16 of register i / 16.
 * Each operation defines the order in which a lane adds up its registers; the lanes are added up as
 * here, by halves. */
#ifndef INVARIANT_REFERENCE_ORDER_H
#define INVARIANT_REFERENCE_ORDER_H

#include <stddef.h>

enum { LANES = 16 };

/* Folds the lanes in float: lanes l and l + 8, then 4, 2 and 1 apart. */
static inline double fold_lanes(float lane[LANES])
{
    for (size_t half = LANES / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++) lane[l] += lane[l + half];
    return (double)lane[0];
}

/* Adds in double to eight sums over all pieces of a row, each of lanes l and l + 8. fold_wide()
 * then adds those 4, 2 and 1 apart. */
static inline void add_lanes(double wide[LANES / 2], const float lane[LANES])
{
    for (size_t l = 0; l < LANES / 2; l++) wide[l] += (double)lane[l] + (double)lane[l + LANES / 2];
}
static inline double fold_wide(double wide[LANES / 2])
{
    for (size_t half = LANES / 4; half; half /= 2)
        for (size_t l = 0; l < half; l++) wide[l] += wide[l + half];
    return wide[0];
}

/* Returns the length of the piece that starts at element i of n. */
static inline size_t piece_length(size_t i, size_t n, size_t piece)
{
    return n - i < piece ? n - i : piece;
}

#endif
