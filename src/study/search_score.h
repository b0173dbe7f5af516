// SPDX-License-Identifier: MIT
/* The score of a row, which a search maximises: how wrong a kernel is on it. */
#ifndef ULPLAB_SEARCH_SCORE_H
#define ULPLAB_SEARCH_SCORE_H

#include <stdbool.h>

#include "measure/stage.h"
#include "model/registry.h"
#include "oracle/oracle.h"
#include "study/hunt_plan.h"

/* The error over its proven bound where the kernel has one, in ULP for a function of one number,
 * else over what its inputs' rounding explains. */
enum objective { OBJECTIVE_BOUND, OBJECTIVE_ULP, OBJECTIVE_SCALED };
enum objective objective_of(const struct oracle *, const struct kernel *);
const char *objective_name(enum objective);

/* The score of a special result where none belongs, which is worse than any distance. */
#define SCORE_OF_SPECIAL 1e30

/* The errors of one row. */
struct row_errors {
    double bound, ulp, scaled; /* -1 if there is none */
    bool special;
    bool mxcsr_kept;
};

/* A kernel, with room for each island's rows and results. */
struct scorer {
    const struct oracle *oracle;
    const struct kernel *kernel;
    enum objective objective;
    struct stage stage[HUNT_ISLANDS];
    double *want[HUNT_ISLANDS]; /* [oracle_values] */
};

/* Opens a scorer for rows of n. scorer_close() is called in any case. */
int scorer_open(struct scorer *, const struct oracle *, const struct kernel *, size_t n,
                int threads, struct error *);
void scorer_close(struct scorer *);

/* Scores rows [HUNT_BATCH, n]; islands may do so at the same time. */
void scorer_score(struct scorer *, size_t island, const float *rows, double *scores);
/* Returns all errors of one row. */
struct row_errors scorer_examine(struct scorer *, const float *row);

#endif
