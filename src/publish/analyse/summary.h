/* One line per variant: its accuracy over the families, its time at the shape that every variant
 * was timed at. */
#ifndef ULPLAB_SUMMARY_H
#define ULPLAB_SUMMARY_H

#include "publish/load/results.h"

struct summary {
    struct axes axes;
    char id[240];
    bool hazard, wrong; /* wrong: some cell broke a promise of its file */
    double error;       /* what variants of an operation are ranked by: the largest on family
                           `normal`, any n, in error_unit(op); NAN where nothing was measured */
    double worst_ulp;   /* over every family */
    const char *worst_family;
    double worst_scaled;              /* input-scaled, over every family: comparable near zero */
    double mean_ulp;                  /* mean over the cells of `normal` */
    double worst_bound;               /* measured / proven bound */
    size_t specials_broken;           /* NaN, infinities and signs that are not as they should be */
    const struct timing_result *home; /* at the home shape; NULL where it was not timed */
};

struct summaries {
    struct summary *items; /* by id */
    size_t count;
    size_t home_rows, home_n; /* the single-thread shape of family normal with the most variants */
};

int summaries_make(const struct results *r, struct summaries *s, struct error *e);
void summaries_free(struct summaries *s);

/* The variant of a record's axes; NULL where no record names it. */
struct summary *summaries_find(const struct summaries *s, const struct axes *a);

/* Was it timed, by a variant that is right, no hazard, and under a policy that promises something?
 */
bool timing_keeps_promises(const struct summaries *s, const struct timing_result *t);

/* Correct, no hazard, and timed: fit to be recommended. */
bool summary_is_candidate(const struct summary *s);

#endif
