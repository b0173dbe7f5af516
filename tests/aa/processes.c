// SPDX-License-Identifier: MIT
#include "processes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "measure/modes.h"
#include "measure/ratio.h"
#include "measure/stats.h"
#include "measure/student.h"
#include "publish/load/codes.h"

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
struct coded {
    const struct timing_result *t;
    const char *code;
};

static int by_code(const void *a, const void *b)
{
    const struct coded *x = a, *y = b;
    int c = strcmp(x->t->block, y->t->block);
    return c ? c : strcmp(x->code, y->code);
}

static bool logs_of(const struct timing_result *a, const struct timing_result *b, struct pair *p)
{
    bool whole = a->processes.count == PROCESSES && b->processes.count == PROCESSES;
    for (size_t i = 0; whole && i < PROCESSES; i++) {
        p->logs[i] = log(b->processes.values[i] / a->processes.values[i]);
        whole = isfinite(p->logs[i]);
    }
    return whole;
}

static struct pair *pairs_of(const struct results *r, const struct codes *codes, size_t *count)
{
    struct coded *coded = calloc(r->timing_count + 1, sizeof *coded);
    struct pair *pairs = calloc(r->timing_count + 1, sizeof *pairs);
    size_t cells = 0;
    for (size_t i = 0; coded && i < r->timing_count; i++) {
        const struct timing_result *t = &r->timings[i];
        char id[VARIANT_ID_MAX];
        variant_id(&t->axes, id);
        const char *code = code_of(codes, id);
        if (*code && *t->block && t->threads == 1) coded[cells++] = (struct coded){t, code};
    }
    qsort(coded, cells, sizeof *coded, by_code);
    *count = 0;
    for (size_t i = 0; pairs && i + 1 < cells; i++)
        if (!by_code(&coded[i], &coded[i + 1]) &&
            logs_of(coded[i].t, coded[i + 1].t, &pairs[*count]))
            ++*count;
    free(coded);
    return pairs;
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
    struct results r;
    struct codes codes;
    struct error e = {.text = ""};
    size_t count = 0;
    int code = results_read(folder, &r, &e);
    if (!code) code = codes_read(&r, &codes, &e);
    if (code) return fprintf(stderr, "aa: %s\n", e.text), code;
    struct pair *pairs = pairs_of(&r, &codes, &count);
    printf("%zu pairs of equal code in %d processes.\n\n| processes slower, by | estimator over "
           "processes | apart: median, 90%%, 99%% | intervals with 1 | 3%% found "
           "|\n|---|---|---|---|---|\n",
           count, PROCESSES);
    for (size_t d = 0; d < sizeof disturbances / sizeof *disturbances; d++)
        for (size_t k = 0; k < ESTIMATORS; k++)
            print_score(pairs, count, disturbances[d].off, disturbances[d].factor, k);
    free(pairs);
    codes_free(&codes);
    results_free(&r);
    return 0;
}
