/* The child that times: a fresh process is one memory layout and thus one sample of what a cell
 * costs. It is this same program, executed anew (address space randomised, an environment of
 * random size), reads its share of the plan from a file on standard input and answers with
 * messages of measure/isolate.h on standard output. */
#ifndef ULPLAB_BENCH_WORKER_H
#define ULPLAB_BENCH_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernel.h"
#include "kernel_reference.h"
#include "machine/clock.h"
#include "machine/cycles.h"
#include "measure/limits.h"
#include "model/peer.h"

/* The hidden command that main runs bench_worker() for. */
#define BENCH_WORKER_COMMAND "bench-worker"
/* Exit status of main: 0, or what the parent sees as `killed`. */
int bench_worker(void);

/* ---- What goes in: a header, then its orders --------------------------------------------------
 */

struct work_header {
    size_t orders; /* ORDERS_AS_THEY_COME: until the end of the file */
    struct clock clock;
    struct effective effective; /* the caches, for kernels to choose by */
    double warmup_s, sample_s, patience_s;
    size_t samples;
    uint64_t seed, layout; /* of the inputs; of this process's page offsets */
    struct parameters parameters;
};

struct work_order {
    size_t item;
    bool pause, is_limit;
    struct limit_task limit;
    ptrdiff_t kernel; /* from bench_kernel_offset() */
    char op[24];
    struct peer_order peer; /* without a path: `kernel` is the lab's own */
    size_t rows, n;
    unsigned threads;
    bool log_output;
    char family[24];
};

/* A worker hands the cells of each peer to a worker of that peer's own: it alone loads the library,
 * under its cap, and is a process as fresh as the first. It answers on the same standard output,
 * and with one byte on this descriptor when an order is done; the first one sleeps until then. */
enum { HELPER_DONE = 3 };
#define ORDERS_AS_THEY_COME SIZE_MAX

/* A kernel's place in this program's image: parent and worker load the same file at different
 * addresses. */
ptrdiff_t bench_kernel_offset(const struct kernel *k);

/* ---- What comes out: each message begins with this ------------------------------------------- */

struct work_message {
    enum { WORK_BEGUN, WORK_CELL, WORK_LIMIT, WORK_FAILED } kind;
    size_t item;
};

enum { CELL_SAMPLES_MAX = 1000 };
struct work_cell {
    struct work_message head;
    size_t calls;              /* per sample */
    size_t samples;            /* may be fewer than asked for where a call is long */
    size_t x_offset, y_offset; /* bytes, modulo 4096 */
    size_t moved, migrated;    /* samples in which the core's rate moved, or the core changed */
    bool mxcsr_changed;        /* by the kernel */
    enum cycles_source source;
    double values[2 * CELL_SAMPLES_MAX]; /* ns per call of each sample, then core cycles */
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

#endif
