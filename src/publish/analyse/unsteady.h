/* Which blocks of a run were disturbed more than a run tries to be. */
#ifndef ULPLAB_UNSTEADY_H
#define ULPLAB_UNSTEADY_H

#include "publish/load/results.h"

/* Blocks most of whose controls are not known within RATIO_STEADY beside the cells that they
 * repeat (docs/measurement.md, "Ratios"). */
struct unsteady {
    size_t blocks, steady; /* of those with controls; steady: the others */
    char names[400]; /* of the first ones, with commas: "softmax/f32/8x512/threads=1/normal" */
};
/* EXIT_PARTIAL where memory is short. */
int unsteady_find(const struct results *r, struct unsteady *u, struct error *e);

#endif
