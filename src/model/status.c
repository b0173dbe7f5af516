// SPDX-License-Identifier: MIT
#include "model/status.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

static const char *const names[STATUS_COUNT] = {
    "ok",     "skipped", "unbuilt", "wrong",   "sigill",      "sigsegv",
    "sigbus", "sigfpe",  "killed",  "timeout", "interrupted",
};

const char *status_name(enum status s)
{
    return names[s];
}

enum status status_from_name(const char *name)
{
    enum status s = 0;
    while (s < STATUS_COUNT && strcmp(names[s], name) != 0) s++;
    return s;
}

enum status status_from_wait(int wait_status)
{
    if (!WIFSIGNALED(wait_status)) return STATUS_KILLED;
    switch (WTERMSIG(wait_status)) {
    case SIGILL:
        return STATUS_SIGILL;
    case SIGSEGV:
        return STATUS_SIGSEGV;
    case SIGBUS:
        return STATUS_SIGBUS;
    case SIGFPE:
        return STATUS_SIGFPE;
    default:
        return STATUS_KILLED;
    }
}

const char *row_verdict_name(enum row_verdict v)
{
    static const char *const verdicts[VERDICT_COUNT] = {"kept", "broken", "measured"};
    return verdicts[v];
}

bool status_is_partial(enum status s)
{
    return s >= STATUS_SIGILL && s <= STATUS_INTERRUPTED;
}

void tally_add(struct tally *t, enum status status)
{
    size_t *count = status == STATUS_OK         ? &t->ok
                    : status == STATUS_WRONG    ? &t->wrong
                    : status_is_partial(status) ? &t->failed
                                                : &t->skipped;
    ++*count;
}

int tally_verdict(const struct tally *t, const char *command, const char *what, struct error *e)
{
    if (t->failed)
        return fail(e, EXIT_PARTIAL, "%s: %zu %s crashed or hung; see their status", command,
                    t->failed, what);
    if (t->wrong)
        return fail(e, EXIT_GATE, "%s: %zu %s break a promise; see their reason", command, t->wrong,
                    what);
    return 0;
}
