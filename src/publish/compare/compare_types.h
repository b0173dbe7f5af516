/* A plan of sides to compare, and the comparison that comes of it. compare.h runs the stages:
 * cells, accuracy, times, then means and classes. */
#ifndef ULPLAB_COMPARE_TYPES_H
#define ULPLAB_COMPARE_TYPES_H

#include <stdbool.h>
#include <stddef.h>

#include "publish/load/codes.h"
#include "publish/analyse/identical.h"
#include "publish/load/origin.h"
#include "publish/compare/verdict.h"
#include "publish/load/results.h"

enum { SIDES_MAX = 16 };

/* One side: the rows of a folder, or of one value of an axis in it. */
struct side {
    const struct results *results;
    const char *folder;
    const char *value; /* of the axis; NULL for a whole folder */
    const char *name;  /* what the output calls it */
};

/* Every side is compared with the first. */
struct compare_plan {
    enum comparison_kind kind;
    const char *axis; /* "isa", "cc", "policy" for COMPARE_AXIS, else NULL */
    struct side sides[SIDES_MAX];
    size_t count;
    double margin; /* a ratio within this of 1 counts as no difference: 0.02 is 2% */
};

/* One variant on two sides (the compared axis is written "*"). Errors are over the common cells of
 * family `normal`; bits are over all common cells. */
struct compare_accuracy {
    char variant[200];
    size_t from, to;                /* sides */
    double max_ulp[2], mean_ulp[2]; /* NAN where no cell of `normal` is common; INFINITY where
                                       results were lost */
    size_t lost[2], nan[2]; /* results without a distance, and NaNs, over the counted cells */
    size_t counted;         /* common cells that were computed on both sides, by one measure */
    size_t unlike; /* common cells whose errors are of different measures: in no figure above */
    size_t cells, equal; /* with a hash of the bits on both sides; with equal hashes */
    bool hazard;
};

struct compare_row {
    char cell[256];
    struct axes axes;
    size_t to; /* the side of b; a is side 0 */
    const struct timing_result *a, *b;
    size_t processes[2];
    double ratio, low, high; /* time of b over time of a: above 1, b is slower */
    const char *flag;        /* pair_flag() */
    bool tied;               /* no ratio: as many processes say one thing as another */
    bool same_code;          /* flags that give the same machine code: the ratio is 1 */
    bool everywhere;         /* every side has the cell; means are over these */
    bool side_by_side;       /* both were timed in the rounds of one block */
    double p, q;
    enum verdict verdict;
    const char *why;                         /* the reason of VERDICT_UNKNOWN, else "" */
    const struct compare_accuracy *accuracy; /* NULL where none was measured */
};

/* Geometric mean of ratios over the cells that every side has; over all operations each weighs the
 * same. Its interval assumes that the errors of all cells have the same sign, because cells of one
 * run share its processes and its hour. */
struct compare_mean {
    size_t to;
    const char *op, *residency; /* "" for all */
    double ratio, low, high;
    size_t cells, same_code; /* that it is over, and of these those of equal code */
    size_t left_out;         /* rows that are tied */
    size_t verdicts[VERDICTS];
};

/* Which sides have equal bits, for how many variants: "off on | default fast". */
struct compare_class {
    char members[400];
    size_t variants;
    char first[200];
};

struct comparison {
    const struct compare_plan *plan;
    struct compare_row *rows;            /* by side, then cell */
    struct compare_accuracy *accuracies; /* of every pair of sides, by variant */
    struct compare_mean *means;
    struct compare_class *classes; /* the most frequent first */
    size_t row_count, accuracy_count, mean_count, class_count;
    size_t alone[2]; /* timed cells of the first side, or of another, that are not compared */
    /* The same by reason; [0] of the first side against the others, [s] of side s. */
    size_t beyond[SIDES_MAX][BEYONDS];
    size_t changed; /* compared rows whose machine code differs: of commits alone */
    struct codes codes[SIDES_MAX];
    struct identical identical; /* of the first side's run */
    bool grids_differ;
    size_t unlike; /* accuracy cells of different measures, whose errors are not compared */
};

#endif
