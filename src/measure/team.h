// SPDX-License-Identifier: MIT
/* One job by several threads: they share its rows, if there is one for each; otherwise each row in
 * turn, if the kernel can (include/kernel.h: stages). */
#ifndef ULPLAB_TEAM_H
#define ULPLAB_TEAM_H

#include <stdbool.h>

#include "kernel.h"

/* The way in which threads share work: by rows; within each row; or by rows although there are
 * fewer of them than threads, because the kernel cannot share a row. */
enum team_split { TEAM_ROWS, TEAM_ONE_ROW, TEAM_SOME_IDLE };
enum team_split team_split(const struct kernel *k, size_t rows, unsigned threads);
/* "rows", "one row", "some idle" */
const char *team_split_name(enum team_split s);

/* The first of the rows that part i of `parts` takes. */
size_t team_first_row(size_t rows, unsigned i, unsigned parts);

/* A gate per thread, at which threads wait for each other between the stages of a row: they spin,
 * and none writes a line that another writes. libgomp's barrier would take a noticeable part of a
 * row's time (docs/tuning-log.md). A thread that waits long yields its core, because there may be
 * more threads than cores. */
struct gate;
struct gate *gates_open(unsigned threads); /* NULL where memory is short */
void gates_close(struct gate *gates);      /* NULL is allowed */

/* Computes this thread's part of the job. Every thread of the enclosing OpenMP parallel region
 * calls it once, whatever their number, with the same job except for the scratch, which is the
 * thread's own. `shared` is one more scratch, the same for all. If rows are shared, other threads
 * may still be working when it returns. */
void team_part(struct gate *gates, const struct kernel *k, const struct job *job, float *shared);

/* The part of the job that team_part() runs where rows are shared out. */
struct job team_rows(const struct kernel *k, const struct job *job, unsigned part, unsigned parts);

#endif
