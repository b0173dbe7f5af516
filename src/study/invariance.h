// SPDX-License-Identifier: MIT
/* Whether one kernel gives the same bits regardless of what should not matter: when it runs again,
 * on other numbers of threads, at other places in memory, in other batches, and at other places in
 * the row. */
#ifndef ULPLAB_INVARIANCE_H
#define ULPLAB_INVARIANCE_H

#include <stddef.h>
#include <stdint.h>

#include "kernel.h"
#include "oracle/oracle.h"

enum answer { ANSWER_NO, ANSWER_YES, ANSWER_NONE /* NONE: the question makes no sense here */ };

struct invariance {
    enum answer run;          /* the same call again */
    enum answer threads;      /* rows, and one row, shared among 1, 2, many threads */
    enum answer row_position; /* the row's place in memory, modulo 64 bytes, and its stride */
    enum answer batch;        /* rows one by one, or in a call */
    /* Equal inputs in a row have equal outputs, in the body and in the tail; none for operations
     * that give one value per row. */
    enum answer tail;
};

/* Runs the kernel here, in this process, on rows of N(0, 1) (x positive for log) of at most
 * `longest` elements. Uses OpenMP. */
struct invariance invariance_of(const struct kernel *k, const struct oracle *op, uint64_t seed,
                                size_t longest);

#endif
