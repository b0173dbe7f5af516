// SPDX-License-Identifier: MIT
#include "measure/evidence.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "measure/modes.h"
#include "measure/stats.h"

enum { EXACT_MAX = 30 };

/* ---- Ranks ----------------------------------------------------------------------------------- */

struct ranked {
    double value;
    bool of_a;
    size_t twice_rank; /* midranks are halves: twice a rank is whole */
};

static int ranks_by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Gives every value its midrank; returns the sum of t^3 - t over the groups of t equal values. */
static double give_ranks(struct ranked *all, size_t count)
{
    double ties = 0;
    qsort(all, count, sizeof *all, ranks_by_value);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && all[end].value == all[i].value;) end++;
        double t = (double)(end - i);
        ties += t * t * t - t;
        for (size_t k = i; k < end; k++) all[k].twice_rank = i + 1 + end;
    }
    return ties;
}

/* The distribution of the sum of `m` of `count` weights, where all choices are equally likely:
 * P(sum = s), s = 0 .. total. The caller frees. */
static double *choose_distribution(const struct ranked *all, size_t count, size_t m, size_t *total)
{
    *total = 0;
    for (size_t i = 0; i < count; i++) *total += all[i].twice_rank;
    size_t width = *total + 1;
    double *ways = memory_zeroed((m + 1) * width, sizeof *ways), choices = 0;
    ways[0] = 1;
    for (size_t i = 0, reached = 0; i < count; i++) {
        reached += all[i].twice_rank;
        for (size_t k = (i < m ? i + 1 : m); k > 0; k--)
            for (size_t s = all[i].twice_rank; s <= reached; s++)
                ways[k * width + s] += ways[(k - 1) * width + s - all[i].twice_rank];
    }
    double *chosen = ways + m * width;
    for (size_t s = 0; s < width; s++) choices += chosen[s];
    for (size_t s = 0; s < width; s++) ways[s] = chosen[s] / choices;
    return ways;
}

static double exact_p(const struct ranked *all, size_t count, size_t m, size_t twice_sum)
{
    size_t total;
    double *probability = choose_distribution(all, count, m, &total), below = 0, above = 0;
    for (size_t s = 0; s <= total; s++) {
        if (s <= twice_sum) below += probability[s];
        if (s >= twice_sum) above += probability[s];
    }
    free(probability);
    return fmin(1, 2 * fmin(below, above));
}

static double normal_p(double m, double n, double u, double ties)
{
    double count = m + n;
    double variance = m * n / 12 * (count + 1 - ties / (count * (count - 1)));
    double distance = fmax(0, fabs(u - m * n / 2) - 0.5);
    return variance > 0 ? erfc(distance / sqrt(2 * variance)) : 1;
}

double compare_p(struct sample a, struct sample b)
{
    size_t count = a.count + b.count, twice_sum = 0;
    if (!a.count || !b.count) return NAN;
    struct ranked *all = memory_zeroed(count, sizeof *all);
    for (size_t i = 0; i < count; i++) {
        all[i].of_a = i < a.count;
        all[i].value = all[i].of_a ? a.values[i] : b.values[i - a.count];
    }
    double ties = give_ranks(all, count);
    for (size_t i = 0; i < count; i++)
        if (all[i].of_a) twice_sum += all[i].twice_rank;
    double m = (double)a.count, n = (double)b.count;
    double p = count <= EXACT_MAX ? exact_p(all, count, a.count, twice_sum)
                                  : normal_p(m, n, (double)twice_sum / 2 - m * (m + 1) / 2, ties);
    free(all);
    return p;
}

double compare_least_p(size_t m, size_t n)
{
    double choices = 1;
    for (size_t i = 1; i <= m; i++) choices *= (double)(n + i) / (double)i;
    return fmin(1, 2 / choices);
}

/* ---- The shift ------------------------------------------------------------------------------- */

/* Returns how many of the m n ordered differences lie outside of the interval at each end: the
 * largest c with P(U <= c - 1) <= 2.5%; 0 if there is none. */
static size_t ranks_outside(size_t m, size_t n)
{
    size_t count = m + n, total, c = 0;
    if (count > EXACT_MAX) {
        double mean = (double)m * (double)n / 2;
        double spread = 1.959963984540054 * sqrt(mean * ((double)count + 1) / 6);
        return (size_t)fmax(0, floor(mean - spread));
    }
    struct ranked ranks[EXACT_MAX] = {0};
    for (size_t i = 0; i < count; i++) ranks[i].twice_rank = 2 * (i + 1);
    double *probability = choose_distribution(ranks, count, m, &total);
    size_t least = m * (m + 1); /* twice the rank sum where U = 0 */
    double below = 0;
    for (size_t u = 0; u < m * n; u++, c++) {
        below += probability[least + 2 * u];
        if (below > 0.025) break;
    }
    free(probability);
    return c;
}

struct shift compare_shift(struct sample a, struct sample b)
{
    size_t count = a.count * b.count, c = count ? ranks_outside(a.count, b.count) : 0;
    if (!count) return (struct shift){NAN, NAN, NAN};
    double *differences = memory_new(count * sizeof *differences);
    for (size_t i = 0; i < count; i++)
        differences[i] = b.values[i / a.count] - a.values[i % a.count];
    stats_sort(differences, count);
    const struct shift shift = {.estimate =
                                    (differences[(count - 1) / 2] + differences[count / 2]) / 2,
                                .low = c ? differences[c - 1] : (double)NAN,
                                .high = c ? differences[count - c] : (double)NAN};
    free(differences);
    return shift;
}

/* ---- The rule -------------------------------------------------------------------------------- */

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
