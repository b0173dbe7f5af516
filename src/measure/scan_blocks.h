// SPDX-License-Identifier: MIT
/* The evaluation of a scan's blocks, in child processes, and its state on both sides of the fork.
 */
#ifndef ULPLAB_SCAN_BLOCKS_H
#define ULPLAB_SCAN_BLOCKS_H

#include <jansson.h>

#include "base/progress.h"
#include "measure/scan_store.h"
#include "measure/stage.h"
#include "oracle/consecutive.h"

/* Inputs are numbered by their rank in the order of floats (oracle/consecutive.h). A block is a
 * binade: so long that threads rarely wait for each other, since on a busy machine that costs a
 * time slice. */
enum {
    BINADE_BITS = 23,
    SCAN_BLOCK = 1 << BINADE_BITS,
    SCAN_ROWS = SCAN_BLOCK / CONSECUTIVE_ROW,
    BINADES = 512,
};

/* A variant of the operation. */
struct scan_entry {
    const struct variant *variant;
    size_t
        same_as; /* the entry that is evaluated for it: itself, or an earlier one of equal code */
    enum status status;
    json_t *key;        /* NULL: nothing of it can be kept */
    const json_t *kept; /* its row in the folder; borrowed, NULL: none */
    size_t from_block;  /* the blocks before were evaluated before an interruption */
    size_t done_blocks;
    struct scan_outcome total;
    struct ulp_stats *binades; /* [BINADES] */
};

struct scan {
    const struct scan_request *request;
    const struct oracle *oracle;
    struct scan_entry *entries;
    size_t count;
    uint32_t first;     /* rank */
    uint64_t inputs;    /* from it on */
    uint64_t evaluated; /* of these */
    size_t block_rows;  /* rows of a block that are evaluated */
    size_t blocks;      /* of SCAN_BLOCK ranks each; the first begins at or below `first` */
    json_t *range;
    json_t *kept; /* rows of the folder */
    char partial_path[1024];
    struct record_file partial; /* fd < 0: none is written */
    struct progress progress;
    const struct peer *peer; /* whose variants are evaluated; NULL: the lab's */

    /* Members of the child. */
    struct stage stage;             /* one row per thread */
    struct stage short_stage;       /* one chunk of short rows per thread */
    double *want;                   /* a row per thread; for a user's reference a whole block */
    struct consecutive *expansions; /* of this block's rows */
    struct seen_rows *seen;         /* results of this block's rows */
    struct scan_outcome *parts;     /* a variant's, by row of the block */
    double oracle_seconds;          /* for this block, per variant */
    double block_begin_s;
};

/* Returns whether the entry is evaluated: it is able to run, its results are not kept, and no other
 * entry has the same code. */
bool scan_is_evaluated(const struct scan *, size_t entry);
void scan_begin_outcome(struct scan_outcome *);
/* Adds the findings of a block to the entry's totals. */
void scan_add_block(struct scan *, struct scan_entry *, size_t block, const struct scan_outcome *);
/* Shows the progress of the scan, of which so many blocks are done. */
void scan_show(struct scan *, double blocks, const char *detail);
/* Evaluates every remaining block, in children; returns as battery_run(). */
int scan_run_blocks(struct scan *, struct error *);

#endif
