// SPDX-License-Identifier: MIT
/* Whether this machine is fit to measure: one table of checks, each with its remedy. */
#ifndef ULPLAB_DOCTOR_H
#define ULPLAB_DOCTOR_H

#include <jansson.h>
#include <stddef.h>

#include "machine/cpu.h"
#include "machine/topology.h"

enum severity { SEVERITY_OK, SEVERITY_NOTE, SEVERITY_WARN, SEVERITY_FAIL };
const char *severity_name(enum severity s); /* "ok", "note", "warn", "fail" */

struct finding {
    const char *check;
    enum severity severity;
    char value[128];
    char remedy[160]; /* "" where there is nothing to do */
};

/* Fills at most `room` findings, one per check, and returns the number of checks. It takes some 0.3
 * s; the calling thread must not be pinned. root: the folder of proc/ and sys/, "" for this
 * machine's. */
size_t doctor_examine(const struct cpu *cpu, const struct topology *t, const char *root,
                      struct finding *findings, size_t room);

/* Judges the share of time, in percent, that a spinning thread lost, under a quota of so many
 * processors (INFINITY: none; NAN: unknown). */
void doctor_judge_pauses(struct finding *f, double share, double quota);

/* Returns a row of the contract: check, severity, value, remedy. */
json_t *doctor_record(const struct finding *f);

#endif
