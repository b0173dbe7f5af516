/* The figures of a run, as its records say them, on their way into an archive's tables. */
#ifndef ULPLAB_ARCHIVE_ROWS_H
#define ULPLAB_ARCHIVE_ROWS_H

#include "model/status.h"
#include "publish/archive/files.h"
#include "publish/archive/variants.h"
#include "publish/load/results.h"

struct cell_row {
    size_t variant; /* its place in the variants */
    size_t rows, n, threads;
    struct slice family, residency;
    double ns, low, high, spread, cycles, percent;
    int64_t processes;
};
struct code_row {
    size_t variant;
    struct slice hash;
};
/* A record of accuracy, for all variants that it is the same of. */
struct error_row {
    size_t first_of, count_of; /* in `error_variants` */
    size_t n, order;
    struct slice family, inputs, bits, verdict;
    double elements, max_ulp, mean_ulp, scaled_error; /* errors: INFINITY where results were lost */
    double lost, measure;                             /* NAN in records of measure 1 */
    bool hazard;
};
/* What is known of a variant over all its cells. The two digests are of the bits, and of which
 * inputs they are from: bits are compared where the inputs are the same. */
struct error_sum {
    size_t cells, normal;
    double max, scaled, worst, mean;
    double lost, measure;     /* the most of one cell, NAN where no record says; the newest */
    enum row_verdict verdict; /* VERDICT_COUNT where no record says; the worst of all cells */
    bool hazard;
    struct kept_digest bits, grid;
};
struct limit_row {
    struct slice name, isa, level, unit;
    double value;
    int64_t threads;
};
struct case_row {
    struct slice name, verdict, price;
};
struct scan_row {
    size_t variant;
    struct slice range, at, verdict;
    double max_ulp, misrounded, lost, measure;
};

#define ROWS_OF(type)                                                                              \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count, room;                                                                        \
    }
struct rows {
    struct variants variants;
    ROWS_OF(struct cell_row) cells;
    ROWS_OF(struct code_row) codes;
    ROWS_OF(struct error_row) errors;
    ROWS_OF(size_t) error_variants;
    struct error_sum *error_sums; /* one for each variant */
    ROWS_OF(struct limit_row) limits;
    ROWS_OF(struct case_row) cases;
    ROWS_OF(struct scan_row) scans;
    /* What the texts above point into beside the files: unusual lines, and a run of an earlier
     * version as one of today. */
    json_t *kept, *kept_cases;
    struct results earlier;
    size_t norms, affine;
    bool has_log;
};

#endif
