// SPDX-License-Identifier: MIT
/* The child that times: a fresh process is one memory layout and thus one sample of what a cell
 * costs. It is this same program, executed anew (address space randomised, an environment of
 * random size), reads its share of the plan from a file on standard input and answers with
 * messages of measure/isolate.h (measure/work.h). */
#ifndef ULPLAB_BENCH_WORKER_H
#define ULPLAB_BENCH_WORKER_H

/* Runs for BENCH_WORKER_COMMAND in main (measure/work.h). Returns the exit status: 0, or what the
 * parent sees as `killed`. */
int bench_worker(void);

#endif
