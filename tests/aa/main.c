// SPDX-License-Identifier: MIT
/* aa: what estimators of a ratio are worth, from the samples of real runs. For scripts/aa.
 *
 *     aa estimators DIR    pairs of equal code of a run: how far apart each estimator finds them,
 * how often its 95% interval has 1, and how often it finds one of two slowed
 *     aa slowed DOC.json   `bench --json` of tests/aa/steps*.c: the ratios, and the true ones
 *     aa processes DIR     estimators over processes, also with some of them made slower
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "measure/bench.h"
#include "measure/ratio.h"
#include "measure/stats.h"
#include "model/record.h"
#include "base/memory.h"
#include "publish/db/columns.h"
#include "publish/db/db.h"

#include "processes.h"

/* ---- A cell's samples in one process --------------------------------------------------------- */

enum { ROUNDS_MAX = 1000, PROCESSES = 64 };

struct sampled {
    size_t count;
    double ns[ROUNDS_MAX]; /* in the order of rounds */
    int round[ROUNDS_MAX];
};
struct aa_cell {
    char id[400];
    const char *code, *block, *residency;
    struct sampled *processes[PROCESSES];
};

static struct sampled *read_samples(const json_t *record)
{
    const json_t *ns = json_object_get(record, "ns"), *rounds = json_object_get(record, "round");
    size_t count = json_array_size(ns);
    struct sampled *s = calloc(1, sizeof *s);
    for (size_t i = 0; s && i < count && i < ROUNDS_MAX; i++) {
        s->ns[i] = json_number_value(json_array_get(ns, i));
        s->round[i] = (int)json_integer_value(json_array_get(rounds, i));
        s->count++;
    }
    return s;
}

/* ---- Estimators: log of b over a, in one process --------------------------------------------- */

typedef double estimator(const struct sampled *a, const struct sampled *b);

static double log_quantile(const struct sampled *s, double q)
{
    double v[ROUNDS_MAX];
    memcpy(v, s->ns, s->count * sizeof *v);
    stats_sort(v, s->count);
    return log(stats_quantile(v, s->count, q));
}
static double by_median(const struct sampled *a, const struct sampled *b)
{
    return log_quantile(b, 0.5) - log_quantile(a, 0.5);
}
static double by_quartile(const struct sampled *a, const struct sampled *b)
{
    return log_quantile(b, 0.25) - log_quantile(a, 0.25);
}
static double by_decile(const struct sampled *a, const struct sampled *b)
{
    return log_quantile(b, RATIO_QUANTILE) - log_quantile(a, RATIO_QUANTILE);
}
static double by_minimum(const struct sampled *a, const struct sampled *b)
{
    return log_quantile(b, 0) - log_quantile(a, 0);
}

/* Writes the differences of the rounds in which both took part to d, and the logarithms of the
 * products to `sums`; returns their number. */
static size_t differences(const struct sampled *a, const struct sampled *b, double *d, double *sums)
{
    size_t n = 0;
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        if (a->round[i] == b->round[k]) {
            sums[n] = log(a->ns[i]) + log(b->ns[k]);
            d[n++] = log(b->ns[k++] / a->ns[i++]);
        } else if (a->round[i] < b->round[k])
            i++;
        else
            k++;
    }
    return n;
}
static double by_rounds(const struct sampled *a, const struct sampled *b)
{
    double d[ROUNDS_MAX], sums[ROUNDS_MAX];
    return stats_median(d, differences(a, b, d, sums));
}
/* Estimates by the quieter half of the rounds: those in which both together took least. */
static double by_quiet_rounds(const struct sampled *a, const struct sampled *b)
{
    double d[ROUNDS_MAX], sums[ROUNDS_MAX], sorted[ROUNDS_MAX], kept[ROUNDS_MAX];
    size_t n = differences(a, b, d, sums), quiet = 0;
    memcpy(sorted, sums, n * sizeof *sums);
    double middle = stats_median(sorted, n);
    for (size_t i = 0; i < n; i++)
        if (sums[i] <= middle) kept[quiet++] = d[i];
    return stats_median(kept, quiet);
}

static const struct {
    const char *name;
    estimator *estimate;
} estimators[] = {
    {"median", by_median},
    {"lower quartile", by_quartile},
    {"lower decile (used)", by_decile},
    {"minimum", by_minimum},
    {"median of a round's ratios", by_rounds},
    {"the same, quieter half of the rounds", by_quiet_rounds},
};
enum { ESTIMATORS = sizeof estimators / sizeof *estimators };

/* ---- Pairs of equal code --------------------------------------------------------------------- */

struct aa_cells {
    struct aa_cell *items;
    size_t count;
};

static struct aa_cell *cell_of(struct aa_cells *cells, const json_t *record, const char *key)
{
    for (size_t i = cells->count; i-- > 0;)
        if (!strcmp(cells->items[i].id, key)) return &cells->items[i];
    struct aa_cell *c = &cells->items[cells->count++];
    *c = (struct aa_cell){.block = record_text(record, "block"),
                          .residency = record_text(record, "residency")};
    snprintf(c->id, sizeof c->id, "%s", key);
    return c;
}

/* The hash of a variant's machine code; "" where it has none. The caller frees. */
static char *code_of(sqlite3_stmt *codes, const char *variant)
{
    sqlite3_reset(codes);
    lab_bind(codes, "t", variant);
    return memory_copy(sqlite3_step(codes) == SQLITE_ROW ? column_text(codes, 0) : "");
}

