// SPDX-License-Identifier: MIT
/* Runs case studies, each in a child, and makes their records. */
#ifndef ULPLAB_CASE_RUN_H
#define ULPLAB_CASE_RUN_H

#include <jansson.h>

#include "cases/case.h"

/* All cases, sorted by the names of their files; ends with NULL. */
extern const struct case_study *const case_studies[];
/* The cases of a run that asks for nothing in particular. */
extern const struct case_study *const usual_cases[];
/* The case of that name; or NULL, with EXIT_USAGE and a message that names the nearest. */
const struct case_study *case_find(const char *name, struct error *e);

struct cases_plan {
    const struct case_study *const *cases; /* `count` of them */
    size_t count;
    struct case_context context;
    const json_t *done; /* records of an interrupted run, whose cases are not run again; or NULL */
    bool quiet;         /* no progress line */
};

struct cases_summary {
    size_t reproduced, not_reproduced, skipped, failed;
};

/* Puts one record per case:
 *   {"record": "case", name, title, verdict, status, reason, reported, mechanism, remedy, price,
 *    expected {what: value}, measured {what: value}, checks [{what, expected, measured, holds}],
 *    rows [..], tables [{caption, columns [{key, label}], rows [..]}],
 *    curves [{title, x_label, y_label, x_log, y_log, series [{name, points [[x, y], ..]}]}],
 *    seconds}
 * verdict: `reproduced` where every check holds, `skipped` with its reason where this machine or
 * this build has nothing to show it by, else `not-reproduced`.
 * The process must not have used OpenMP before. 0; EXIT_GATE where a case was not reproduced;
 * EXIT_PARTIAL where one died; or what went wrong. */
int cases_run(const struct cases_plan *, struct record_sink, struct cases_summary *,
              struct error *);

/* The findings of a case so far, in its own process. Cases use src/cases/case.h alone. */

struct case_result {
    char skip[200], price[600];
    json_t *checks, *rows, *tables, *curves;
};

void case_result_begin(struct case_result *);
/* {verdict, reason, price, expected, measured, checks, rows, tables, curves}. Takes over what the
 * result holds. */
json_t *case_result_record(struct case_result *);
/* Returns the result of a case that found nothing, without verdict and reason. */
json_t *case_result_nothing(void);

#endif
