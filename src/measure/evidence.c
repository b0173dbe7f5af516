// SPDX-License-Identifier: MIT
#include "measure/evidence.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "measure/modes.h"
#include "measure/stats.h"

/* Calibrated by runs of identical code: scripts/repeats; the table is in
 * docs/measurement.md. */
static const double level = 5e-4;      /* of Student's t, two-sided */
static const double prior_freedom = 4; /* what the usual variance weighs */
enum { LEAST = 5, LEAST_RATIOS = 6 };  /* processes of disjoint sides; of ratios on one side of 1 */

/* A side in ascending order, and its majority. */
struct side {
    double *logs;
    size_t count, first, end;
    double centre, squares; /* of the majority: the median, and the sum of squares about the mean */
};

static struct side side_of(struct sample s)
{
    struct side side = {.logs = memory_new((s.count + 1) * sizeof *side.logs), .count = s.count};
    double mean = 0;
    for (size_t i = 0; i < s.count; i++) side.logs[i] = s.values[i];
    stats_sort(side.logs, s.count);
    const struct majority m = modes_majority(side.logs, s.count);
    const size_t kept = m.end - m.first;
    side.first = m.first;
    side.end = m.end;
    side.centre = kept ? stats_quantile(side.logs + m.first, kept, 0.5) : NAN;
    for (size_t i = m.first; i < m.end; i++) mean += side.logs[i] / (double)kept;
    for (size_t i = m.first; i < m.end; i++)
        side.squares += (side.logs[i] - mean) * (side.logs[i] - mean);
    return side;
}

/* Degrees of freedom of both sides' variance. */
static double freedom_of(const struct side *a, const struct side *b)
{
    const double kept_a = (double)(a->end - a->first), kept_b = (double)(b->end - b->first);
    return fmax(kept_a - 1, 0) + fmax(kept_b - 1, 0);
}

double evidence_variance(struct sample a, struct sample b)
{
    const struct side x = side_of(a), y = side_of(b);
    const double freedom = freedom_of(&x, &y);
    free(x.logs);
    free(y.logs);
    return freedom >= 1 ? (x.squares + y.squares) / freedom : (double)NAN;
}

/* Returns how far the t of both majorities reaches to either side; NAN where it has no say. */
static double evidence_reach_of(const struct side *a, const struct side *b, double prior)
{
    const double weight = isnan(prior) ? 0 : prior_freedom, freedom = freedom_of(a, b) + weight;
    const double kept_a = (double)(a->end - a->first), kept_b = (double)(b->end - b->first);
    if (freedom < 1 || !kept_b || (a->count && !kept_a)) return NAN;
    const double variance = (a->squares + b->squares + (weight ? weight * prior : 0)) / freedom;
    return student_t(level, freedom) * sqrt(variance * ((a->count ? 1 / kept_a : 0) + 1 / kept_b));
}

struct evidence evidence_of(struct sample first, struct sample second, double shift, double prior)
{
    const struct side a = side_of(first), b = side_of(second);
    struct evidence is = {NAN, NAN};
    if (b.count >= (a.count ? LEAST : LEAST_RATIOS) && (!a.count || a.count >= LEAST)) {
        is.slower = b.logs[0] - (a.count ? a.logs[a.count - 1] : 0) - shift;
        is.faster = (a.count ? a.logs[0] : 0) - b.logs[b.count - 1] + shift;
    }
    const double reach = evidence_reach_of(&a, &b, prior);
    const double apart = b.centre - (a.count ? a.centre : 0) - shift;
    is.slower = fmax(is.slower, apart - reach); /* fmax() leaves a NAN out */
    is.faster = fmax(is.faster, -apart - reach);
    free(a.logs);
    free(b.logs);
    return is;
}
