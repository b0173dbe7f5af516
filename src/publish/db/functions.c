#include "publish/db/functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "measure/ranks.h"
#include "measure/ratio.h"
#include "measure/stats.h"

static void give(sqlite3_context *c, double value)
{
    if (!isnan(value)) sqlite3_result_double(c, value);
}

/* ---- Arrays ------------------------------------------------------------------------------------
 */

struct array {
    double values[RATIO_PROCESSES_MAX];
    size_t count;
};

/* The numbers of a JSON array; NAN for what is none. */
static struct array array_of(sqlite3_value *value)
{
    struct array a = {.count = 0};
    const char *at = (const char *)sqlite3_value_text(value);
    if (!at || *at != '[') return a;
    for (at++; *at && *at != ']' && a.count < RATIO_PROCESSES_MAX;) {
        char *end;
        const double number = strtod(at, &end);
        a.values[a.count++] = end > at ? number : (double)NAN;
        at = end + strcspn(end, ",]");
        at += *at == ',';
    }
    return a;
}

/* The logarithms of each process's ratio, NAN where it has none: of b over a, or of the ratios that
 * a holds where b is not given. */
static struct array logs_of(int count, sqlite3_value **values)
{
    struct array a = array_of(values[0]);
    if (count == 1) {
        for (size_t i = 0; i < a.count; i++) a.values[i] = log(a.values[i]);
        return a;
    }
    const struct array b = array_of(values[1]);
    if (b.count < a.count) a.count = b.count;
    for (size_t i = 0; i < a.count; i++) a.values[i] = log(b.values[i] / a.values[i]);
    return a;
}

static struct array without_nan(struct array a)
{
    size_t kept = 0;
    for (size_t i = 0; i < a.count; i++)
        if (!isnan(a.values[i])) a.values[kept++] = a.values[i];
    a.count = kept;
    return a;
}

/* ---- Functions of arrays -----------------------------------------------------------------------
 */

/* Which figure of a ratio, or of a shift, a function gives. */
enum figure { VALUE, LOW, HIGH, P };

static void ratio(sqlite3_context *c, int count, sqlite3_value **values)
{
    struct array logs = without_nan(logs_of(count, values));
    const struct ratio r = ratio_of_logs(logs.values, logs.count);
    const double figures[] = {[VALUE] = r.value, [LOW] = r.low, [HIGH] = r.high, [P] = r.p};
    give(c, figures[(size_t)sqlite3_user_data(c)]);
}

static void shift(sqlite3_context *c, int count, sqlite3_value **values)
{
    (void)count;
    const struct array a = without_nan(array_of(values[0])), b = without_nan(array_of(values[1]));
    const struct sample x = {a.values, a.count}, y = {b.values, b.count};
    const enum figure figure = (enum figure)(size_t)sqlite3_user_data(c);
    if (!a.count || !b.count) return;
    if (figure == P) {
        give(c, compare_p(x, y));
        return;
    }
    const struct shift s = compare_shift(x, y);
    give(c, figure == VALUE ? s.estimate : figure == LOW ? s.low : s.high);
}

/* ---- Means within processes --------------------------------------------------------------------
 */

static struct by_process times_of(const struct array *a)
{
    return (struct by_process){a->values, a->count};
}

/* Of times: as ratio_mean_add(), so that a ratio counts as its majority of processes has it. */
static void add_times(sqlite3_context *c, int count, sqlite3_value **values)
{
    struct ratio_mean *m = sqlite3_aggregate_context(c, sizeof *m);
    const struct array a = array_of(values[0]), b = array_of(values[1]);
    (void)count;
    if (m) ratio_mean_add(m, times_of(&a), times_of(&b));
}

/* Of ratios that were formed in each process: each array weighs the same. */
static void add_ratios(sqlite3_context *c, int count, sqlite3_value **values)
{
    struct ratio_mean *m = sqlite3_aggregate_context(c, sizeof *m);
    const struct array logs = logs_of(count, values);
    struct ratio_mean one = {.ratios = logs.count > 0};
    for (size_t i = 0; i < logs.count; i++) {
        one.sums[i] = isnan(logs.values[i]) ? 0 : logs.values[i];
        one.counts[i] = !isnan(logs.values[i]);
    }
    if (m) ratio_mean_join(m, &one);
}

/* As ratio_mean_value(): the processes that have all ratios, or where those are fewer than three,
 * those that have any. */
static void means(sqlite3_context *c)
{
    const struct ratio_mean *m = sqlite3_aggregate_context(c, 0);
    size_t last = 0, whole = 0;
    for (size_t i = 0; m && i < RATIO_PROCESSES_MAX; i++) {
        if (!m->counts[i]) continue;
        last = i + 1;
        whole += m->counts[i] == m->ratios;
    }
    if (!last) return;
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_text(&text, &size);
    for (size_t i = 0; i < last; i++) {
        fputc(i ? ',' : '[', out);
        if (m->counts[i] && (whole < 3 || m->counts[i] == m->ratios))
            fprintf(out, "%.17g", exp(m->sums[i] / (double)m->counts[i]));
        else
            fputs("null", out);
    }
    fputc(']', out);
    memory_text_close(out);
    sqlite3_result_text(c, text, (int)size, free);
}

/* ---- Aggregates of numbers ---------------------------------------------------------------------
 */

struct numbers {
    double *values, q;
    size_t count, room;
};

