#include "measure/ratio.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "measure/stats.h"
#include "measure/student.h"

/* ---- One ratio --------------------------------------------------------------------------------
 */

static double hodges_lehmann(const double *v, size_t count)
{
    double *means = memory_zeroed(count * (count + 1) / 2 + 1, sizeof *means);
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i; k < count; k++) means[n++] = 0.5 * (v[i] + v[k]);
    double median = stats_median(means, n);
    free(means);
    return median;
}

static double standard_error(const double *v, size_t count)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++) mean += v[i] / (double)count;
    for (size_t i = 0; i < count; i++) squares += (v[i] - mean) * (v[i] - mean);
    return sqrt(squares / (double)(count - 1) / (double)count);
}

struct ratio ratio_of_logs(const double *logs, size_t count)
{
    struct ratio r = {NAN, NAN, NAN, NAN, count};
    if (!count) return r;
    double centre = hodges_lehmann(logs, count);
    r.value = exp(centre);
    if (count < 3) return r;
    double error = standard_error(logs, count);
    double half = student_t(0.05, (double)count - 1) * error;
    r.low = exp(centre - half);
    r.high = exp(centre + half);
    if (error > 0)
        r.p = student_p(centre / error, (double)count - 1);
    else
        r.p = centre == 0;
    return r;
}

static double log_ratio(struct by_process a, struct by_process b, size_t process)
{
    return log(b.values[process] / a.values[process]);
}

static size_t common_processes(struct by_process a, struct by_process b)
{
    size_t count = a.count < b.count ? a.count : b.count;
    return count < RATIO_PROCESSES_MAX ? count : RATIO_PROCESSES_MAX;
}

struct ratio ratio_of_times(struct by_process a, struct by_process b)
{
    double logs[RATIO_PROCESSES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < common_processes(a, b); i++) {
        double log = log_ratio(a, b, i);
        if (!isnan(log)) logs[count++] = log;
    }
    return ratio_of_logs(logs, count);
}

/* ---- Means ------------------------------------------------------------------------------------
 */

bool ratio_mean_add(struct ratio_mean *m, struct by_process a, struct by_process b)
{
    bool any = false;
    for (size_t i = 0; i < common_processes(a, b); i++) {
        double log = log_ratio(a, b, i);
        if (isnan(log)) continue;
        m->sums[i] += log;
        m->counts[i]++;
        any = true;
    }
    m->ratios += any;
    return any;
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

/* ---- Resolution -------------------------------------------------------------------------------
 */

double ratio_half_width(struct by_process cell, struct by_process block)
{
    struct ratio r = ratio_of_times(block, cell);
    return 0.5 * log(r.high / r.low);
}

void ratio_block_medians(const struct by_process *cells, size_t count, double *medians,
                         size_t processes)
{
    double *times = memory_zeroed(count + 1, sizeof *times);
    for (size_t p = 0; p < processes; p++) {
        size_t n = 0;
        for (size_t i = 0; i < count && times; i++)
            if (p < cells[i].count && !isnan(cells[i].values[p])) times[n++] = cells[i].values[p];
        medians[p] = n ? stats_median(times, n) : NAN;
    }
    free(times);
}
