// SPDX-License-Identifier: MIT
/* A battery: every variant over every block of inputs, in a child process that any of them may
 * crash. The child prepares a block once and measures all variants on it. When a variant crashes or
 * hangs the child, that is the variant's outcome: the variant is left out from there on, and a new
 * child continues with the next one. A leftover of an earlier variant (a thread, an alarm, a signal
 * handler) may also end the child: a crash only counts if nothing was measured in that child
 * before, otherwise the variant is tried again in a new child. Results do not depend on whether, or
 * how often, that happened. */
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

    /* Returns whether the variant is to be measured on the block. Called in parent and child; the
     * answer must never change. */
    bool (*has_work)(void *context, size_t block, size_t variant);
    /* In the child: prepares a block, and frees what the block before needed. If it runs code from
     * outside the lab (`foreign`) and that code ends the child, every variant has that status. */
    bool foreign;
    int (*prepare_block)(void *context, size_t block, struct error *e);
    /* In the child: writes a result of at most BATTERY_MESSAGE_MAX bytes, returns its size. */
    size_t (*measure_variant)(void *context, size_t block, size_t variant, void *result);
    /* In the parent: called once for every (block, variant) that has work, in that order. With
     * STATUS_OK there is a result; otherwise the status is the cause of the variant's death: on
     * this block if `here`, else on an earlier one. A result other than 0 stops the battery, which
     * returns it. */
    int (*take_outcome)(void *context, size_t block, size_t variant, enum status, bool here,
                        const void *result, struct error *e);
};

/* Returns 0, take_outcome()'s code, 130 or 143 if the lab was asked to stop, or EXIT_PARTIAL if the
 * child died by itself. */
int battery_run(const struct battery *b, struct error *e);

#endif
