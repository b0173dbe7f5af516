// SPDX-License-Identifier: MIT
/* One worker process of a run: a fresh process is one memory layout and thus one sample of what a
 * cell costs. It is this same program, executed anew (address space randomised, an environment of
 * random size), reads its share of the plan from a file on standard input and answers with
 * messages of measure/isolate.h (measure/work.h). */
#ifndef ULPLAB_WORKER_H
#define ULPLAB_WORKER_H

#include <sys/types.h>

#include "measure/bench_plan.h"
#include "measure/isolate.h"

struct worker {
    const struct bench_plan *plan;
    const struct bench_setup *setup;
    const struct step *steps; /* what it measures, in this order */
    size_t count;
    uint64_t layout; /* decides its page offsets, its padding and its order within blocks */
    size_t padding;  /* bytes by which its environment is longer */
    pid_t pid;       /* while it runs */
    size_t current;  /* the item that it was at when it ended; NO_ITEM */
};

/* Runs it to its end; `receive` gets its messages. As isolate_watch() returns. */
enum status worker_run(struct worker *p, isolate_receiver receive, void *context);

/* The worker: runs for BENCH_WORKER_COMMAND in main. Returns the exit status: 0, or what the parent
 * sees as `killed`. */
int bench_worker(void);

#endif
