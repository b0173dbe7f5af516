// SPDX-License-Identifier: MIT
/* The choice of a job's code path, by its shape and the sizes of the caches. Every path gives the
 * same bits. Where the order of additions would differ, the row length alone decides, not the cache
 * sizes: the reasons of these conditions begin with "whatever the machine". */
#ifndef DISPATCH_H
#define DISPATCH_H

#include "lanes.h"

/* Returns the job's cache sizes, or those of a typical server core where the job does not name
 * any. */
static inline struct caches caches_of(const struct job *j)
{
    static const struct caches unknown = {32 << 10, 1 << 20, 32 << 20};
    return j->caches.l1 ? j->caches : unknown;
}

/* The longest row, in elements, that a batch has room to widen where rows are not stored as
 * floats. */
enum { WIDENED_LENGTH = 128 };

/* The quantities of a job that are compared with limits. Q_BATCH_BYTES is the size of a full batch,
 * VL rows, even if the job has fewer. */
enum quantity { Q_ROWS, Q_LENGTH, Q_ROW_BYTES, Q_BATCH_BYTES, Q_JOB_BYTES, QUANTITIES };
enum limit_unit { COUNTED, PART_OF_L1, PART_OF_L2, PART_OF_LAST_LEVEL, TWO_THIRDS_OF_LAST_LEVEL };

enum condition {
    ENOUGH_ROWS,
    TWO_ROWS,
    SHORTER_THAN_OCTET,
    FITS_BLOCK,
    BATCH_FITS_L2,
    SHORT_ROW,
    ROW_FITS_L1,
    STREAMED_BATCH_FITS_L1,
    WIDENED_ROW_IS_SHORT,
    JOB_EXCEEDS_CACHES,
    ROW_HAS_WHOLE_LINES,
    JOB_OUTGROWS_LAST_LEVEL,
    RECOMPUTING_PAYS,
    ENOUGH_NEIGHBOURS,
    LONG_ENOUGH_TO_PIPELINE
};
/* The conditions. One holds if `quantity` is at most `limit` (`beyond`: is more than it), where the
 * limit is a count or 1/limit of a cache level. `path`, `where` and `why` are texts for timing
 * records: the name of the path that the condition leads to, the limit in words, and its reason.
 * Path "together" are batches: rows side by side. */
static const struct path_condition {
    const char *path;
    enum quantity quantity;
    enum limit_unit unit;
    size_t limit;
    const char *where;
    int beyond;
    const char *why;
} conditions[] = {
    [ENOUGH_ROWS] = {"together", Q_ROWS, COUNTED, 2, "too few", 1,
                     "empty lanes cost as much as full ones"},
    [TWO_ROWS] = {"together", Q_ROWS, COUNTED, 1, "one row", 1,
                  "two logarithms take as long as one"},
    [SHORTER_THAN_OCTET] =
        {"in trees", Q_LENGTH, COUNTED, 8 * LANES - 1, "less than an octet", 0,
         "whatever the machine: the errors of a chain's terms average out among 128"},
    [FITS_BLOCK] = {"together", Q_LENGTH, COUNTED, BLOCK, "one block", 0,
                    "whatever the machine: the sum of a longer row is cut"},
    [BATCH_FITS_L2] = {"together", Q_BATCH_BYTES, PART_OF_L2, 16, "a sixteenth of L2", 0,
                       "while a short row waits for its own results, its neighbours compute"},
    [SHORT_ROW] = {"together", Q_LENGTH, COUNTED, 512, "short", 0,
                   "whatever the machine: sums of a longer row go on in double"},
    [ROW_FITS_L1] = {"together", Q_ROW_BYTES, PART_OF_L1, 4, "a quarter of L1", 0,
                     "moments of several rows take as long as one's; half of L1 keeps the rows for "
                     "their results"},
    [STREAMED_BATCH_FITS_L1] = {"together", Q_ROW_BYTES, PART_OF_L1, 8, "an eighth of L1", 0,
                                "the numerators of four rows leave the rest of L1 to what is read"},
    [WIDENED_ROW_IS_SHORT] = {"together", Q_LENGTH, COUNTED, WIDENED_LENGTH, "eight lines", 0,
                              "a batch has room for so many widened elements and results"},
    [JOB_EXCEEDS_CACHES] = {"streamed", Q_JOB_BYTES, TWO_THIRDS_OF_LAST_LEVEL, 1,
                            "two thirds of the last level", 1,
                            "lines that no cache will keep need not be read to be written"},
    [ROW_HAS_WHOLE_LINES] =
        {"streamed", Q_LENGTH, COUNTED, 4 * LINE - 1, "four lines", 1,
         "whatever the machine: too much of a shorter row is lines shared with its neighbours"},
    [JOB_OUTGROWS_LAST_LEVEL] =
        {"read ahead", Q_JOB_BYTES, PART_OF_LAST_LEVEL, 2, "half the last level", 1,
         "other cores share that level; prefetching from it or nearer costs more than waiting"},
    [RECOMPUTING_PAYS] =
        {"recomputed", Q_LENGTH, COUNTED, 1 << 21, "numerators worth keeping", 1,
         "whatever the machine: reading x again costs less than writing and reading numerators"},
    [ENOUGH_NEIGHBOURS] = {"by turns", Q_ROWS, COUNTED, 3, "too few", 1,
                           "a row's results are stored while the next row is read"},
    [LONG_ENOUGH_TO_PIPELINE] = {"by turns", Q_LENGTH, COUNTED, 2047, "two chunks", 1,
                                 "a shorter row does not gain what a row's start and end cost"},
};

