/* Accuracy: every variant of a registry against the oracle, on blocks of inputs that are made, and
 * whose exact values are computed, once for all variants of an operation. */
#ifndef ULPLAB_ACCURACY_H
#define ULPLAB_ACCURACY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "measure/adversarial.h"
#include "model/record.h"
#include "model/registry.h"
#include "oracle/oracle.h"

/* What is measured. Without n, families, elements and input: the default grid, whose version is in
 * every row. Else every given family at every given n (all of them, the grid's n, where not
 * given). */
struct accuracy_plan {
    uint64_t seed;
    int threads; /* 0: one per core of the cpuset; no result depends on it */
    const size_t *n;
    size_t n_count;
    const enum family *families;
    size_t family_count;
    size_t elements;    /* input elements per block (at least two rows); 0: the grid's */
    const float *input; /* [input_rows, input_n]: these rows instead of the families, or NULL */
    size_t input_rows, input_n;
    /* The family `adversarial`, beside the others or alone; NULL: without it. */
    const struct adversarial *adversarial;
    bool adversarial_alone;
    struct parameters parameters;
    struct caches caches; /* of this machine; no result depends on it */
    const json_t *done;   /* array of rows of a run that was cut: not measured again; or NULL */
    double silence_s;     /* a variant that takes longer on one block is taken to hang */
    bool quiet;           /* no progress line */
};
struct accuracy_plan accuracy_plan_default(void);

/* Puts one record ("record": "accuracy") per variant and block, in a fixed order: two runs on one
 * machine are byte-identical. A variant that is skipped, unbuilt, or of an operation without an
 * oracle has one row without family and n; one that dies has its status in the row where it died,
 * and in the rest of its rows. The process must not have used OpenMP before.
 * The tally is of rows. 0; EXIT_GATE where a promise fell; EXIT_PARTIAL where a variant died; or
 * what went wrong. */
int accuracy_run(const struct accuracy_plan *, const struct registry *, struct record_sink,
                 struct tally *, struct error *);

#endif
