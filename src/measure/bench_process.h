// SPDX-License-Identifier: MIT
/* One worker process of a run, from its start to its end. */
#ifndef ULPLAB_BENCH_PROCESS_H
#define ULPLAB_BENCH_PROCESS_H

#include <sys/types.h>

#include "measure/bench_plan.h"
#include "measure/isolate.h"
#include "measure/work.h"

struct bench_process {
    const struct bench_plan *plan;
    const struct bench_setup *setup;
    const struct step *steps; /* what it measures, in this order */
    size_t count;
    uint64_t layout; /* decides its page offsets, its padding and its order within blocks */
    pid_t pid;       /* while it runs */
    size_t current;  /* the item that it was at when it ended; NO_ITEM */
};

/* Runs it to its end; `receive` gets its messages (measure/work.h). As isolate_watch() returns. */
enum status bench_process_run(struct bench_process *p, isolate_receiver receive, void *context);
/* Ends it while it runs. */
void bench_process_kill(const struct bench_process *p);
/* Bytes by which its environment is longer. */
size_t bench_process_padding(const struct bench_process *p);

#endif
