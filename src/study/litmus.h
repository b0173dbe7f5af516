// SPDX-License-Identifier: MIT
/* Runs the litmus of a flag regime {compiler, ISA, policy} and compares what it observes with the
 * table of study/expectation.c. */
#ifndef ULPLAB_LITMUS_H
#define ULPLAB_LITMUS_H

#include <jansson.h>
#include <stdbool.h>

#include "build.h"
#include "model/status.h"
#include "probe.h"
#include "study/expectation.h"

struct litmus {
    const struct build_record *regime; /* of probe_records */
    enum status status;                /* ok: `observed` holds */
    char reason[128];                  /* why not ok, else "" */
    enum knowledge known;              /* unless UNLISTED, `expected` holds */
    struct probe_result observed, expected;
    char disagreement[200]; /* "contracts: expected false, observed true", or "" */
};

/* The regime's line in probe_records, or NULL. */
const struct build_record *litmus_regime(const char *cc, const char *isa, const char *policy);

/* Runs it in a child. skip_reason: why this machine cannot, or NULL. */
void litmus_run(const struct build_record *regime, const char *skip_reason, struct litmus *litmus);

/* {"contracts": true, ...}; null where it did not run. */
json_t *litmus_observed(const struct litmus *litmus);

/* {"record": "litmus", isa, cc, version, policy, status, reason, observed, expected,
 * expectation: "listed", "newer" or "unlisted", consistent, why} */
json_t *litmus_record(const struct litmus *litmus);

#endif
