/* Which blocks of a run are not known as well as a run tries to know them. */
#ifndef ULPLAB_UNSTEADY_H
#define ULPLAB_UNSTEADY_H

#include "publish/load/results.h"

/* Blocks of which most cells are known less well than within 1% beside the block's median
 * (docs/measurement.md, "Ratios"). */
struct unsteady {
    size_t blocks,
        steady;      /* of those that were timed side by side; steady: those that are well known */
    char names[400]; /* of the first ones, with commas: "softmax/f32/8x512/threads=1/normal" */
};
/* EXIT_PARTIAL where memory is short. */
int unsteady_find(const struct results *r, struct unsteady *u, struct error *e);

#endif
