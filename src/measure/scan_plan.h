// SPDX-License-Identifier: MIT
/* The inputs that a scan evaluates, and its use of results that are kept. */
#ifndef ULPLAB_SCAN_PLAN_H
#define ULPLAB_SCAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* A scan's part of a longer job, in any unit, for the progress line. */
struct scan_part {
    size_t before, size, whole; /* whole 0: it is the job */
};

struct scan_plan {
    const char *op;  /* a unary one: oracle_find(op)->unary */
    bool whole;      /* all 2^32 bit patterns, NaNs included; else [low, high] */
    float low, high; /* low <= high, no NaN; -0 and +0 are two inputs */
    size_t samples;  /* inputs of `whole` to take, equally many per binade; 0: all */
    size_t searched; /* in double: inputs that each variant's own search tries; 0: 2^23 */
    double seconds;  /* in double: instead, how long all these searches take; 0: no matter */
    int threads;     /* 0: one per core of the cpuset; no figure but the time depends on it */
    double silence_s;
    bool quiet;
    const char *title; /* in the progress line */
    struct scan_part part;
    const char
        *folder; /* folder of the kept results (scan_store.h); NULL: nothing is kept or reused */
    bool resume; /* go on with the scan that was interrupted there */
    bool force;  /* scan again although results are kept */
};
struct scan_plan scan_plan_default(const char *op);

/* "LO,HI": two numbers as strtof() reads them, hexadecimal ones too. EXIT_USAGE. */
int scan_parse_range(const char *text, struct scan_plan *plan, struct error *e);

#endif
