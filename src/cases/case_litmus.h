// SPDX-License-Identifier: MIT
/* litmus/dot.c as compiled under several flags, loaded and run. Shared by default-contracts and
 * tuning-changes-bits. */
#ifndef ULPLAB_CASE_LITMUS_H
#define ULPLAB_CASE_LITMUS_H

#include "cases/case.h"

enum { DOT_ROWS = 256, DOT_N = 1000 };

struct dot {
    struct code_counts counts;
    float lanes[DOT_ROWS], plain[DOT_ROWS]; /* results of its two functions, per row */
};

/* Loads and runs dot-FLAGS.so, FLAGS gnu11, c11 or znver3. False if there is no such object, or
 * this CPU has no AVX2. */
bool dot_load(const struct case_context *, const char *cc, const char *flags, struct dot *);
/* The sums of a struct dot with two roundings per term, by the lab's own strict code. */
void dot_strictly(const struct case_context *, struct dot *);
/* The share of rows whose sums differ in bits. */
double dot_differing(const float *a, const float *b);
/* Adds a row to a table and to the record: compiler, flags, counts of FMA and multiplications, and
 * the shares of sums that differ. */
void dot_row(struct case_result *, json_t *table, const char *cc, const char *flags,
             const struct code_counts *, double lanes, double plain);

#endif
