// SPDX-License-Identifier: MIT
/* The search for the row on which a function of n floats in a box is largest. Two methods take
 * turns: binary-guided random testing, which halves the box and follows the half that scores more
 * (Chiang, Bao, Gopalakrishnan, Solovyev, Rakamaric: Efficient search for inputs causing high
 * floating-point errors, PPoPP 2014: S3FP), and a local search on the values and bits around the
 * best row so far (variation.h), in which the gains of several rows are tried together: errors of a
 * sum add up. It does not depend on kernels: the caller supplies the score. */
#ifndef ULPLAB_HUNT_H
#define ULPLAB_HUNT_H

#include "base/error.h"
#include "study/hunt_plan.h"

enum { HUNT_POINTS = 96 };
struct hunt_point {
    uint64_t evaluations;
    double score; /* the largest so far */
};

struct hunt_result {
    float *best; /* [n], the caller frees */
    double score;
    uint64_t evaluations;
    double seconds;
    struct hunt_point history[HUNT_POINTS]; /* ascending; thinned out where it is long */
    size_t points;
};

/* EXIT_PARTIAL: out of memory. Uses OpenMP. */
int hunt_run(const struct hunt_plan *plan, struct hunt_result *result, struct error *e);

#endif
