// SPDX-License-Identifier: MIT
/* The search on one variant, in a child process that may die of it. */
#ifndef ULPLAB_SEARCH_CHILD_H
#define ULPLAB_SEARCH_CHILD_H

#include "base/progress.h"
#include "study/hunt.h"
#include "study/search_plan.h"
#include "study/search_score.h"

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
