/* The fast half of ulp_measure(): a tile in which every element is a number of its own sign, in 8
 * lanes of AVX-512, to the same bits as ulp.c's two times 4 lanes. */
#ifndef ULPLAB_ULP_TILE_H
#define ULPLAB_ULP_TILE_H

#include <stdbool.h>
#include <stdint.h>

enum { ULP_TILE = 256 };

struct ulp_tile {
    double sum, signed_sum, max;
    uint64_t misrounded, unfaithful;
};

/* Writes E of each element; false where an element has none, or may have none: nothing is known
 * then. For CPUs with AVX-512 F and DQ. */
bool ulp_tile_avx512(const float got[ULP_TILE], const double want[ULP_TILE], double error[ULP_TILE],
                     struct ulp_tile *t);

#endif
