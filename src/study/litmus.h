// SPDX-License-Identifier: MIT
/* Runs the litmus of a flag regime {compiler, ISA, policy} and compares what it observes with the
 * table of expectations. */
#ifndef ULPLAB_LITMUS_H
#define ULPLAB_LITMUS_H

#include <jansson.h>
#include <stdbool.h>

#include "build.h"
#include "model/status.h"
#include "probe.h"

/* A compiler in the table: not there; newer than the newest version there, whose row counts; there
 * itself. */
enum knowledge { UNLISTED, NEWER, LISTED };
const char *knowledge_name(enum knowledge k); /* "unlisted", "newer", "listed" */

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

/* The behaviour that is expected of each compiler under each policy: a table of measured facts
 * (docs/method.md, "What compilers do"; tests/test_litmus.c), with which builds are compared. */

/* cc: a compiler's name, "gcc-12" or "clang"; version: "12.2.0"; isa and policy as in a variant's
 * id. *expected is set unless UNLISTED. */
enum knowledge expectation_of(const char *cc, const char *version, const char *isa,
                              const char *policy, struct probe_result *expected);
/* The newest major version of "gcc" or "clang" that the table has. */
int expectation_newest(const char *family);

/* Returns whether this build's compiler of that name fuses a * b + c of plain C without a flag for
 * it. One that is not listed is assumed to, as all compilers since clang 14 do. */
bool default_fuses_expressions(const char *cc);

/* The version of this build's compiler of that name, or "". */
const char *expectation_version(const char *cc);

#endif
