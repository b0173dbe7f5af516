// SPDX-License-Identifier: MIT
/* Runs and points out of an archive. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/history/history.h"
#include "publish/sql/facts.h"

static int out_of_memory(const struct lab_db *l, struct error *e)
{
    return fail(e, EXIT_PARTIAL, "out of memory: %s; narrow with --filter or --last", l->path);
}

static char *text_of(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return strdup(text ? text : "");
}

/* ---- Names ----------------------------------------------------------------------------------- */

static int64_t number(const struct lab_db *l, const char *sql)
{
    sqlite3_stmt *s = NULL;
    int64_t value = 0;
    if (sqlite3_prepare_v2(l->db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
        value = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return value;
}

static int load_names(const struct lab_db *l, const struct history_request *q, struct history *h,
                      struct error *e)
{
    sqlite3_stmt *s = NULL;
    h->variant_max = number(l, "SELECT max(id) FROM variants");
    h->shape_max = number(l, "SELECT max(id) FROM shapes");
    h->variants = calloc((size_t)h->variant_max + 1, sizeof *h->variants);
    h->shapes = calloc((size_t)h->shape_max + 1, sizeof *h->shapes);
    if (!h->variants || !h->shapes) return out_of_memory(l, e);
    int code = narrow_run(l,
                          "CREATE TEMP TABLE wanted AS SELECT id, variant FROM variants WHERE "
                          "fits(variant, op, algorithm, dtype, isa, cc, policy)",
                          q->filters, q->filter_count, e);
    if (!code) code = lab_prepare(l, "SELECT id, variant FROM temp.wanted", &s, e);
    while (!code && sqlite3_step(s) == SQLITE_ROW)
        h->variants[sqlite3_column_int64(s, 0)] = text_of(s, 1);
    sqlite3_finalize(s);
    if (code) return code;
    code =
        lab_prepare(l,
                    "SELECT id, 'rows=' || \"rows\" || '/n=' || n || '/threads=' || threads || "
                    "CASE family WHEN 'normal' THEN '' ELSE '/family=' || family END FROM shapes",
                    &s, e);
    while (!code && sqlite3_step(s) == SQLITE_ROW)
        h->shapes[sqlite3_column_int64(s, 0)] = text_of(s, 1);
    sqlite3_finalize(s);
    return code;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static void free_run(struct history_run *r)
{
    char *const texts[] = {r->run,       r->machine, r->commit,    r->started,
                           r->compilers, r->kernel,  r->microcode, r->libraries};
    for (size_t i = 0; i < 8; i++) free(texts[i]);
}

/* The newest runs (?1) of each machine whose slug begins with ?2, of those chosen. */
static const char runs_sql[] =
    "SELECT * FROM (SELECT r.id, r.codegen, r.accuracy, r.run, m.slug, r.\"commit\", r.started, "
    "b.compilers, r.kernel, r.microcode, r.libraries, row_number() OVER (PARTITION BY m.slug ORDER "
    "BY r.started DESC, r.id DESC) AS age FROM temp.chosen c JOIN runs r ON r.id = c.run JOIN "
    "machines m ON m.id = r.machine JOIN builds b ON b.id = r.build WHERE substr(m.slug, 1, "
    "length(?2)) = ?2) WHERE age <= ?1 ORDER BY slug, started, id";

static void add_run(sqlite3_stmt *s, struct history_run *r)
{
    char **const texts[] = {&r->run,       &r->machine, &r->commit,    &r->started,
                            &r->compilers, &r->kernel,  &r->microcode, &r->libraries};
    r->id = sqlite3_column_int64(s, 0);
    r->codegen = sqlite3_column_int64(s, 1);
    r->accuracy = sqlite3_column_int64(s, 2);
    for (int i = 0; i < 8; i++) *texts[i] = text_of(s, 3 + i);
}

/* Selects the runs into temp.chosen. */
static int choose_runs(const struct lab_db *l, const char *selector, size_t *count, struct error *e)
{
    int64_t *ids = NULL;
    sqlite3_stmt *s = NULL;
    int code = lab_select(l, selector, &ids, count, e);
    if (!code) code = lab_execute(l, "CREATE TEMP TABLE chosen(run INTEGER PRIMARY KEY)", e);
    if (!code) code = lab_prepare(l, "INSERT INTO temp.chosen VALUES(?)", &s, e);
    for (size_t i = 0; !code && i < *count; i++) {
        lab_bind(s, "i", ids[i]);
        code = lab_step(l, s, e);
    }
    sqlite3_finalize(s);
    free(ids);
    return code;
}

static int load_runs(const struct lab_db *l, const struct history_request *q, struct history *h,
                     struct error *e)
{
    sqlite3_stmt *s = NULL;
    size_t count = 0;
    int code = choose_runs(l, q->selector, &count, e);
    if (!code) code = lab_prepare(l, runs_sql, &s, e);
    if (code) return code;
    lab_bind(s, "it", (int64_t)q->last, q->machine ? q->machine : "");
    h->runs = memory_zeroed(count + 1, sizeof *h->runs);
    while (sqlite3_step(s) == SQLITE_ROW) add_run(s, &h->runs[h->run_count++]);
    sqlite3_finalize(s);
    return h->run_count
               ? 0
               : fail(e, EXIT_USAGE,
                      "history: %s: no run matches; 'ulplab archive list' shows them", l->path);
}

/* ---- Points ---------------------------------------------------------------------------------- */

static int add_points(const struct lab_db *l, sqlite3_stmt *s, size_t run, struct history *h,
                      size_t *room, struct error *e)
{
    while (sqlite3_step(s) == SQLITE_ROW) {
        struct history_point p = {.variant = sqlite3_column_int64(s, 0),
                                  .shape = sqlite3_column_int64(s, 1),
                                  .run = run,
                                  .ns = lab_real(s, 2),
                                  .low = lab_real(s, 3),
                                  .high = lab_real(s, 4)};
        if (!h->variants[p.variant]) continue;
        if (h->point_count == *room) {
            struct history_point *more =
                realloc(h->points, (*room = *room ? 2 * *room : 4096) * sizeof *more);
            if (!more) return out_of_memory(l, e);
            h->points = more;
        }
        h->points[h->point_count++] = p;
    }
    sqlite3_reset(s);
    return 0;
}

static int by_cell(const struct history *h, const struct history_point *x,
                   const struct history_point *y)
{
    int c = strcmp(h->runs[x->run].machine, h->runs[y->run].machine);
    if (!c) c = (x->variant > y->variant) - (x->variant < y->variant);
    return c ? c : (x->shape > y->shape) - (x->shape < y->shape);
}

static int by_cell_and_run(const void *a, const void *b, void *h)
{
    const struct history_point *x = a, *y = b;
    int c = by_cell(h, x, y);
    return c ? c : (x->run > y->run) - (x->run < y->run);
}

static int cut_into_series(const struct lab_db *l, struct history *h, struct error *e)
{
    h->series = calloc(h->point_count + 1, sizeof *h->series);
    if (!h->series) return out_of_memory(l, e);
    qsort_r(h->points, h->point_count, sizeof *h->points, by_cell_and_run, h);
    for (size_t i = 0, end; i < h->point_count; i = end) {
        for (end = i + 1; end < h->point_count && !by_cell(h, &h->points[i], &h->points[end]);)
            end++;
        h->series[h->series_count++] = (struct history_series){i, end};
    }
    return 0;
}

int history_load(const struct lab_db *l, const struct history_request *q, struct history *h,
                 struct error *e)
{
    sqlite3_stmt *s = NULL;
    size_t room = 0;
    int code = load_names(l, q, h, e);
    if (!code) code = load_runs(l, q, h, e);
    if (!code)
        code =
            lab_prepare(l,
                        "SELECT c.variant, c.shape, c.ns, c.low, c.high FROM runs r JOIN cells c "
                        "ON c.blob = r.timing WHERE r.id = ? AND c.ns > 0",
                        &s, e);
    for (size_t i = 0; i < h->run_count && !code; i++) {
        lab_bind(s, "i", h->runs[i].id);
        code = add_points(l, s, i, h, &room, e);
    }
    sqlite3_finalize(s);
    return code ? code : cut_into_series(l, h, e);
}

void history_free(struct history *h)
{
    for (size_t i = 0; i < h->run_count; i++) free_run(&h->runs[i]);
    for (int64_t i = 0; h->variants && i <= h->variant_max; i++)
        free((char *)(uintptr_t)h->variants[i]);
    for (int64_t i = 0; h->shapes && i <= h->shape_max; i++) free(h->shapes[i]);
    free(h->runs);
    free(h->points);
    free(h->series);
    free(h->changes);
    free(h->variants);
    free(h->shapes);
    *h = (struct history){0};
}
