// SPDX-License-Identifier: MIT
/* The behaviour that is expected of each compiler under each policy: a table of measured facts
 * (docs/method.md, "What compilers do"; tests/test_litmus.c), with which builds are compared. */
#ifndef ULPLAB_EXPECTATION_H
#define ULPLAB_EXPECTATION_H

#include <stdbool.h>

#include "probe.h"

/* A compiler in the table: not there; newer than the newest version there, whose row counts; there
 * itself. */
enum knowledge { UNLISTED, NEWER, LISTED };
const char *knowledge_name(enum knowledge k); /* "unlisted", "newer", "listed" */

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