static void read_cells(const json_t *samples, sqlite3_stmt *codes, struct aa_cells *cells)
{
    const json_t *record;
    size_t i;
    json_array_foreach(samples, i, record)
    {
        char *code = code_of(codes, record_text(record, "variant"));
        size_t process = (size_t)record_number(record, "process");
        char key[400];
        snprintf(key, sizeof key, "%s %s", record_text(record, "id"),
                 record_text(record, "family"));
        if (strcmp(record_text(record, "record"), "samples") || process >= PROCESSES || !*code ||
            record_number(record, "threads") != 1 ||
            !json_array_size(json_object_get(record, "ns")))
            continue;
        struct aa_cell *c = cell_of(cells, record, key);
        c->code = code;
        free(c->processes[process]);
        c->processes[process] = read_samples(record);
    }
}

static int by_code(const void *a, const void *b)
{
    const struct aa_cell *x = a, *y = b;
    int c = strcmp(x->block, y->block);
    if (!c) c = strcmp(x->code, y->code);
    return c ? c : strcmp(x->id, y->id);
}

/* Writes one logarithm of b over a per process that has both; returns their number. */
static size_t logs_of(estimator *estimate, const struct aa_cell *a, const struct aa_cell *b,
                      double *logs)
{
    size_t n = 0;
    for (size_t p = 0; p < PROCESSES; p++)
        if (a->processes[p] && b->processes[p])
            logs[n++] = estimate(a->processes[p], b->processes[p]);
    return n;
}

struct score {
    double *apart;
    size_t pairs, held, cached, found_3, found_5;
    double half;
};

static void score_pair(struct score *s, double *logs, size_t n, bool cached)
{
    struct ratio r = ratio_of_logs(logs, n);
    if (n < 3 || isnan(r.low)) return;
    s->apart[s->pairs++] = fabs(r.value - 1);
    s->held += r.low <= 1 && 1 <= r.high;
    s->half += 0.5 * log(r.high / r.low);
    s->cached += cached;
    s->found_3 += cached && 1.03 * r.low > 1;
    s->found_5 += cached && 1.05 * r.low > 1;
}

static void print_scores(const struct aa_cells *cells)
{
    printf("| estimator | pairs | apart: median | 90%% | 99%% | intervals with 1 | 3%% found | 5%% "
           "found |\n|---|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < ESTIMATORS; k++) {
        struct score s = {.apart = calloc(cells->count + 1, sizeof *s.apart)};
        for (size_t i = 0; s.apart && i + 1 < cells->count; i++) {
            const struct aa_cell *a = &cells->items[i], *b = a + 1;
            double logs[PROCESSES];
            if (strcmp(a->block, b->block) || strcmp(a->code, b->code)) continue;
            size_t n = logs_of(estimators[k].estimate, a, b, logs);
            score_pair(&s, logs, n, strcmp(a->residency, "DRAM") != 0);
        }
        stats_sort(s.apart, s.pairs);
        printf("| %s | %zu | %.2f%% | %.2f%% | %.2f%% | %.1f%% | %.1f%% | %.1f%% |\n",
               estimators[k].name, s.pairs, 100 * stats_quantile(s.apart, s.pairs, 0.5),
               100 * stats_quantile(s.apart, s.pairs, 0.9),
               100 * stats_quantile(s.apart, s.pairs, 0.99),
               100.0 * (double)s.held / (double)s.pairs,
               100.0 * (double)s.found_3 / (double)s.cached,
               100.0 * (double)s.found_5 / (double)s.cached);
        free(s.apart);
    }
}

static int compare_estimators(const char *folder)
{
    struct lab_db l;
    sqlite3_stmt *codes = NULL;
    struct error e = {.text = ""};
    char path[1100];
    json_t *samples = NULL;
    snprintf(path, sizeof path, "%s/samples.jsonl", folder);
    int code = db_read(&l, &folder, 1, &e);
    if (!code)
        code = lab_prepare(&l, "SELECT hash FROM machine_codes WHERE variant = ? AND cc <> 'lib'",
                           &codes, &e);
    if (!code) code = record_read(path, false, &samples, &e);
    if (code) return fprintf(stderr, "aa: %s\n", e.text), code;
    struct aa_cells cells = {.items = calloc(json_array_size(samples) + 1, sizeof *cells.items)};
    if (!cells.items) return EXIT_FAILURE;
    read_cells(samples, codes, &cells);
    qsort(cells.items, cells.count, sizeof *cells.items, by_code);
    print_scores(&cells);
    return 0;
}

/* ---- Kernels slowed by a known amount -------------------------------------------------------- */

static struct by_process low_of(const json_t *rows, const char *steps)
{
    const json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        if (strstr(record_text(row, "id"), steps)) return bench_low_ns(row);
    }
    return (struct by_process){NULL, 0};
}

static int show_slowed(const char *path)
{
    static const struct {
        const char *name;
        double truth;
    } slowed[] = {{"steps1010", 1.01}, {"steps1030", 1.03}, {"steps1100", 1.10}};
    json_t *document = json_load_file(path, 0, NULL);
    const json_t *rows = json_object_get(document, "rows");
    struct by_process base = low_of(rows, "steps1000");
    printf("| true ratio | measured | 95%% |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof slowed / sizeof *slowed; i++) {
        struct ratio r = ratio_of_times(base, low_of(rows, slowed[i].name));
        if (isnan(r.low)) return fprintf(stderr, "aa: %s: no samples\n", path), EXIT_FAILURE;
        printf("| %.2f | %.4f | [%.4f, %.4f] |\n", slowed[i].truth, r.value, r.low, r.high);
    }
    json_decref(document);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "estimators")) return compare_estimators(argv[2]);
    if (argc == 3 && !strcmp(argv[1], "slowed")) return show_slowed(argv[2]);
    if (argc == 3 && !strcmp(argv[1], "processes")) return compare_over_processes(argv[2]);
    fprintf(stderr, "usage: aa estimators DIR | aa slowed DOC.json | aa processes DIR\n");
    return EXIT_FAILURE;
}
