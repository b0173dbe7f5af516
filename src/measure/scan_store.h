// SPDX-License-Identifier: MIT
/* What a scan is asked for, and the files that it leaves in a folder of results.
 *
 * scan.jsonl: the rows of finished scans. A row belongs to its machine code: it is reused for any
 * variant whose object has the same hash (and, if a library computes, the same libraries).
 *
 * scan-OP.partial.jsonl: the blocks of an unfinished scan, one line each, appended as they come, so
 * that a scan that was cut short at any moment continues after the last whole line, to the same
 * bits. */
#ifndef ULPLAB_SCAN_STORE_H
#define ULPLAB_SCAN_STORE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "model/record.h"
#include "model/registry.h"
#include "oracle/ulp.h"

/* ---- Requests -------------------------------------------------------------------------------- */

/* A scan's part of a longer job, in any unit, for the progress line. */
struct scan_part {
    size_t before, size, whole; /* whole 0: it is the job */
};

struct scan_request {
    const char *op;  /* a unary one: oracle_find(op)->unary */
    bool whole;      /* all 2^32 bit patterns, NaNs included; else [low, high] */
    float low, high; /* low <= high, no NaN; -0 and +0 are two inputs */
    size_t samples;  /* inputs of `whole` to take, equally many per binade; 0: all */
    size_t searched; /* in double: inputs that each variant's own search tries; 0: 2^23 */
    double seconds;  /* in double: instead, how long all these searches take; 0: no matter */
    int threads;     /* 0: one per core of the cpuset; no figure but the time depends on it */
    double silence_s;
    bool quiet;
    const char *title; /* in the progress line */
    struct scan_part part;
    const char *folder; /* of the kept results; NULL: nothing is kept or reused */
    bool resume;        /* go on with the scan that was interrupted there */
    bool force;         /* scan again although results are kept */
};

struct scan_summary {
    struct tally rows;
    size_t kept; /* rows that were taken from the folder */
};

/* ---- What is found, and kept ----------------------------------------------------------------- */

/* The figures of one variant over one block, or over all blocks. Indices are ranks: scan_blocks.h.
 */
struct scan_outcome {
    struct ulp_stats stats;
    struct ulp_regions regions;
    struct ulp_stats in_short; /* in calls with rows so short that they are all tail */
    uint64_t outputs;          /* the sum of the rows' hashes: oracle/output_hash.h */
    bool mxcsr_kept;
    double seconds;
};

/* Returns the conditions that a row is valid for, as fields of the row: code_hash, isa, range,
 * method, libraries. NULL if no row of the variant can be kept, because its code is unknown. */
json_t *scan_key(const struct variant *v, const json_t *range);

/* Reads the rows of a folder's scan.jsonl, raw or archived; an empty array if there is none.
 * EXIT_BAD_INPUT. */
int scan_store_read(const char *folder, json_t **rows, struct error *e);
/* The row of that key that has its own figures, or NULL; borrowed. */
const json_t *scan_store_find(const json_t *rows, const json_t *key);
/* Gives each row to the sink and the summary; if the request has a folder, `kept` are its rows, and
 * these take the place of those of the same id and range. */
int scan_put_rows(const struct scan_request *, json_t *kept, json_t *rows, struct record_sink,
                  struct scan_summary *, struct error *e);

/* Returns the share of the whole job that corresponds to that share of the request. */
double scan_part_share(const struct scan_request *, double share);

/* The file of an operation's unfinished scan, and its lines. */
void scan_partial_path(char *path, size_t size, const char *folder, const char *op);
int scan_partial_append(struct record_file *f, const json_t *key, size_t block,
                        const struct scan_outcome *o, struct error *e);
/* Returns false if the record has another key, or is an earlier version's. */
bool scan_partial_take(const json_t *record, const json_t *key, size_t *block,
                       struct scan_outcome *o);

#endif
