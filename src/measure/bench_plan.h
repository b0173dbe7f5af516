/* What is to be timed, and in which order. A plan is a pure function of the registry, the machine
 * and the request, so that a run that was cut makes the same plan again and resumes it. */
#ifndef ULPLAB_BENCH_PLAN_H
#define ULPLAB_BENCH_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernel_reference.h"
#include "measure/cell.h"
#include "measure/limits.h"
#include "model/registry.h"

struct bench_plan {
    struct cell *cells;
    size_t cell_count;
    struct limit_task *limits;
    size_t limit_count;
    size_t processes, samples; /* samples: per process and cell */
    double warmup_s, sample_s; /* at least; a sample also lasts 1000 times the timer's floor */
    double patience_s;         /* for a cell's samples in one process; three are taken anyway */
    double timeout_s;          /* without a word from the worker */
    uint64_t seed;             /* of inputs, order and layouts */
    struct parameters parameters;
};

void bench_plan_free(struct bench_plan *p);

/* A place in a process's order: item < cell_count is a cell, else limit item - cell_count. */
struct step {
    size_t item;
    bool pause; /* the vector width changes here: a scalar pause goes before it */
};
/* The order of one process: a permutation of all items, in shuffled blocks of one vector width
 * and number of threads. steps[cell_count + limit_count]. False where memory is short. */
bool bench_order(const struct bench_plan *p, uint64_t process, struct step *steps);

#endif
