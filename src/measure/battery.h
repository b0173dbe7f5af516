/* A battery: every variant over every block of inputs, in a child process that may die of any of
 * them. The child prepares a block once and measures all variants on it. When a variant ends the
 * child, or hangs it, that is the variant's outcome: the variant is left out from there on, and a
 * new child goes on with the next one. Results do not depend on whether, or how often, that
 * happened. */
#ifndef ULPLAB_BATTERY_H
#define ULPLAB_BATTERY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "model/status.h"

enum { BATTERY_MESSAGE_MAX = 32 * 1024 };

struct battery {
    size_t blocks, variants;
    double silence_s; /* a variant that takes longer on one block is taken to hang */
    void *context;

    /* Is the variant to be measured on the block? Called in parent and child; the answer must never
     * change. */
    bool (*has_work)(void *context, size_t block, size_t variant);
    /* In the child: prepares a block, and frees what the block before needed. Where it runs code
     * that is not the lab's (`foreign`) and that code ends the child, every variant has that
     * status. */
    bool foreign;
    int (*prepare_block)(void *context, size_t block, struct error *e);
    /* In the child: writes a result of at most BATTERY_MESSAGE_MAX bytes, returns its size. */
    size_t (*measure_variant)(void *context, size_t block, size_t variant, void *result);
    /* In the parent: called once for every (block, variant) that has work, in that order. With
     * STATUS_OK there is a result; else there is none, and the status is what the variant died of:
     * on this block where `here`, else on an earlier one. Not zero: stop and return that. */
    int (*take_outcome)(void *context, size_t block, size_t variant, enum status, bool here,
                        const void *result, struct error *e);
};

/* 0, take_outcome()'s code, 130 or 143 where the lab was asked to stop, or EXIT_PARTIAL where the
 * child died of its own. */
int battery_run(const struct battery *b, struct error *e);

#endif
