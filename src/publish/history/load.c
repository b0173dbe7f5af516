// SPDX-License-Identifier: MIT
/* Runs and points out of an archive. */
#include <stdlib.h>
#include <string.h>

#include "model/filter.h"
#include "publish/history/history.h"
#include "publish/db/axes.h"

static int out_of_memory(const struct lab_db *l, struct error *e)
{
    return fail(e, EXIT_PARTIAL, "out of memory: %s; narrow with --filter or --last", l->path);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static int load_variant(struct history *h, const struct history_request *q, int64_t id,
                        const char *name, struct error *e)
{
    struct axes a;
    bool match = false;
    if (!axes_parse(name, &a)) return 0;
    const struct place place = {name, a.op, a.algorithm, a.dtype, a.isa, a.cc, a.policy};
    int code = filter_matches(&place, q->filters, q->filter_count, &match, e);
    if (!code && match) h->variants[id] = strdup(name);
    return code;
}

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
    int code = lab_prepare(l, "SELECT id, variant FROM variants", &s, e);
    while (!code && sqlite3_step(s) == SQLITE_ROW)
        code = load_variant(h, q, sqlite3_column_int64(s, 0),
                            (const char *)sqlite3_column_text(s, 1), e);
    sqlite3_finalize(s);
    if (code) return code;
    code =
        lab_prepare(l,
                    "SELECT id, 'rows=' || \"rows\" || '/n=' || n || '/threads=' || threads || "
                    "CASE family WHEN 'normal' THEN '' ELSE '/family=' || family END FROM shapes",
                    &s, e);
    while (!code && sqlite3_step(s) == SQLITE_ROW)
        h->shapes[sqlite3_column_int64(s, 0)] = strdup((const char *)sqlite3_column_text(s, 1));
    sqlite3_finalize(s);
    return code;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static char *text_of(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return strdup(text ? text : "");
}

static int load_run(const struct lab_db *l, int64_t id, struct history_run *r, struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code = lab_prepare(l,
                           "SELECT r.run, m.slug, r.\"commit\", r.started, b.compilers, r.kernel, "
                           "r.microcode, r.libraries, r.codegen, r.accuracy FROM runs r "
                           "JOIN machines m ON m.id = r.machine JOIN builds b ON b.id = r.build "
                           "WHERE r.id = ?",
                           &s, e);
    if (code) return code;
    lab_bind(s, "i", id);
    if (sqlite3_step(s) == SQLITE_ROW) {
        char **const texts[] = {&r->run,       &r->machine, &r->commit,    &r->started,
                                &r->compilers, &r->kernel,  &r->microcode, &r->libraries};
        for (int i = 0; i < 8; i++) *texts[i] = text_of(s, i);
        r->id = id;
        r->codegen = sqlite3_column_int64(s, 8);
        r->accuracy = sqlite3_column_int64(s, 9);
    } else {
        code = lab_failed(l, e);
    }
    sqlite3_finalize(s);
    return code;
}

static void free_run(struct history_run *r)
{
    char *const texts[] = {r->run,       r->machine, r->commit,    r->started,
                           r->compilers, r->kernel,  r->microcode, r->libraries};
    for (size_t i = 0; i < 8; i++) free(texts[i]);
}

static int by_machine(const void *a, const void *b)
{
    const struct history_run *x = a, *y = b;
    int c = strcmp(x->machine, y->machine);
    if (!c) c = strcmp(x->started, y->started);
    return c ? c : (x->id > y->id) - (x->id < y->id);
}

/* Keeps the newest runs of each machine. */
static void keep_last(struct history *h, size_t last)
{
    size_t kept = 0;
    for (size_t i = 0, end; i < h->run_count; i = end) {
        for (end = i; end < h->run_count && !strcmp(h->runs[end].machine, h->runs[i].machine);)
            end++;
        for (size_t k = i; k < end; k++) {
            if (end - k > last)
                free_run(&h->runs[k]);
            else
                h->runs[kept++] = h->runs[k];
        }
    }
    h->run_count = kept;
}

static int load_runs(const struct lab_db *l, const struct history_request *q, struct history *h,
                     struct error *e)
{
    int64_t *ids;
    size_t count;
    int code = lab_select(l, q->selector, &ids, &count, e);
    if (code) return code;
    h->runs = calloc(count + 1, sizeof *h->runs);
    if (!h->runs) code = out_of_memory(l, e);
    for (size_t i = 0; i < count && !code; i++) {
        struct history_run *r = &h->runs[h->run_count];
        code = load_run(l, ids[i], r, e);
        if (code) break;
        if (q->machine && strncmp(r->machine, q->machine, strlen(q->machine)) != 0)
            free_run(r);
        else
            h->run_count++;
    }
    free(ids);
    if (code) return code;
    qsort(h->runs, h->run_count, sizeof *h->runs, by_machine);
    keep_last(h, q->last);
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
