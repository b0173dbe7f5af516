/* More processes where those that were planned do not tell cells apart: a run that was disturbed
 * measures again what was hit. */
#ifndef ULPLAB_BENCH_REFINE_H
#define ULPLAB_BENCH_REFINE_H

#include "measure/bench.h"

struct bench_goal {
    /* 95%, a share; 0: as planned. Of every cell's time relative to its block's; or else of most
     * controls of a block relative to the cells that they repeat: code, and with it memory layout,
     * is the same there, so that what is left is what disturbs a comparison. */
    double half_width;
    bool of_every_cell;
    size_t processes;  /* at most, with the planned ones */
    double more_s;     /* for processes beyond those that were planned */
    double more_share; /* or this share of the time that the planned ones took, if more */
};

/* bench_run(), then more processes of the blocks that miss the goal, until all reach it or time is
 * up. p->processes becomes how many were run. How well each cell and control is known,
 * bench_summarise() says. */
int bench_run_until(struct bench_plan *p, const struct bench_setup *s, const json_t *done,
                    const struct bench_goal *goal, struct record_sink sink,
                    struct progress *progress, struct error *e);

#endif
