// SPDX-License-Identifier: MIT
/* The goal, the box and the budget of a hunt. */
#ifndef ULPLAB_HUNT_PLAN_H
#define ULPLAB_HUNT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

struct hunt_plan {
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

#endif