static inline size_t quantity_of(const struct job *j, enum quantity quantity)
{
    if (quantity == Q_ROWS) return j->rows;
    if (quantity == Q_LENGTH) return j->n;
    if (quantity == Q_ROW_BYTES) return sizeof(element) * j->n;
    if (quantity == Q_BATCH_BYTES) return VL * sizeof(element) * j->n;
    size_t row = 2 * sizeof(element) * j->n; /* x and y; the product may overflow */
    return row && j->rows > SIZE_MAX / row ? SIZE_MAX : row * j->rows;
}
static inline size_t limit_of(const struct job *j, const struct path_condition *q)
{
    struct caches c = caches_of(j);
    size_t last = c.l3 ? c.l3 : c.l2 ? c.l2 : c.l1;
    if (q->unit == COUNTED) return q->limit;
    if (q->unit == TWO_THIRDS_OF_LAST_LEVEL) return last / 3 * 2 / q->limit;
    return (q->unit == PART_OF_L1 ? c.l1 : q->unit == PART_OF_L2 && c.l2 ? c.l2 : last) / q->limit;
}
static inline int holds(const struct job *j, enum condition q)
{
    return (quantity_of(j, conditions[q].quantity) > limit_of(j, &conditions[q])) ==
           conditions[q].beyond;
}
/* Writes the condition and whether it holds to the next entry of `out`; returns holds(). */
static inline int tell_condition(const struct job *j, enum condition q, struct code_path *out,
                                 size_t *count)
{
    static const char *const what[QUANTITIES] = {"rows", "a row", "a row", "rows side by side",
                                                 "x and y"};
    static const char *const unit[QUANTITIES] = {"rows", "elements", "bytes", "bytes", "bytes"};
    const struct path_condition *c = &conditions[q];
    out[(*count)++] = (struct code_path){.name = c->path,
                                         .why = c->why,
                                         .what = what[c->quantity],
                                         .where = c->where,
                                         .unit = unit[c->quantity],
                                         .have = quantity_of(j, c->quantity),
                                         .limit = limit_of(j, c),
                                         .beyond = c->beyond,
                                         .taken = holds(j, q)};
    return holds(j, q);
}

/* STREAMS: whether jobs that lie in memory have paths of their own. Rows that are not stored as
 * floats need none, since widening them hides memory's latency; nor does scalar code, which
 * computes more slowly than memory delivers. */
enum { STREAMS = STORED_FLOATS && VL > 1 };
static inline int prefetches(const struct job *j)
{
    return STREAMS && holds(j, JOB_OUTGROWS_LAST_LEVEL);
}
static inline int streams_stores(const struct job *j)
{
    return STREAMS && holds(j, JOB_EXCEEDS_CACHES) && holds(j, ROW_HAS_WHOLE_LINES);
}
static inline int tell_streaming(const struct job *j, struct code_path *out, size_t *count)
{
    return STREAMS && tell_condition(j, JOB_EXCEEDS_CACHES, out, count) &&
           tell_condition(j, ROW_HAS_WHOLE_LINES, out, count);
}

/* Returns whether a batch of up to VL rows starts at row `first`. `enough` and `fits` are the
 * kernel's conditions for the number of rows and for their size. */
static inline int takes_batch(const struct job *j, size_t first, enum condition enough,
                              enum condition fits)
{
    return j->n && j->rows - first > conditions[enough].limit && holds(j, FITS_BLOCK) &&
           holds(j, fits);
}

#endif
