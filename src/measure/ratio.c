// SPDX-License-Identifier: MIT
#include "measure/ratio.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "measure/modes.h"
#include "measure/stats.h"

/* ---- One ratio ------------------------------------------------------------------------------- */

static double standard_error(const double *v, size_t count)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++) mean += v[i] / (double)count;
    for (size_t i = 0; i < count; i++) squares += (v[i] - mean) * (v[i] - mean);
    return sqrt(squares / (double)(count - 1) / (double)count);
}

/* Sorts the logs; *usual: which of them are the majority. */
static struct ratio ratio_value_of(double *logs, size_t count, struct majority *usual)
{
    stats_sort(logs, count);
    *usual = modes_majority(logs, count);
    const size_t kept = usual->end - usual->first;
    struct ratio r = {NAN, NAN, NAN, NAN, count, count - kept};
    if (kept) r.value = exp(stats_quantile(logs + usual->first, kept, 0.5));
    return r;
}

struct ratio ratio_value_of_logs(double *logs, size_t count)
{
    struct majority usual;
    return ratio_value_of(logs, count, &usual);
}

struct ratio ratio_of_logs(double *logs, size_t count)
{
    struct majority usual;
    struct ratio r = ratio_value_of(logs, count, &usual);
    const double *v = logs + usual.first;
    size_t kept = usual.end - usual.first;
    if (kept < 3) return r;
    double centre = stats_quantile(v, kept, 0.5), error = standard_error(v, kept);
    double half = student_t(0.05, (double)kept - 1) * error;
    r.low = exp(centre - half);
    r.high = exp(centre + half);
    if (error > 0)
        r.p = student_p(centre / error, (double)kept - 1);
    else
        r.p = centre == 0;
    return r;
}

/* Returns how many processes have both; which they are, in place[]. */
static size_t ratio_logs_of(struct by_process a, struct by_process b, double *logs, size_t *place)
{
    size_t count = 0;
    for (size_t i = 0; i < a.count && i < b.count && i < RATIO_PROCESSES_MAX; i++) {
        double ratio = log(b.values[i] / a.values[i]);
        if (isnan(ratio)) continue;
        place[count] = i;
        logs[count++] = ratio;
    }
    return count;
}

struct ratio ratio_of_times(struct by_process a, struct by_process b)
{
    double logs[RATIO_PROCESSES_MAX];
    size_t place[RATIO_PROCESSES_MAX];
    return ratio_of_logs(logs, ratio_logs_of(a, b, logs, place));
}

struct ratio ratio_value_of_times(struct by_process a, struct by_process b)
{
    double logs[RATIO_PROCESSES_MAX];
    size_t place[RATIO_PROCESSES_MAX];
    return ratio_value_of_logs(logs, ratio_logs_of(a, b, logs, place));
}

bool ratio_is_tied(struct ratio r)
{
    return isnan(r.value) && r.off > 0;
}

/* ---- Means ----------------------------------------------------------------------------------- */

bool ratio_mean_add(struct ratio_mean *m, struct by_process a, struct by_process b)
{
    double logs[RATIO_PROCESSES_MAX], sorted[RATIO_PROCESSES_MAX];
    size_t place[RATIO_PROCESSES_MAX], count = ratio_logs_of(a, b, logs, place);
    struct majority usual;
    for (size_t i = 0; i < count; i++) sorted[i] = logs[i];
    struct ratio r = ratio_value_of(sorted, count, &usual);
    m->left_out += ratio_is_tied(r);
    if (isnan(r.value)) return false;
    for (size_t i = 0; i < count; i++) {
        bool off = logs[i] < sorted[usual.first] || logs[i] > sorted[usual.end - 1];
        m->sums[place[i]] += off ? log(r.value) : logs[i];
        m->counts[place[i]]++;
    }
    m->ratios++;
    return true;
}

void ratio_mean_join(struct ratio_mean *m, const struct ratio_mean *part)
{
    m->left_out += part->left_out;
    m->ratios += part->ratios > 0;
    for (size_t i = 0; i < RATIO_PROCESSES_MAX; i++) {
        if (!part->counts[i]) continue;
        m->sums[i] += part->sums[i] / (double)part->counts[i];
        m->counts[i]++;
    }
}

struct ratio ratio_mean_value(const struct ratio_mean *m)
{
    double whole[RATIO_PROCESSES_MAX], any[RATIO_PROCESSES_MAX];
    size_t whole_count = 0, any_count = 0;
    for (size_t i = 0; i < RATIO_PROCESSES_MAX; i++) {
        if (!m->counts[i]) continue;
        double mean = m->sums[i] / (double)m->counts[i];
        any[any_count++] = mean;
        if (m->counts[i] == m->ratios) whole[whole_count++] = mean;
    }
    return whole_count >= 3 ? ratio_of_logs(whole, whole_count) : ratio_of_logs(any, any_count);
}

/* ---- Resolution ------------------------------------------------------------------------------ */

double ratio_half_width(struct by_process cell, struct by_process other)
{
    struct ratio r = ratio_of_times(other, cell);
    return 0.5 * log(r.high / r.low);
}

void ratio_half_widths(const struct by_process *cells, size_t count, double *widths)
{
    double *times = memory_zeroed(count + 1, sizeof *times), medians[RATIO_PROCESSES_MAX];
    struct by_process block = {medians, 0};
    for (size_t i = 0; i < count; i++)
        if (cells[i].count > block.count) block.count = cells[i].count;
    if (block.count > RATIO_PROCESSES_MAX) block.count = RATIO_PROCESSES_MAX;
    for (size_t p = 0; p < block.count; p++) {
        size_t n = 0;
        for (size_t i = 0; i < count; i++)
            if (p < cells[i].count && !isnan(cells[i].values[p])) times[n++] = cells[i].values[p];
        medians[p] = count == 1 ? 1 : n ? stats_median(times, n) : NAN;
    }
    for (size_t i = 0; i < count; i++) widths[i] = ratio_half_width(cells[i], block);
    free(times);
}
