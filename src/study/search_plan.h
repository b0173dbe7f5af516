// SPDX-License-Identifier: MIT
/* The box and the budget of a search. */
#ifndef ULPLAB_SEARCH_PLAN_H
#define ULPLAB_SEARCH_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The factor over the score of random rows that a search is expected to reach. */
#define SEARCH_GAIN 1.5

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
struct search_plan search_plan_default(const char *op);

/* "LO,HI" as strtof() reads them, finite. EXIT_USAGE. */
int search_parse_box(const char *text, struct search_plan *plan, struct error *e);

#endif
