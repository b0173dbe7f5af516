// SPDX-License-Identifier: MIT
#include "processes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "measure/modes.h"
#include "measure/ratio.h"
#include "measure/stats.h"
#include "publish/db/columns.h"
#include "publish/db/db.h"

enum { PROCESSES = 6 };

/* ---- Estimators of a location ---------------------------------------------------------------- */

/* An estimator of a location; v is sorted in ascending order. */
typedef double centre(const double *v, size_t count);

static double median(const double *v, size_t count)
{
    return stats_quantile(v, count, 0.5);
}

static double hodges_lehmann(const double *v, size_t count)
{
    double means[PROCESSES * (PROCESSES + 1) / 2];
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i; k < count; k++) means[n++] = 0.5 * (v[i] + v[k]);
    return stats_median(means, n);
}

static const struct {
    const char *name;
    centre *of;
    bool of_majority;
} estimators[] = {
    {"Hodges and Lehmann's", hodges_lehmann, false},
    {"median", median, false},
    {"Hodges and Lehmann's of the majority", hodges_lehmann, true},
    {"median of the majority (used)", median, true},
};
enum { ESTIMATORS = sizeof estimators / sizeof *estimators };

/* Half the width of Student's 95% interval of the mean of the values. */
static double half_width(const double *v, size_t count)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++) mean += v[i] / (double)count;
    for (size_t i = 0; i < count; i++) squares += (v[i] - mean) * (v[i] - mean);
    return student_t(0.05, (double)count - 1) * sqrt(squares / (double)(count - 1) / (double)count);
}

/* ---- Pairs of equal code --------------------------------------------------------------------- */

struct pair {
    double logs[PROCESSES];
};
/* Cells of one machine code that were timed side by side, each with the one before it. */
static const char pairs_sql[] =
    "SELECT lag(d.low_ns) OVER (PARTITION BY d.block, k.hash ORDER BY c.place), "
    "d.low_ns FROM cells c JOIN cell_details d USING (blob, variant, shape) JOIN runs r ON "
    "r.timing = c.blob JOIN codes k ON k.blob = r.codegen AND k.variant = c.variant JOIN shapes s "
    "ON s.id = c.shape JOIN variants v ON v.id = c.variant WHERE v.cc <> 'lib' AND s.threads = 1 "
    "AND d.block <> '' AND k.hash <> ''";

static bool logs_of(sqlite3_stmt *s, struct pair *p)
{
    json_t *a = json_loads(column_text(s, 0), 0, NULL), *b = json_loads(column_text(s, 1), 0, NULL);
    bool whole = json_array_size(a) == PROCESSES && json_array_size(b) == PROCESSES;
    for (size_t i = 0; whole && i < PROCESSES; i++) {
        p->logs[i] =
            log(json_number_value(json_array_get(b, i)) / json_number_value(json_array_get(a, i)));
        whole = isfinite(p->logs[i]);
    }
    json_decref(a);
    json_decref(b);
    return whole;
}

static int pairs_of(const char *folder, struct pair **pairs, size_t *count, struct error *e)
{
    struct lab_db l;
    sqlite3_stmt *s = NULL;
    *count = 0;
    int code = db_read(&l, &folder, 1, e);
    if (code) return code;
    *pairs =
        memory_zeroed((size_t)lab_number(&l, "SELECT count(*) FROM cells") + 1, sizeof **pairs);
    code = lab_prepare(&l, pairs_sql, &s, e);
    while (!code && sqlite3_step(s) == SQLITE_ROW) *count += logs_of(s, &(*pairs)[*count]);
    sqlite3_finalize(s);
    lab_close(&l);
    return code;
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* Returns the pair with `off` of its processes, chosen at random, made slower by `factor`. */
static struct pair disturbed(struct pair p, size_t off, double factor, uint64_t *state)
{
    for (size_t i = 0; i < off; i++) {
        size_t place = i + random_next(state) % (PROCESSES - i);
        double drawn = p.logs[place];
        p.logs[place] = p.logs[i];
        p.logs[i] = drawn + log(factor);
    }
    stats_sort(p.logs, PROCESSES);
    return p;
}

static void print_score(const struct pair *pairs, size_t count, size_t off, double factor, size_t k)
{
    double *apart = calloc(count + 1, sizeof *apart);
    size_t told = 0, intervals = 0, held = 0, found = 0;
    uint64_t state = 1;
    for (size_t i = 0; apart && i < count; i++) {
        struct pair p = disturbed(pairs[i], off, factor, &state);
        struct majority m = {0, PROCESSES};
        if (estimators[k].of_majority) m = modes_majority(p.logs, PROCESSES);
        size_t kept = m.end - m.first;
        if (!kept) continue;
        double at = estimators[k].of(p.logs + m.first, kept);
        double half = half_width(p.logs + m.first, kept);
        apart[told++] = fabs(expm1(at));
        intervals++;
        held += fabs(at) <= half;
        found += at - half > -log(1.03);
    }
    stats_sort(apart, told);
    printf("| %zu, %g | %s | %.2f%%, %.2f%%, %.2f%% | %.1f%% | %.1f%% |\n", off, factor,
           estimators[k].name, 100 * stats_quantile(apart, told, 0.5),
           100 * stats_quantile(apart, told, 0.9), 100 * stats_quantile(apart, told, 0.99),
           100.0 * (double)held / (double)intervals, 100.0 * (double)found / (double)intervals);
    free(apart);
}

int compare_over_processes(const char *folder)
{
    static const struct {
        size_t off;
        double factor;
    } disturbances[] = {{0, 1}, {1, 5}, {2, 1.1}, {2, 1.5}, {2, 5}};
    struct error e = {.text = ""};
    struct pair *pairs;
    size_t count;
    int code = pairs_of(folder, &pairs, &count, &e);
    if (code) return fprintf(stderr, "aa: %s\n", e.text), code;
    printf("%zu pairs of equal code in %d processes.\n\n| processes slower, by | estimator over "
           "processes | apart: median, 90%%, 99%% | intervals with 1 | 3%% found "
           "|\n|---|---|---|---|---|\n",
           count, PROCESSES);
    for (size_t d = 0; d < sizeof disturbances / sizeof *disturbances; d++)
        for (size_t k = 0; k < ESTIMATORS; k++)
            print_score(pairs, count, disturbances[d].off, disturbances[d].factor, k);
    free(pairs);
    return 0;
}
