// SPDX-License-Identifier: MIT
/* The common header of the correctly rounded kernels of rows: docs/correct.md has the argument. A
 * result is enclosed in double; where both ends of the enclosure round to one float, that is the
 * result. Every other is handed to the next stage, by its row and place.
 *
 * Errors are in units u = 2^-53 of what is computed. Each operation rounds once, where it is
 * written (invariant/exact_ops.h), so that a bound holds under every compiler and policy. */
#ifndef ROWS_H
#define ROWS_H

#include "doubles.h"
#include "kernel.h"
#include "rows_integer.h"

/* What a test counts: results that doubles cannot tell, and sums that are formed again for them. */
enum rows_stage { ROWS_UNDECIDED, ROWS_DOUBLE_DOUBLE, ROWS_WHOLE, ROWS_FIXED, ROWS_STAGES };
#ifndef ROWS_COUNT
#define ROWS_COUNT(stage) ((void)0)
#endif

#define U 0x1p-53

static inline float f_nan(void) { return f_from_bits(NAN_BITS); }
static inline float f_infinity(int negative)
{
    return f_from_bits(INFINITY_BITS | (negative ? 0x80000000u : 0));
}
static inline double d_abs(double a) { return d_from_bits(d_bits(a) & ~(UINT64_C(1) << 63)); }
/* Returns whether a < b, neither of them NaN. */
static inline int d_less(double a, double b) { return a < b; }

/* Returns whether both round to one float, which it stores. */
static inline int d_round(float *y, double low, double high)
{
    float a = f_of(low), b = f_of(high);
    *y = a;
    return f_bits(a) == f_bits(b);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* A sum of doubles: BLOCK additions make a chain, chains are added to one another in a tree of at
 * most two levels, and their sum to `high`, whose rounding errors `low` collects; then a tree of at
 * most three levels adds the lanes. Each term is rounded SUM_U times at most, and so the error is
 * at most SUM_U u times the sum of magnitudes, for any number of terms below 2^40. */
enum { BLOCK = 16, SUM_U = BLOCK + 2 + 3 + 3 };
struct total {
    dr high, low;
    int parts; /* what has been added; a single one, of a short row, has no errors to collect */
};
static inline void total_add(struct total *t, dr a)
{
    if (!t->parts++) {
        t->high = a;
        return;
    }
    dr sum = dr_add(t->high, a), part = dr_sub(sum, t->high);
    dr error = dr_add(dr_sub(t->high, dr_sub(sum, part)), dr_sub(a, part));
    t->high = sum;
    t->low = dr_add(t->low, error);
}
static inline double total_sum(struct total t)
{
    return t.parts > 1 ? d_add(dr_sum(t.high), dr_sum(t.low)) : dr_sum(t.high);
}
static inline double dr_first_lane(dr a)
{
    double lane[DOUBLES];
    dr_store(lane, a);
    return d_keep(lane[0]);
}

static inline dr dr_of_upto(const float *p, size_t left, float fill)
{
    return left >= DOUBLES ? dr_of_floats(p) : dr_of_first(p, left, fill);
}
static inline unsigned dr_round_upto(float *y, dr low, dr high, size_t left)
{
    return left >= DOUBLES ? dr_round(y, low, high) : dr_round_first(y, low, high, left);
}

static inline const float *row_in(const struct job *j, size_t r)
{
    return (const float *)j->x + r * j->x_stride;
}
static inline float *row_out(const struct job *j, size_t r)
{
    return (float *)j->y + r * j->y_stride;
}

/* A short row's operations wait for each other. The first part of the work is done for
 * ROWS_TOGETHER short rows before the rest of the first one's, so that the processor has
 * independent operations. Returns of how many rows, from `row` on, it is due; 0: it is done. */
enum { ROWS_TOGETHER = 8, TOGETHER_ELEMENTS = 512 };
static inline size_t rows_together(const struct job *j, size_t row)
{
    if (j->n > TOGETHER_ELEMENTS) return 1;
    if (row % ROWS_TOGETHER) return 0;
    return j->rows - row < ROWS_TOGETHER ? j->rows - row : ROWS_TOGETHER;
}

#endif
