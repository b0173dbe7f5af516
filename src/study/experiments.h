// SPDX-License-Identifier: MIT
/* Experiments on one kernel: each varies one property of its calls that should not matter, keeps
 * all others fixed, and compares bits. All are compared with the same calls: one row per call, x
 * and y at multiples of 64 bytes. */
#ifndef ULPLAB_EXPERIMENTS_H
#define ULPLAB_EXPERIMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel.h"
#include "model/status.h"
#include "oracle/oracle.h"

enum answer { ANSWER_NO, ANSWER_YES, ANSWER_NONE /* NONE: it was not asked, or makes no sense */ };

/* In the order in which they are made. If an earlier one showed a dependence, a later one is not
 * made, or keeps that property fixed. */
enum experiment {
    EXPERIMENT_RUN,      /* the same calls again, forwards and backwards */
    EXPERIMENT_POSITION, /* the place of x and of y in memory, modulo 64 bytes; strides */
    EXPERIMENT_TAIL,     /* the place of an element in the row, at every length */
    EXPERIMENT_BATCH,    /* the number of rows in a call */
    EXPERIMENT_THREADS,  /* the number of threads, and the parts in which they take the work */
    EXPERIMENT_BESIDE,   /* the values beside a row, and in the rows beside it */
    EXPERIMENT_ORDER,    /* the order of the rows in a call */
    EXPERIMENT_IN_PLACE, /* y == x */
    EXPERIMENT_EMPTY,    /* n = 0 */
    EXPERIMENTS
};

struct finding {
    enum answer answer;
    enum status status; /* how the kernel ended, if during this experiment */
    size_t cut_at;      /* its time was spent at rows of this length; 0: all was tried */
    /* The rows whose bits differ, held against the oracle: the largest error of their results, in
     * the operation's unit, how many are wrong, and the length of that row; or no error, and the
     * length of those that ended it. worst_n: 0 where there is none. Rows in place are not held. */
    double error;
    size_t wrong, worst_n;
    /* What makes the bits differ, as a word: "state", "position", "stride", "tail", "place",
     * "twice" (a last vector that overlaps the one before is computed twice), "reduction" (another
     * order of a reduction), "code", "threads", "length", "beside", "order", "in place",
     * "written"; "" where they do not. */
    char cause[16];
    char tried[160];  /* what was varied, in words */
    char lengths[80]; /* and the lengths of the rows */
    char words[320];  /* what differs and where, or why nothing was asked; "" */
};

struct experiments_plan {
    const struct kernel *kernel;
    const struct oracle *oracle;
    uint64_t seed;
    size_t longest; /* no row is longer */
    float eps;      /* of the operation, if it has one; 0: the lab's */
    size_t *at;     /* receives the length of the rows that are tried now; or NULL */
    bool deep;      /* every length, up to 1,024 rows and 64 threads, and all experiments */
    double seconds; /* of all processors, for each experiment if deep; then it is cut */
};

/* Returns its name in records: "run", "row_position", "tail", "batch", "threads", "beside",
 * "order", "in_place", "empty". */
const char *experiment_name(enum experiment);
/* Returns whether it is made without `deep`. */
bool experiment_is_usual(enum experiment);
/* Makes an experiment in this process, on rows of N(0, 1) (x positive for log). earlier: the
 * findings of those before it. Uses OpenMP. */
struct finding experiment_make(const struct experiments_plan *, enum experiment,
                               const struct finding earlier[EXPERIMENTS]);

#endif
