/* A scan: a unary operation on every fp32 input there is, or on a range of them. */
#ifndef ULPLAB_SCAN_H
#define ULPLAB_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "model/record.h"
#include "model/registry.h"

struct scan_plan {
    const char *op;  /* exp, log, log2, sigmoid, gelu, expkappa */
    bool whole;      /* all 2^32 bit patterns, NaNs included; else [low, high] */
    float low, high; /* low <= high, no NaN; -0 and +0 are two inputs */
    int threads;     /* 0: one per core of the cpuset; no figure but the time depends on it */
    double silence_s;
    bool quiet;
    const char *folder; /* of the kept results (scan_store.h); NULL: nothing is kept or reused */
    bool resume;        /* go on with the scan that was interrupted there */
    bool force;         /* scan again what is kept */
};
struct scan_plan scan_plan_default(const char *op);

/* "LO,HI": two numbers as strtof() reads them, hexadecimal ones too. EXIT_USAGE. */
int scan_parse_range(const char *text, struct scan_plan *plan, struct error *e);

struct scan_summary {
    struct tally rows;
    size_t kept; /* rows that were taken from the folder */
};

/* One record ("record": "scan") per variant of the operation in the registry. The oracle is
 * evaluated once per block for all of them; variants of equal machine code are evaluated once, and
 * name the one that was ("same_code_as"); what the folder has of the same code is not evaluated at
 * all ("kept": true). `seconds` is a variant's own time and its share of the oracle's; "binades"
 * are the figures of each power of two's inputs. The process must not have used OpenMP before.
 * Codes as of accuracy_run(). */
int scan_run(const struct scan_plan *, const struct registry *, struct record_sink,
             struct scan_summary *, struct error *);

#endif
