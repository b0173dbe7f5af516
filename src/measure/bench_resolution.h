// SPDX-License-Identifier: MIT
/* The precision to which each cell of a run is known relative to the others of its block. */
#ifndef ULPLAB_BENCH_RESOLUTION_H
#define ULPLAB_BENCH_RESOLUTION_H

#include <jansson.h>
#include <stdbool.h>

#include "measure/ratio.h"

/* The values of a row's `low_ns`, which the caller frees. */
struct by_process resolution_low(const json_t *row);

/* Adds to each summarised row that has a block and samples `half_width`: the 95% half-width of its
 * time over its block's median time (of its time alone, where it is alone), as a share. False where
 * memory is short. */
bool resolution_add(json_t *rows);

#endif
