// SPDX-License-Identifier: MIT
/* The reference in a kernel file that `ulplab try --ref` writes: struct oracle's functions around a
 * function of the user's, whose file is included first. The kernel file defines
 *   ULPLAB_REAL, ULPLAB_IN, ULPLAB_OUT
 *       the types of a kernel's rows, of the function's operands and of its results
 *   ULPLAB_OPERANDS      the number of operands that a row is cut into
 *   ULPLAB_RESULTS       the number of results of a row of `all` elements
 *   ULPLAB_PER_ELEMENT   whether there is a result per element
 *   ULPLAB_SCALE         the quantity that errors are divided by, an enum ulplab_scale
 *   ULPLAB_STEP          the size of a step, for ulplab_steps
 *   ULPLAB_CALL          the call, which computes w from v, n and p, and may write to `spare` */
#ifndef ULPLAB_CALLED_REFERENCE_H
#define ULPLAB_CALLED_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kernel_reference.h"

/* See study/glue.h. */
enum ulplab_scale {
    ulplab_result,
    ulplab_sum,
    ulplab_dot,
    ulplab_mean,
    ulplab_abs,
    ulplab_moved,
    ulplab_steps
};

typedef ULPLAB_REAL ulplab_real;
typedef ULPLAB_IN ulplab_in;
typedef ULPLAB_OUT ulplab_out;

static size_t ulplab_results(size_t all)
{
    (void)all;
    return ULPLAB_RESULTS;
}

/* How often inputs are moved, and by how much of themselves. */
enum { ULPLAB_MOVES = 15 };
#define ULPLAB_MOVE 0x1p-36

/* Returns a random number of the Cauchy distribution, of at most 2^12. */
static double ulplab_cauchy(unsigned move, size_t i)
{
    unsigned long long h = (move * 0x9e3779b97f4a7c15ull) ^ (i + 1) * 0xbf58476d1ce4e5b9ull;
    for (int r = 0; r < 3; r++) h = (h ^ h >> 31) * 0x94d049bb133111ebull;
    const double c = tan(3.14159265358979323846 * ((double)(h >> 11) * 0x1p-53 - 0.5));
    return c > 4096 ? 4096 : c < -4096 ? -4096 : c;
}

/* Computes the results of a row; of |x|; or of one whose inputs are moved, if move is not 0. low:
 * 2^52 times what y leaves of them, of what rounds to an infinity 2^-52 of it; or NULL. */
static void ulplab_compute(const ulplab_real *x, size_t all, const struct parameters *p,
                           unsigned move, bool absolute, double *y, double *low)
{
    const size_t n = all / ULPLAB_OPERANDS, results = ulplab_results(all);
    ulplab_in *v = (ulplab_in *)calloc(all + 4, sizeof *v);
    ulplab_out *w = (ulplab_out *)calloc((all > results ? all : results) + 4, sizeof *w);
    ulplab_out *spare = (ulplab_out *)calloc(all + 4, sizeof *spare);
    if (!v || !w || !spare) abort();
    for (size_t i = 0; i < all; i++) {
        v[i] = (ulplab_in)x[i];
        if (absolute && v[i] < 0) v[i] = -v[i];
        if (move) v[i] *= 1 + (ulplab_in)(ULPLAB_MOVE * ulplab_cauchy(move, i));
    }
    (void)p, (void)n;
    ULPLAB_CALL;
    for (size_t i = 0; i < results; i++) {
        y[i] = (double)w[i];
        if (low)
            low[i] = y[i] - y[i] == 0 ? (double)((w[i] - (ulplab_out)y[i]) * 0x1p52)
                                      : (double)(w[i] * 0x1p-52);
    }
    free(v);
    free(w);
    free(spare);
}

/* Computes by how much of 2^-24 each result moves if every input moves by so much of itself: the
 * sum over the inputs of |x dy/dx|, without knowing the derivatives. With Cauchy distributed moves
 * the results' moves are distributed so, too, and that sum is the median of their magnitudes. It is
 * known within a third or so. A jump, which few moves meet, does not count. */
