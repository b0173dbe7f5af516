// SPDX-License-Identifier: MIT
/* The steps of `ulplab run`, and what they share. */
#ifndef ULPLAB_RUN_STEPS_H
#define ULPLAB_RUN_STEPS_H

#include "cmd/options.h"
#include "cmd/run_place.h"
#include "machine/cpu.h"
#include "measure/accuracy.h"
#include "model/record.h"
#include "model/registry.h"
#include "model/suite.h"
#include "model/status.h"

enum { RUN_PATH_MAX = 1100 };

struct run {
    const struct options *o;
    struct cpu cpu;
    struct registry registry;  /* all that match, in the order of `measured`, `timed`, the rest */
    struct registry measured;  /* its first variants, which are measured for their own sake */
    struct registry timed;     /* the variants above and those of suites */
    const struct suite *suite; /* NULL: not of one alone */
    struct adversarial adversarial; /* the files as they were when the run began */
    struct run_place place;
    char id[RUN_ID_SIZE]; /* the run's identity, in each of its records */
    const char *folder;   /* the folder in which it grows */
    char report[RUN_PATH_MAX], page[RUN_PATH_MAX];
    char *answer;      /* the beginning of the report */
    bool ends;         /* a failed step ends the run */
    int gate;          /* EXIT_GATE or EXIT_PARTIAL, the larger that a step ended with */
    char verdict[600]; /* the message of that step */
    struct tally rows; /* tally of accuracy and timing */
};

enum resume {
    MADE_ANEW, /* --resume takes the step again: it is short, or made of files alone */
    CONTINUED, /* --resume keeps the file's records and measures what is missing */
    ADDED,     /* the same always: the step before wrote into the file, too */
};

struct run_step {
    const char *name;
    const char *writes; /* the file of records that `measure` appends to; NULL: no records */
    enum resume resume;
    /* done: what an earlier run or step left in the file; empty if it is made anew. */
    int (*measure)(struct run *, const json_t *done, struct record_file *, struct error *);
    /* Turns the complete records into the files for readers; NULL: readers use the records. */
    int (*finish)(struct run *, const char *path, struct error *);
    bool of_suites; /* a run of a suite alone takes it, too */
};
extern const struct run_step run_steps[]; /* in order; ends with a NULL name */

/* Performs one step. A failed gate, or a row that crashed, is a finding of the run and does not end
 * it: it is recorded in run->gate, and this returns 0. */
int step_take(struct run *, const struct run_step *, struct error *);
/* Makes the reports from the folder's files. */
int step_report(struct run *, struct error *);

/* ---- What the steps take from cmd/run.c ------------------------------------------------------ */

/* Returns whether this is a default run, which measures what scripts/kernels.awk chose. */
bool run_is_usual(const struct options *);
/* Print a few lines before the times are known, unless nothing is to be printed. */
int run_show_codegen(struct run *, const char *path, struct error *);
int run_show_errors(struct run *, const char *path, struct error *);
/* Says in machine.json that the run is done. */
int run_finish(const struct run *, struct error *);

#endif
