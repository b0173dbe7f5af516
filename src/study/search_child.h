// SPDX-License-Identifier: MIT
/* The search on one variant, in a child process that may die of it. */
#ifndef ULPLAB_SEARCH_CHILD_H
#define ULPLAB_SEARCH_CHILD_H

#include <stdbool.h>

#include "base/progress.h"
#include "measure/stage.h"
#include "model/registry.h"
#include "oracle/oracle.h"
#include "study/hunt.h"

/* The score of a row, which a search maximises: how wrong a kernel is on it. */

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

/* The box and the budget of a search. */
struct search_plan {
    const char *op;
    const char *folder; /* of results: rows that are found go to its adversarial/ */
    size_t n;           /* at least 1 */
    float low, high;    /* the box: every value in [low, high] */
    uint64_t seed;
    uint64_t evaluations; /* rows, per variant and method; or 0, and `seconds` in all */
    double seconds;
    bool all;         /* every variant; false: the widest ISA and one compiler under `off` */
    int threads;      /* 0: one per core of the cpuset; no find depends on it */
    double silence_s; /* a variant that takes longer on a round is taken to hang */
    bool quiet;
};

/* The findings: by the guided hunt, by random rows, and all errors of the guided hunt's row. */
struct search_found {
    struct row_errors worst;
    struct hunt_result guided, random; /* `best` is of no use here */
};

struct variant_search {
    const struct search_plan *plan;
    const struct variant *variant;
    const struct oracle *oracle;
    double seconds; /* for each method, if there is no budget of evaluations */
    struct progress *progress;
    double share_begin, share_each; /* of the whole search */

    struct search_found found;
    float *row; /* [n]: the worst row */
};

/* Searches, and fills in `found` and `row` where *status is STATUS_OK; else the variant's child
 * ended so. Not 0 where the search itself failed or was interrupted. */
int variant_search_run(struct variant_search *, enum status *status, struct error *);

#endif
