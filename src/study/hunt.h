// SPDX-License-Identifier: MIT
/* The search for the row on which a function of n floats in a box is largest. Two methods take
 * turns: binary-guided random testing, which halves the box and follows the half that scores more
 * (Chiang, Bao, Gopalakrishnan, Solovyev, Rakamaric: Efficient search for inputs causing high
 * floating-point errors, PPoPP 2014: S3FP), and a local search on the values and bits around the
 * best row so far (variation.h), in which the gains of several rows are tried together: errors of a
 * sum add up. It does not depend on kernels: the caller supplies the score. */
#ifndef ULPLAB_HUNT_H
#define ULPLAB_HUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The goal, the box and the budget of a hunt. */

/* Islands search for themselves, later in groups that share what they gain: between rounds, so that
 * what one finds depends on the seed and the number of rounds, never on the threads. */
enum { HUNT_ISLANDS = 16, HUNT_BATCH = 8, HUNT_STEPS = 4 };
/* Evaluations of a round: a budget is rounded up to whole rounds. */
#define HUNT_ROUND ((uint64_t)HUNT_ISLANDS * HUNT_BATCH * HUNT_STEPS)

/* Scores HUNT_BATCH rows [HUNT_BATCH, n]; larger is worse for the kernel. Called by several
 * threads, each with islands of its own. */
typedef void hunt_score(void *context, size_t island, const float *rows, double *scores);
/* Called after each round, by the thread that called hunt_run(); share: of the budget. */
typedef void hunt_round(void *context, double share);

struct hunt_request {
    size_t n;
    float low, high; /* the box: every element in [low, high] */
    uint64_t seed;
    uint64_t evaluations; /* the budget; or 0, and the rounds that `seconds` are enough for */
    double seconds;
    int threads; /* 0: one per core of the cpuset */
    bool guided; /* false: uniform random rows, what a search has to beat */
    hunt_score *score;
    hunt_round *round; /* or NULL */
    void *context;
};

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

/* Uses OpenMP. */
void hunt_run(const struct hunt_request *request, struct hunt_result *result);

#endif
