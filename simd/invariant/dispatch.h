/* Which path a job takes, by its shape and by what the caches hold. The bits are the same on every
 * path; where they would not be, the row length alone decides (those rows of the table say
 * "whatever the machine"). */
#ifndef DISPATCH_H
#define DISPATCH_H

#include "lanes.h"

/* For a job that does not say: what most servers have for a core. */
static inline struct caches caches_of(const struct job *j)
{
    static const struct caches unknown = {32 << 10, 1 << 20, 32 << 20};
    return j->caches.l1 ? j->caches : unknown;
}

enum { SHORTEST = 128 }; /* elements: eight lines of floats */

enum quantity { Q_ROWS, Q_LENGTH, Q_ROW_BYTES, Q_BATCH_BYTES, Q_JOB_BYTES, QUANTITIES };
enum measure { AS_COUNTED, IN_L1, IN_L2, IN_LAST, IN_MOST_OF_LAST };

/* Each condition holds if a quantity is at most (`beyond`: more than) its limit. */
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
static const struct path_condition {
    const char *way;
    enum quantity what;
    enum measure in;
    size_t limit; /* itself, or that part of a cache level: 8 is an eighth */
    const char *where;
    int beyond;
    const char *why;
} conditions[] = {
    [ENOUGH_ROWS] = {"together", Q_ROWS, AS_COUNTED, 2, "too few", 1,
                     "empty lanes cost as much as full ones"},
    [TWO_ROWS] = {"together", Q_ROWS, AS_COUNTED, 1, "one row", 1,
                  "two logarithms take as long as one"},
    [SHORTER_THAN_OCTET] = {"in trees", Q_LENGTH, AS_COUNTED, 8 * LANES - 1, "less than an octet", 0,
                            "whatever the machine: what terms of a chain err by averages out among 128"},
    [FITS_BLOCK] = {"together", Q_LENGTH, AS_COUNTED, BLOCK, "one block", 0,
                    "whatever the machine: the sum of a longer row is cut"},
    [BATCH_FITS_L2] = {"together", Q_BATCH_BYTES, IN_L2, 16, "a sixteenth of L2", 0,
                       "what a short row waits for, its neighbours fill"},
    [SHORT_ROW] = {"together", Q_LENGTH, AS_COUNTED, 512, "short", 0,
                   "whatever the machine: sums of a longer row go on in double"},
    [ROW_FITS_L1] = {"together", Q_ROW_BYTES, IN_L1, 4, "a quarter of L1", 0,
                     "moments of several rows take as long as one's; half of L1 keeps what results are made of"},
    [STREAMED_BATCH_FITS_L1] = {"together", Q_ROW_BYTES, IN_L1, 8, "an eighth of L1", 0,
                                "the numerators of four rows leave L1 to what is read"},
    [WIDENED_ROW_IS_SHORT] = {"together", Q_LENGTH, AS_COUNTED, SHORTEST, "eight lines", 0,
                              "widened rows, and results to be rounded, have room for as much"},
    [JOB_EXCEEDS_CACHES] = {"streamed", Q_JOB_BYTES, IN_MOST_OF_LAST, 1, "two thirds of the last level", 1,
                            "lines that no cache will keep need not be read to be written"},
    [ROW_HAS_WHOLE_LINES] = {"streamed", Q_LENGTH, AS_COUNTED, 4 * LINE - 1, "four lines", 1,
                             "whatever the machine: of a shorter row too much is the lines that it shares with its neighbours"},
    [JOB_OUTGROWS_LAST_LEVEL] = {"read ahead", Q_JOB_BYTES, IN_LAST, 2, "half the last level", 1,
                                 "neighbours share that level; from it or nearer, what is asked for early costs more than waiting"},
    [RECOMPUTING_PAYS] = {"recomputed", Q_LENGTH, AS_COUNTED, 1 << 21, "numerators worth keeping", 1,
                          "whatever the machine: to read x again costs less than to write and read numerators"},
    [ENOUGH_NEIGHBOURS] = {"by turns", Q_ROWS, AS_COUNTED, 3, "too few", 1,
                           "a row's results need the next row's reading beside them"},
    [LONG_ENOUGH_TO_PIPELINE] = {"by turns", Q_LENGTH, AS_COUNTED, 2047, "two chunks", 1,
                                 "what a row and its ends take once, a shorter one does not gain"},
};

static inline size_t quantity_of(const struct job *j, enum quantity what)
{
    if (what == Q_ROWS) return j->rows;
    if (what == Q_LENGTH) return j->n;
    if (what == Q_ROW_BYTES) return sizeof(element) * j->n;
    if (what == Q_BATCH_BYTES) return VL * sizeof(element) * j->n;
    size_t row = 2 * sizeof(element) * j->n; /* x and y; the product may overflow */
    return row && j->rows > SIZE_MAX / row ? SIZE_MAX : row * j->rows;
}
static inline size_t limit_of(const struct job *j, const struct path_condition *q)
{
    struct caches c = caches_of(j);
    size_t last = c.l3 ? c.l3 : c.l2 ? c.l2 : c.l1;
    if (q->in == AS_COUNTED) return q->limit;
    if (q->in == IN_MOST_OF_LAST) return last / 3 * 2 / q->limit;
    return (q->in == IN_L1 ? c.l1 : q->in == IN_L2 && c.l2 ? c.l2 : last) / q->limit;
}
static inline int holds(const struct job *j, enum condition q)
{
    return (quantity_of(j, conditions[q].what) > limit_of(j, &conditions[q])) == conditions[q].beyond;
}
/* Tells people what was asked and decided, as the next entry of `out`; returns holds(). */
static inline int tell_condition(const struct job *j, enum condition q, struct code_path *out, size_t *count)
{
    static const char *const what[QUANTITIES] = {"rows", "a row", "a row", "rows side by side",
                                                "x and y"};
    static const char *const unit[QUANTITIES] = {"rows", "elements", "bytes", "bytes", "bytes"};
    const struct path_condition *a = &conditions[q];
    out[(*count)++] = (struct code_path){.name = a->way, .why = a->why, .what = what[a->what],
                                      .where = a->where, .unit = unit[a->what],
                                      .have = quantity_of(j, a->what), .limit = limit_of(j, a),
                                      .beyond = a->beyond, .taken = holds(j, q)};
    return holds(j, q);
}

/* Rows that are not stored as floats are widened first, which hides memory's latency. Scalars take
 * longer to compute than memory does: paths of their own would be text for nothing. */
enum { STREAMS = STORED_FLOATS && VL > 1 };
static inline int prefetches(const struct job *j) { return STREAMS && holds(j, JOB_OUTGROWS_LAST_LEVEL); }
static inline int streams_stores(const struct job *j)
{
    return STREAMS && holds(j, JOB_EXCEEDS_CACHES) && holds(j, ROW_HAS_WHOLE_LINES);
}
static inline int tell_streaming(const struct job *j, struct code_path *out, size_t *count)
{
    return STREAMS && tell_condition(j, JOB_EXCEEDS_CACHES, out, count) &&
           tell_condition(j, ROW_HAS_WHOLE_LINES, out, count);
}

/* Does a batch of up to VL rows start at `first`? `enough` and `fits` are the kernel's conditions. */
static inline int takes_batch(const struct job *j, size_t first, enum condition enough, enum condition fits)
{
    return j->n && j->rows - first > conditions[enough].limit && holds(j, FITS_BLOCK) && holds(j, fits);
}

#endif
