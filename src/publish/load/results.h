// SPDX-License-Identifier: MIT
/* A folder of result files as tables: everything in publish/ reads results through this. */
#ifndef ULPLAB_RESULTS_H
#define ULPLAB_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "measure/ratio.h"
#include "publish/load/axes.h"
#include "publish/load/error_facts.h"

struct accuracy_result {
    struct axes axes;
    const char *family, *status;
    size_t n;
    bool hazard;
    /* NAN where the record has null, INFINITY where results were lost. */
    double max_ulp, mean_ulp, scaled_error, bound_ratio;
    struct error_facts facts;
    const json_t *record;
};

struct timing_result {
    struct axes axes;
    const char *family, *status, *residency, *limit;
    size_t rows, n, threads;
    double ns_per_element, low, high; /* per element, with the interval; NAN where there is none */
    double percent_of_limit;
    const char *block; /* cells with the same were timed side by side; "" in old records */
    struct by_process processes; /* of those, what ratios are formed of; [] in old records */
    bool unsteady;  /* its samples lie so far apart that its ratios are of others (modes.h) */
    bool two_modes; /* its processes have more than one (measure/modes.h): the time is of one */
    bool tied;      /* and no majority says which: it has no ratio */
    const json_t *record;
};

enum { OPERATIONS_MAX = 64 };

/* The facts that the accuracy records tell about an operation, whatever the variant. */
struct operation_facts {
    char op[24];
    bool near_zero;        /* its results come near zero: the error in ULP is unbounded */
    const char *reference; /* the file of a user's own, uncertified reference; or NULL */
};

struct results {
    json_t *machine;                     /* machine.json: machine, tool, findings */
    json_t *codegen, *accuracy, *timing; /* the files' records; the tables below borrow from them */
    json_t *diverge, *search, *scan;     /* likewise */
    struct accuracy_result *accuracies;
    struct timing_result *timings;
    double *process_values; /* what the timings' `processes` point into */
    size_t accuracy_count, timing_count;
    /* Both tables hold the lab's own variants first, then peers. Loops over accuracy_count and
     * timing_count see the lab's own variants only. */
    size_t peer_accuracy_count, peer_timing_count;
    struct operation_facts operations[OPERATIONS_MAX]; /* those in the accuracy records */
    size_t operation_count;
};

/* Reads machine.json, codegen.jsonl, accuracy.jsonl, timing.jsonl and so on of a folder, raw or
 * from its archive (model/record_archive.h); all but the first may be missing (a run cut short).
 * EXIT_BAD_INPUT on anything malformed. */
int results_read(const char *folder, struct results *r, struct error *e);
/* The i-th record of the lab's own accuracies, then of its timings, measured or not; NULL behind
 * the last. */
const json_t *results_answered(const struct results *r, size_t i);
/* Sets the four counts anew after a filter has left so many rows of all, in their order. */
void results_count(struct results *r, size_t accuracies, size_t timings);
/* "ulp"; or "u" = 2^-24 relative to the inputs, for operations whose results come near zero, where
 * the error in ULP is unbounded (logsumexp, log_softmax, moments, layernorm). Both
 * are of the type that results are stored in. op: an operation, or a group (struct axes). */
const char *error_unit(const struct results *r, const char *op);
void results_free(struct results *r);

#endif
