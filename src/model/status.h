/* What became of a variant, or of one of its cells, what that says of its promises, and how many
 * ended how. */
#ifndef ULPLAB_STATUS_H
#define ULPLAB_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum status {
    STATUS_OK,
    STATUS_SKIPPED, /* this CPU, or the user, says no: never run */
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

/* "ok", "skipped", ... as in the records. */
const char *status_name(enum status s);
/* STATUS_COUNT where the name is unknown. */
enum status status_from_name(const char *name);
/* The status of a child that waitpid() described by `wait_status`, other than a clean exit. */
enum status status_from_wait(int wait_status);
/* True for what makes a run partial (exit 3): crashed, cut or interrupted. */
bool status_is_partial(enum status s);

/* What a row of errors says of the promises that the kernel's file makes about it. */
enum row_verdict {
    VERDICT_KEPT,     /* there are some, and all are kept */
    VERDICT_BROKEN,   /* one is broken: the status is `wrong` */
    VERDICT_MEASURED, /* there is none */
    VERDICT_COUNT
};
/* "kept", "broken", "measured" as in the records. */
const char *row_verdict_name(enum row_verdict v);

struct tally {
    size_t ok, wrong, skipped, failed; /* skipped includes unbuilt; failed is what is partial */
};
void tally_add(struct tally *, enum status);
/* How a command ends whose variants ended as the tally says: EXIT_PARTIAL where one died, else
 * EXIT_GATE where one broke a promise, else 0. `what` names what was counted: "variants". */
int tally_verdict(const struct tally *, const char *command, const char *what, struct error *);

#endif
