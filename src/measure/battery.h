/* A battery: every variant over every block of inputs, in a child that may die of any of them. The
 * child prepares a block once and puts all variants to it; when a variant ends the child, or hangs
 * it, that is the variant's outcome: it is dropped, and a new child goes on behind it. Results do
 * not depend on whether, or how often, that happened. */
#ifndef ULPLAB_BATTERY_H
#define ULPLAB_BATTERY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "model/status.h"

enum { BATTERY_MESSAGE_MAX = 32 * 1024 };

struct battery {
    size_t blocks, variants;
    double silence_s; /* a variant that takes longer on one block hangs */
    void *context;

    /* Is there anything to do? Asked on both sides; must answer the same all along. */
    bool (*wanted)(void *context, size_t block, size_t variant);
    /* In the child: makes ready for a block; ends what the block before needed. Where it runs
     * code that is not the lab's (`foreign`) and dies of it, every variant ends so. */
    bool foreign;
    int (*prepare)(void *context, size_t block, struct error *e);
    /* In the child: writes a result of at most BATTERY_MESSAGE_MAX bytes, returns its size. */
    size_t (*measure)(void *context, size_t block, size_t variant, void *result);
    /* In the parent: every wanted (block, variant), in that order, each once. With STATUS_OK there
     * is a result; else none, and the status is what the variant died of: here where `here`, or
     * on an earlier block. Not zero: stop and return that. */
    int (*take)(void *context, size_t block, size_t variant, enum status, bool here,
                const void *result, struct error *e);
};

/* 0, take()'s code, 130 or 143 where the lab was asked to stop, or EXIT_PARTIAL where the child
 * died of its own. */
int battery_run(const struct battery *b, struct error *e);

#endif
