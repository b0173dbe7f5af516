/* More processes where those that were planned do not tell cells apart: a run that was disturbed
 * measures again what was hit. */
#ifndef ULPLAB_BENCH_REFINE_H
#define ULPLAB_BENCH_REFINE_H

#include "measure/bench.h"

struct bench_goal {
    double half_width;  /* of a cell's time relative to its block's: a share. 0: as planned */
    bool of_every_cell; /* else of most cells of each block */
    size_t processes;   /* at most, with the planned ones */
    double more_s;      /* for processes beyond those that were planned */
    double more_share;  /* or this share of the time that the planned ones took, if more */
};

/* bench_run(), then more processes of the blocks that miss the goal, until all reach it or time is
 * up. p->processes becomes how many were run. Which cells miss it, bench_summarise() says
 * (half_width).
 */
int bench_run_until(struct bench_plan *p, const struct bench_setup *s, const json_t *done,
                    const struct bench_goal *goal, struct record_sink sink,
                    struct progress *progress, struct error *e);

#endif
