// SPDX-License-Identifier: MIT
#include "measure/ranks.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

enum { EXACT_MAX = 30 };

static int ranks_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

struct ranked {
    double value;
    bool of_a;
    size_t twice_rank; /* midranks are halves: twice a rank is whole */
};

static int ranks_by_value(const void *a, const void *b)
{
    return ranks_ascending(&((const struct ranked *)a)->value, &((const struct ranked *)b)->value);
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
    struct ranked *all = memory_zeroed(count + 1, sizeof *all);
    if (!all || !a.count || !b.count) {
        free(all);
        return NAN;
    }
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
    for (size_t u = 0; probability && u < m * n; u++, c++) {
        below += probability[least + 2 * u];
        if (below > 0.025) break;
    }
    free(probability);
    return c;
}

struct shift compare_shift(struct sample a, struct sample b)
{
    struct shift shift = {NAN, NAN, NAN};
    size_t count = a.count * b.count;
    double *differences = memory_zeroed(count + 1, sizeof *differences);
    if (differences && count) {
        for (size_t i = 0; i < count; i++)
            differences[i] = b.values[i / a.count] - a.values[i % a.count];
        qsort(differences, count, sizeof *differences, ranks_ascending);
        shift.estimate = (differences[(count - 1) / 2] + differences[count / 2]) / 2;
        size_t c = ranks_outside(a.count, b.count);
        if (c) {
            shift.low = differences[c - 1];
            shift.high = differences[count - c];
        }
    }
    free(differences);
    return shift;
}

/* ---- The family ------------------------------------------------------------------------------ */

struct tested {
    double p;
    size_t place;
};

static int by_p(const void *a, const void *b)
{
    return ranks_ascending(&((const struct tested *)a)->p, &((const struct tested *)b)->p);
}

int compare_q(const double *p, double *q, size_t count)
{
    struct tested *tested = memory_zeroed(count + 1, sizeof *tested);
    size_t family = 0;
    double least = 1;
    if (!tested) return -1;
    for (size_t i = 0; i < count; i++) {
        q[i] = NAN;
        if (!isnan(p[i])) tested[family++] = (struct tested){p[i], i};
    }
    qsort(tested, family, sizeof *tested, by_p);
    for (size_t i = family; i-- > 0;) {
        least = fmin(least, tested[i].p * (double)family / (double)(i + 1));
        q[tested[i].place] = least;
    }
    free(tested);
    return 0;
}
