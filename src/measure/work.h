// SPDX-License-Identifier: MIT
/* The worker processes of a run, and the messages between it and them: orders go in, results come
 * out. */
#ifndef ULPLAB_WORK_H
#define ULPLAB_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "kernel.h"
#include "kernel_reference.h"
#include "machine/clock.h"
#include "measure/bench_plan.h"
#include "measure/isolate.h"
#include "measure/limits.h"
#include "model/peer.h"
#include "model/registry.h"
#include "oracle/inputs.h"

/* ---- What goes in: a header, its orders, the user's rows ------------------------------------- */

/* The version of this file's structures: two programs measure side by side (ulplab duel) if they
 * agree on it. Older programs have none. */
enum { WORK_PROTOCOL = 4 };

/* The hidden command that main runs bench_worker() for. */
#define BENCH_WORKER_COMMAND "bench-worker"

/* The item of a worker that measures nothing. */
#define NO_ITEM SIZE_MAX

struct work_header {
    size_t orders; /* ORDERS_AS_THEY_COME: until the end of the file */
    /* The item that the worker is at, for its parent to read when it has died: header and orders
     * are a file that both have mapped. */
    volatile size_t current;
    struct clock clock;
    struct effective effective; /* the caches, for kernels to choose by */
    double warmup_s, sample_s, patience_s;
    size_t rounds;
    bool hashes_outputs;   /* with the first visit */
    uint64_t seed, layout; /* seed of the inputs; seed of this process's page offsets and orders */
    struct parameters parameters;
    struct input_rows input; /* rows 0: families; each process sets its own `data` */
};

struct work_order {
    size_t item, block; /* orders of one block follow each other and are measured in rounds */
    bool is_limit;
    struct limit_task limit;
    ptrdiff_t kernel; /* offset of its file's in the program (worker.c) */
    char op[24];
    char variant[ID_MAX];   /* its name in another program */
    struct peer_order peer; /* without a path or a program: `kernel` is the lab's own */
    enum width width;
    size_t rows, n;
    unsigned threads;
    bool log_output; /* of its job: a kernel may be log_softmax, too (include/kernel.h) */
    char family[24];
};

/* ---- Visits ---------------------------------------------------------------------------------- */

/* A visit. A worker comes back to each cell of a block many times: the first visit finds the number
 * of calls of a sample; every other one takes a sample. */
struct visit {
    size_t calls;         /* in the sample; 0: to be found */
    size_t settled_calls; /* untimed, before: caches and predictors forget between visits */
};
struct visit_result {
    size_t calls;      /* per sample */
    double ns, cycles; /* per call */
    uint64_t hash;     /* of the kernel's outputs, if requested */
    bool moved, migrated, mxcsr_changed;
    double call_ns; /* of a library's first visit: the time of a call of one element; otherwise 0 */
    double empty_ns; /* of a call that does nothing: ns of a sample is without it */
};

/* The descriptor of a helper's results. A worker has a helper of its own for the cells of each
 * peer: only that process loads the library, under its cap, and it is as fresh as the worker. The
 * cells of another program have a helper, too. A helper reads an order and a visit on its standard
 * input, and answers with the result on this descriptor; the worker sleeps until then. */
enum { HELPER_RESULTS = 4 };
#define ORDERS_AS_THEY_COME SIZE_MAX

/* ---- What comes out: each message begins with this ------------------------------------------- */

/* The descriptor that workers and their helpers send messages on (measure/isolate.h). Not standard
 * output, which is the kernels' and libraries' to print on, and goes to standard error. */
enum { WORK_MESSAGES = 3 };

struct work_message {
    enum { WORK_BEGUN, WORK_CELL, WORK_LIMIT, WORK_FAILED } kind;
    size_t item;
};

/* Values: one per sample, as struct work_sample, of the rounds that the cell took part in. */
struct work_sample {
    double ns, cycles; /* per call */
    double at_s;       /* when it was taken, since the worker began */
    size_t round;
};
enum { CELL_SAMPLES_MAX = 1000 };
struct work_cell {
    struct work_message head;
    size_t calls;              /* per sample */
    size_t x_offset, y_offset; /* bytes, modulo 4096 */
    size_t moved, migrated;    /* samples in which the core's rate moved, or the core changed */
    bool mxcsr_changed;        /* by the kernel */
    uint64_t hash;             /* of its outputs, if requested */
    double call_ns, empty_ns;  /* of struct visit_result */
    enum cycles_source source;
    size_t samples; /* may be fewer than rounds where a call is long */
    struct work_sample values[CELL_SAMPLES_MAX];
};
struct work_limit {
    struct work_message head;
    double value;
};
struct work_failure {
    struct work_message head;
    int code;
    struct error error;
};

/* Whoever changes one of these raises WORK_PROTOCOL, and writes the new sizes here. */
_Static_assert(sizeof(struct work_header) == 168 && sizeof(struct work_order) == 1424 &&
                   sizeof(struct visit_result) == 56 && sizeof(struct work_cell) == 32104,
               "WORK_PROTOCOL is of other structures");

/* In a worker: tells the parent why the run cannot continue, and ends. */
__attribute__((noreturn)) void work_give_up(int code, const struct error *e);
__attribute__((noreturn)) void work_out_of_memory(size_t bytes);

/* ---- A worker -------------------------------------------------------------------------------- */

/* A fresh process is one memory layout and thus one sample of what a cell costs. It is this same
 * program, executed anew (address space randomised, an environment of random size), reads its share
 * of the plan from a file on standard input and answers with messages of measure/isolate.h. */
struct worker {
    const struct bench_plan *plan;
    const struct bench_setup *setup;
    const struct step *steps; /* the steps to measure, in this order */
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
