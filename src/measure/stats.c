// SPDX-License-Identifier: MIT
#include "measure/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

enum { DRAWS = 1000 };

static int stats_ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

enum { FEW = 24 };

/* Most sets are of a value from each process: sorted here, they need no call for each comparison.
 */
void stats_sort(double *v, size_t n)
{
    if (n > FEW) {
        qsort(v, n, sizeof *v, stats_ascending);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const double value = v[i];
        size_t to = i;
        for (; to > 0 && v[to - 1] > value; to--) v[to] = v[to - 1];
        v[to] = value;
    }
}

double stats_quantile(const double *sorted, size_t n, double q)
{
    if (!n) return NAN;
    double at = q * (double)(n - 1);
    size_t below = (size_t)at;
    if (below + 1 >= n) return sorted[n - 1];
    return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

double stats_median(double *v, size_t n)
{
    stats_sort(v, n);
    return stats_quantile(v, n, 0.5);
}

/* P(Binomial(n, 1/2) = k); by logarithms, since 2^-n alone underflows from n = 1075. */
static double binomial_half(size_t n, size_t k)
{
    double ways = lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
    return exp(ways - (double)n * log(2));
}

/* P(l-th smallest <= median <= l-th largest) = 1 - 2 P(Binomial(n, 1/2) < l). */
size_t stats_median_rank(size_t n, double confidence)
{
    double below = 0; /* P(Binomial < l) */
    size_t l = 0;
    for (; l < n / 2; l++) {
        below += binomial_half(n, l);
        if (1 - 2 * below < confidence) break;
    }
    return l;
}

static double resampled_median(const double *samples, size_t n, uint64_t *state, double *space)
{
    if (n == 1) {
        *state += RANDOM_STEP; /* a draw that leaves no choice */
        return *samples;
    }
    for (size_t i = 0; i < n; i++) space[i] = samples[random_next(state) % n];
    return stats_median(space, n);
}

static double median_of_medians(const struct clusters *c, uint64_t *state, double *space,
                                double *medians)
{
    for (size_t i = 0; i < c->count; i++) {
        size_t pick = state ? random_next(state) % c->count : i;
        const double *samples = c->samples[pick];
        size_t n = c->sizes[pick];
        if (state) {
            medians[i] = resampled_median(samples, n, state, space);
        } else {
            for (size_t k = 0; k < n; k++) space[k] = samples[k];
            medians[i] = stats_median(space, n);
        }
    }
    return stats_median(medians, c->count);
}

static size_t stats_largest(const struct clusters *c)
{
    size_t most = 1;
    for (size_t i = 0; i < c->count; i++)
        if (c->sizes[i] > most) most = c->sizes[i];
    return most;
}

struct interval stats_cluster_bootstrap(const struct clusters *c)
{
    if (!c->count) return (struct interval){NAN, NAN};
    double *space = memory_zeroed(stats_largest(c) + c->count + DRAWS, sizeof *space);
    double *medians = space + stats_largest(c), *drawn = medians + c->count;
    uint64_t state = 1; /* the same draws in every report of the same samples */
    for (int i = 0; i < DRAWS; i++) drawn[i] = median_of_medians(c, &state, space, medians);
    stats_sort(drawn, DRAWS);
    double point = median_of_medians(c, NULL, space, medians);
    struct interval r = {fmin(point, stats_quantile(drawn, DRAWS, 0.025)),
                         fmax(point, stats_quantile(drawn, DRAWS, 0.975))};
    free(space);
    return r;
}

struct interval stats_median_interval(const struct clusters *c, bool *exact)
{
    size_t rank = stats_median_rank(c->count, 0.95);
    *exact = rank > 0;
    if (!*exact) return stats_cluster_bootstrap(c);
    double *space = memory_zeroed(stats_largest(c) + c->count, sizeof *space);
    double *medians = space + stats_largest(c);
    median_of_medians(c, NULL, space, medians); /* leaves them sorted */
    struct interval r = {medians[rank - 1], medians[c->count - rank]};
    free(space);
    return r;
}

size_t stats_far_out(const double *sorted, size_t n)
{
    double low = stats_quantile(sorted, n, 0.25), high = stats_quantile(sorted, n, 0.75);
    double reach = 3 * (high - low);
    size_t far = 0;
    for (size_t i = 0; i < n; i++) far += sorted[i] < low - reach || sorted[i] > high + reach;
    return far;
}

/* ---- Student's t ----------------------------------------------------------------------------- */

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8), by
 * Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), result;
    d = 1 / (fabs(d) < tiny ? tiny : d);
    result = d;
    for (int m = 1; m < 500; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        for (int k = 0; k < 2; k++) {
            double term = k ? odd : even;
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            if (fabs(c) < tiny) c = tiny;
            result *= c * d;
        }
        if (fabs(c * d - 1) < 1e-14) break;
    }
    return result;
}

static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_p(double t, double freedom)
{
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_t(double p, double freedom)
{
    double low = 0, high = 1e6;
    for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
        double middle = 0.5 * (low + high);
        *(student_p(middle, freedom) > p ? &low : &high) = middle;
    }
    return high;
}
