// SPDX-License-Identifier: MIT
/* One line per variant: its accuracy over the families and over whole scans, its time at the shape
 * that every variant was timed at, and whether it may be advised. */
#ifndef ULPLAB_SUMMARY_H
#define ULPLAB_SUMMARY_H

#include "publish/sql/facts.h"
#include "publish/load/results.h"

/* NAN: not measured. */
struct summary {
    struct axes axes;
    char id[240];
    bool hazard, wrong; /* wrong: some cell, or its scan, broke a promise of its file */
    bool promises;      /* its file promises something; true where records do not say */
    double lost;        /* the most results without a distance in one record */
    double error;       /* what variants of an operation are ranked by: the largest on family
                           `normal`, any n, in error_unit(op) */
    double advised; /* the error that the bar of advice judges, in error_unit(op): the largest over
                       the whole scan where there is one, else over every family */
    double worst_ulp; /* over every family */
    const char *worst_family;
    double worst_scaled;              /* input-scaled, over every family: comparable near zero */
    double mean_ulp;                  /* mean over the cells of `normal` */
    double worst_bound;               /* measured / proven bound */
    double specials_broken;           /* NaN, infinities and signs that are not as they should be */
    const struct timing_result *home; /* at the home shape; NULL where it was not timed */
};

struct summaries {
    struct summary *items; /* by id */
    size_t count;
    size_t home_rows, home_n; /* the single-thread shape of family normal with the most variants */
    double bar;               /* of advice: the largest error that is advised */
};

int summaries_make(const struct results *r, double bar, struct summaries *s, struct error *e);
void summaries_free(struct summaries *s);

#endif
