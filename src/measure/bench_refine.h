// SPDX-License-Identifier: MIT
/* Additional processes for cells that the planned ones do not resolve: a run that was disturbed
 * measures the affected cells again. */
#ifndef ULPLAB_BENCH_REFINE_H
#define ULPLAB_BENCH_REFINE_H

#include "measure/bench.h"

struct bench_goal {
    /* The 95% half-width to reach, a share; 0: only the planned processes. It applies to every
     * cell's time relative to its block's, or else to most controls of a block relative to the
     * cells that they repeat: their code, and with it memory layout, is the same, so that the rest
     * is what disturbs a comparison. */
    double half_width;
    bool of_every_cell;
    double hopeless;   /* a block that misses even this half-width is left as it is; 0: none is */
    size_t processes;  /* at most, with the planned ones */
    double more_s;     /* for processes beyond those that were planned */
    double more_share; /* or this share of the planned processes' time, if that is more */
};

/* bench_run(), then more processes of the blocks that miss the goal, until all reach it or time is
 * up. p->processes becomes how many were run. How well each cell and control is known,
 * bench_summarise() says. */
int bench_run_until(struct bench_plan *p, const struct bench_setup *s, const json_t *done,
                    const struct bench_goal *goal, struct record_sink sink,
                    struct progress *progress, struct error *e);

#endif