static void ulplab_compute_moved(const ulplab_real *x, size_t all, const struct parameters *p,
                                 const double *y, double *floors)
{
    const size_t results = ulplab_results(all);
    double *moved = (double *)malloc((ULPLAB_MOVES * results + 1) * sizeof *moved);
    if (!moved) abort();
    for (unsigned k = 0; k < ULPLAB_MOVES; k++)
        ulplab_compute(x, all, p, k + 1, false, moved + k * results, 0);
    for (size_t i = 0; i < results; i++) {
        double sorted[ULPLAB_MOVES];
        unsigned count = 0;
        for (unsigned k = 0; k < ULPLAB_MOVES; k++) {
            const double by = fabs((moved[k * results + i] - y[i]) / ULPLAB_MOVE);
            if (!(by - by == 0)) continue;
            unsigned at = count++;
            for (; at && sorted[at - 1] > by; at--) sorted[at] = sorted[at - 1];
            sorted[at] = by;
        }
        floors[i] = count ? sorted[count / 2] : 0;
    }
    free(moved);
}

/* Writes over what the row's errors are taken: sums, of what is finite; and of a result per row the
 * sum of squares, where fp32 may overflow. */
static void ulplab_finish(const ulplab_real *x, size_t all, const struct parameters *p,
                          const double *y, struct oracle_row *facts)
{
    const size_t n = all / ULPLAB_OPERANDS;
    const bool in_double = sizeof(ulplab_real) == sizeof(double);
    double floor = 0;
    for (size_t i = 0; i < all; i++) {
        const double term = ULPLAB_SCALE == ulplab_dot ? (double)x[i] * x[(i + n) % all] : x[i];
        if (term - term == 0) floor += fabs(term);
        if (!ULPLAB_PER_ELEMENT) facts->squares += (double)x[i] * x[i];
    }
    if (ULPLAB_SCALE == ulplab_dot) floor /= 2;
    if (ULPLAB_SCALE == ulplab_mean) floor /= (double)n;
    if (ULPLAB_SCALE == ulplab_steps) floor = (in_double ? 0x1p53 : 0x1p24) * ULPLAB_STEP;
    if (ULPLAB_SCALE != ulplab_abs && ULPLAB_SCALE != ulplab_moved) {
        for (size_t k = 0; k < OUTPUTS_MAX && ULPLAB_SCALE != ulplab_result; k++)
            facts->floor[k] = floor;
        return;
    }
    if (!facts->floors) return;
    if (ULPLAB_SCALE == ulplab_moved)
        ulplab_compute_moved(x, all, p, y, facts->floors);
    else
        ulplab_compute(x, all, p, 0, true, facts->floors, 0);
    for (size_t i = 0; i < ulplab_results(all); i++) {
        double *at = &facts->floors[i];
        *at = *at - *at == 0 ? fabs(*at) : 0;
        /* What a result is made of is beyond the type: so may be what is computed on its way. */
        if (*at >= (in_double ? 0x1p1023 : 0x1p127))
            facts->squares = in_double ? INFINITY : 0x1p300;
    }
}

static void ulplab_row(const float *x, size_t all, const struct parameters *p, double *y,
                       struct oracle_row *facts)
{
    const ulplab_real *row = (const ulplab_real *)(const void *)x;
    if (sizeof(ulplab_real) == sizeof *x) {
        ulplab_compute(row, all, p, 0, false, y, 0);
        ulplab_finish(row, all, p, y, facts);
    } else {
        for (size_t i = 0; i < ulplab_results(all); i++) y[i] = NAN;
    }
}

static inline void ulplab_row_f64(const double *x, size_t all, const struct parameters *p,
                                  double *y, struct oracle_row *facts)
{
    const ulplab_real *row = (const ulplab_real *)(const void *)x;
    const size_t results = ulplab_results(all);
    double *hi = (double *)malloc((2 * results + 1) * sizeof *hi), *lo = hi + results;
    if (!hi) abort();
    ulplab_compute(row, all, p, 0, false, hi, lo);
    for (size_t i = 0; i < results; i++) y[2 * i] = hi[i], y[2 * i + 1] = lo[i];
    ulplab_finish(row, all, p, hi, facts);
    free(hi);
}

#endif
