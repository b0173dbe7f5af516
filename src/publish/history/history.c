// SPDX-License-Identifier: MIT
#include "publish/history/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/date.h"
#include "model/record.h"
#include "publish/render/table.h"

const char *history_kind_name(enum history_kind kind)
{
    static const char *const names[] = {"time", "error", "bits"};
    return names[kind];
}

void history_name(const struct history *h, const struct history_change *c, char *text, size_t size)
{
    const char *shape = "";
    if (c->kind == HISTORY_TIME) shape = h->shapes[h->points[h->series[c->series].first].shape];
    snprintf(text, size, "%s%s%s", h->variants[c->variant], *shape ? "/" : "", shape);
}

static int newest_first(const void *a, const void *b, void *context)
{
    const struct history *h = context;
    const struct history_change *x = a, *y = b;
    int c = strcmp(h->runs[y->run].started, h->runs[x->run].started);
    if (!c) c = y->gates - x->gates;
    if (!c) c = (int)x->kind - (int)y->kind;
    double far_x = fabs(log(x->ratio)), far_y = fabs(log(y->ratio));
    if (!c) c = (far_y > far_x) - (far_y < far_x);
    if (!c) c = (x->variant > y->variant) - (x->variant < y->variant);
    return c ? c : (x->series > y->series) - (x->series < y->series);
}

bool history_is_since(const struct history *h, size_t run, const char *since)
{
    return !since || strcmp(h->runs[run].started, since) >= 0;
}

static void keep_since(struct history *h, const char *since)
{
    size_t kept = 0;
    for (size_t i = 0; i < h->change_count; i++)
        if (history_is_since(h, h->changes[i].run, since)) h->changes[kept++] = h->changes[i];
    h->change_count = kept;
}

static int check_since(const struct history *h, const char *since, struct error *e)
{
    const char *newest = "";
    for (size_t i = 0; i < h->run_count; i++)
        if (strcmp(h->runs[i].started, newest) > 0) newest = h->runs[i].started;
    if (!since || strcmp(newest, since) >= 0) return 0;
    return fail(e, EXIT_USAGE, "history: --since %s: no run began since; the newest: %s", since,
                date_text(newest));
}

int history_open(const struct lab_db *l, const struct history_request *q, struct history *h,
                 struct error *e)
{
    *h = (struct history){0};
    int code = history_load(l, q, h, e);
    if (!code) code = check_since(h, q->since, e);
    if (!code) code = history_find_times(l, q, h, e);
    if (!code) code = history_find_errors(l, q, h, e);
    if (!code) {
        keep_since(h, q->since);
        if (h->change_count)
            qsort_r(h->changes, h->change_count, sizeof *h->changes, newest_first, h);
    } else {
        history_free(h);
    }
    return code;
}

size_t history_unexplained(const struct history *h)
{
    size_t count = 0;
    for (size_t i = 0; i < h->change_count; i++) count += !h->changes[i].causes[0];
    return count;
}

size_t history_gates(const struct history *h)
{
    size_t count = 0;
    for (size_t i = 0; i < h->change_count; i++) count += h->changes[i].gates;
    return count;
}

/* ---- As JSON --------------------------------------------------------------------------------- */

static json_t *change_json(const struct history *h, const struct history_change *c)
{
    char name[300];
    history_name(h, c, name, sizeof name);
    const struct history_run *run = &h->runs[c->run], *before = &h->runs[c->before];
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s?, s:s, s:s, s:s?, s:s, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:b, s:s}",
        "kind", history_kind_name(c->kind), "cell", name, "machine", run->machine, "run", run->run,
        "started", *run->started ? run->started : NULL, "commit", run->commit, "before",
        before->run, "before_started", *before->started ? before->started : NULL, "before_commit",
        before->commit, "ratio", record_real(c->ratio), "ci_low", record_real(c->low), "ci_high",
        record_real(c->high), "p", record_real(c->p), "old", record_real(c->old_value), "new",
        record_real(c->new_value), "gates", c->gates, "with", c->causes);
}

json_t *history_document(const struct history *h)
{
    json_t *changes = json_array();
    for (size_t i = 0; i < h->change_count; i++)
        json_array_append_new(changes, change_json(h, &h->changes[i]));
    return json_pack("{s:i, s:I, s:I, s:I, s:I, s:o}", "schema", 1, "runs",
                     (json_int_t)h->run_count, "series", (json_int_t)h->series_count, "unexplained",
                     (json_int_t)history_unexplained(h), "gates", (json_int_t)history_gates(h),
                     "changes", changes);
}

/* ---- As text --------------------------------------------------------------------------------- */

static void add_row(const struct history *h, const struct history_change *c, struct table *t)
{
    char name[300], size[80];
    history_name(h, c, name, sizeof name);
    if (c->kind == HISTORY_TIME)
        snprintf(size, sizeof size, "x %.3f [%.3f, %.3f]", c->ratio, c->low, c->high);
    else if (c->kind == HISTORY_ERROR)
        snprintf(size, sizeof size, "%s to %s ulp", number_error(c->old_value, NAN).text,
                 number_error(c->new_value, NAN).text);
    else
        snprintf(size, sizeof size, "other bits");
    const struct history_run *run = &h->runs[c->run];
    table_add(t, c->gates ? TINT_BAD : TINT_NONE,
              (const char *const[]){date_text(run->started), run->machine, run->commit,
                                    history_kind_name(c->kind), size,
                                    c->causes[0] ? c->causes : "-", name});
}

void history_write(const struct history *h, FILE *out)
{
    enum { SCREEN_ROWS = 60 };
    static const struct column columns[] = {
        {"first run", false, 0}, {"machine", false, 0}, {"commit", false, 0}, {"what", false, 0},
        {"change", false, 0},    {"with it", false, 0}, {"cell", false, 0}};
    struct terminal terminal = terminal_of(out);
    struct table table;
    write_prose(out, terminal, 2,
                "%zu runs, %zu series of times; %zu changes, of which %zu with nothing known that "
                "changed with them: at most these are false alarms.",
                h->run_count, h->series_count, h->change_count, history_unexplained(h));
    size_t shown =
        terminal.columns && h->change_count > SCREEN_ROWS ? SCREEN_ROWS : h->change_count;
    if (!shown) return;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < shown; i++) add_row(h, &h->changes[i], &table);
    table_end(&table, out, terminal);
    if (shown < h->change_count)
        fprintf(out, "... and %zu older ones: a pipe, --json or --page has all.\n",
                h->change_count - shown);
}
