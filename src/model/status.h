// SPDX-License-Identifier: MIT
/* The status of a variant or of one of its cells, its verdict on the promises, and the tally of
 * both. */
#ifndef ULPLAB_STATUS_H
#define ULPLAB_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum status {
    STATUS_OK,
    STATUS_SKIPPED, /* this CPU cannot run it, or the user excluded it: never run */
    STATUS_UNBUILT, /* a compiler refused it */
    STATUS_WRONG,   /* breaks a promise that its file makes */
    STATUS_SIGILL,
    STATUS_SIGSEGV,
    STATUS_SIGBUS,
    STATUS_SIGFPE,
    STATUS_KILLED, /* ended by another signal, or exited without a result */
    STATUS_TIMEOUT,
    STATUS_INTERRUPTED,
    STATUS_COUNT
};

/* Returns "ok", "skipped", ... as in the records. */
const char *status_name(enum status s);
/* Returns STATUS_COUNT if the name is unknown. */
enum status status_from_name(const char *name);
/* Returns the status of a child that waitpid() described by `wait_status`, other than a clean
 * exit. */
enum status status_from_wait(int wait_status);
/* Returns true for what makes a run partial (exit 3): crashed, cut or interrupted. */
bool status_is_partial(enum status s);

/* The verdict of a row of errors on the promises that the kernel's file makes about it. */
enum row_verdict {
    VERDICT_KEPT,     /* it bounds the errors, and they are within */
    VERDICT_BROKEN,   /* a promise is broken: the status is `wrong` */
    VERDICT_MEASURED, /* no promise bounds the errors */
    VERDICT_COUNT
};
/* Returns "kept", "broken", "measured" as in the records. */
const char *row_verdict_name(enum row_verdict v);

struct tally {
    size_t ok, wrong, skipped,
        failed; /* skipped includes unbuilt; failed counts what makes a run partial */
};
void tally_add(struct tally *, enum status);
/* Returns a command's exit code by its variants' tally: EXIT_PARTIAL if one died, else EXIT_GATE if
 * one broke a promise, else 0. `what` names what was counted: "variants". */
int tally_verdict(const struct tally *, const char *command, const char *what, struct error *);

#endif