static void add_number(sqlite3_context *c, int count, sqlite3_value **values)
{
    struct numbers *n = sqlite3_aggregate_context(c, sizeof *n);
    (void)count;
    if (!n || sqlite3_value_type(values[0]) == SQLITE_NULL) return;
    if (n->count == n->room)
        n->values = memory_grow(n->values, (n->room = 2 * n->room + 64) * sizeof *n->values);
    n->values[n->count++] = sqlite3_value_double(values[0]);
    n->q = sqlite3_value_double(values[1]);
}

static void quantile(sqlite3_context *c)
{
    struct numbers *n = sqlite3_aggregate_context(c, 0);
    if (!n || !n->count) return;
    stats_sort(n->values, n->count);
    if (n->q >= 0 && n->q <= 1) give(c, stats_quantile(n->values, n->count, n->q));
    free(n->values);
}

struct logs {
    double sum;
    size_t count;
};

static void add_log(sqlite3_context *c, int count, sqlite3_value **values)
{
    struct logs *l = sqlite3_aggregate_context(c, sizeof *l);
    const double value = sqlite3_value_double(values[0]);
    (void)count;
    if (!l || !(value > 0)) return;
    l->sum += log(value);
    l->count++;
}

static void geomean(sqlite3_context *c)
{
    const struct logs *l = sqlite3_aggregate_context(c, 0);
    if (l && l->count) sqlite3_result_double(c, exp(l->sum / (double)l->count));
}

/* ---- Benjamini and Hochberg --------------------------------------------------------------------
 */

/* Values come from the largest p on: each q is the least of p * count / rank so far. */
struct discoveries {
    double least;
    int64_t seen;
};

static void add_p(sqlite3_context *c, int count, sqlite3_value **values)
{
    struct discoveries *d = sqlite3_aggregate_context(c, sizeof *d);
    (void)count;
    if (!d || sqlite3_value_type(values[0]) == SQLITE_NULL) return;
    const double all = sqlite3_value_double(values[1]), rank = all - (double)d->seen++;
    const double q = rank > 0 ? sqlite3_value_double(values[0]) * all / rank : 1;
    if (d->seen == 1 || q < d->least) d->least = q;
}

static void least_q(sqlite3_context *c)
{
    const struct discoveries *d = sqlite3_aggregate_context(c, 0);
    if (d && d->seen) sqlite3_result_double(c, d->least);
}

/* A frame never loses a row: it begins with the largest p. */
static void no_inverse(sqlite3_context *c, int count, sqlite3_value **values)
{
    (void)count;
    (void)values;
    sqlite3_result_error(c, "bh: write bh(p, count) OVER (ORDER BY p DESC)", -1);
}

/* ---- Digests -----------------------------------------------------------------------------------
 */

/* A hash of the values as text, with what is NULL told from "". */
static void hash_of(sqlite3_context *c, int count, sqlite3_value **values)
{
    uint64_t hash = HASH_BASIS;
    for (int i = 0; i < count; i++) {
        const char *text = (const char *)sqlite3_value_text(values[i]);
        hash = hash_bytes(hash, text ? "=" : "-", 1);
        if (text) hash = hash_bytes(hash, text, (size_t)sqlite3_value_bytes(values[i]));
    }
    sqlite3_result_int64(c, (int64_t)random_mix(hash));
}

static void add_hash(sqlite3_context *c, int count, sqlite3_value **values)
{
    uint64_t *sum = sqlite3_aggregate_context(c, sizeof *sum);
    (void)count;
    if (sum) *sum += (uint64_t)sqlite3_value_int64(values[0]);
}

static void digest_text(sqlite3_context *c)
{
    char text[20];
    const uint64_t *sum = sqlite3_aggregate_context(c, 0);
    snprintf(text, sizeof text, "%016llx", sum ? (unsigned long long)*sum : 0);
    sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
}

/* ---- All ---------------------------------------------------------------------------------------
 */

void db_functions_add(const struct lab_db *l)
{
    static const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    static const struct {
        const char *name;
        int arguments;
        void (*function)(sqlite3_context *, int, sqlite3_value **);
        enum figure figure;
    } functions[] = {
        {"ratio", 2, ratio, VALUE},      {"ratio_low", 2, ratio, LOW},
        {"ratio_high", 2, ratio, HIGH},  {"ratio_p", 2, ratio, P},
        {"ratio", 1, ratio, VALUE},      {"ratio_low", 1, ratio, LOW},
        {"ratio_high", 1, ratio, HIGH},  {"ratio_p", 1, ratio, P},
        {"shift", 2, shift, VALUE},      {"shift_low", 2, shift, LOW},
        {"shift_high", 2, shift, HIGH},  {"mann_whitney", 2, shift, P},
        {"hash_of", -1, hash_of, VALUE},
    };
    static const struct {
        const char *name;
        int arguments;
        void (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*end)(sqlite3_context *);
    } aggregates[] = {
        {"by_process", 2, add_times, means},   {"by_process", 1, add_ratios, means},
        {"quantile", 2, add_number, quantile}, {"geomean", 1, add_log, geomean},
        {"digest", 1, add_hash, digest_text},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        sqlite3_create_function(l->db, functions[i].name, functions[i].arguments, flags,
                                (void *)(size_t)functions[i].figure, functions[i].function, NULL,
                                NULL);
    for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates; i++)
        sqlite3_create_function(l->db, aggregates[i].name, aggregates[i].arguments, flags, NULL,
                                NULL, aggregates[i].step, aggregates[i].end);
    sqlite3_create_window_function(l->db, "bh", 2, flags, NULL, add_p, least_q, least_q, no_inverse,
                                   NULL);
}
