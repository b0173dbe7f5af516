// SPDX-License-Identifier: MIT
#include "publish/site/history_page.h"

#include <math.h>
#include <stdlib.h>

#include "model/date.h"
#include "model/record.h"
#include "publish/site/assets.h"
#include "publish/site/frame.h"

/* Beyond so many points the page would be slow: series without a change are then left out. */
enum { POINTS_MAX = 400000 };

static json_t *runs_json(const struct history *h)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < h->run_count; i++)
        json_array_append_new(runs,
                              json_pack("[s, s, s, s]", date_text(h->runs[i].started),
                                        h->runs[i].machine, h->runs[i].commit, h->runs[i].run));
    return runs;
}

/* Six digits: a page is looked at. */
static json_t *figure(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    return record_real(strtod(text, NULL));
}

static json_t *series_json(const struct history *h, const struct history_series *s)
{
    json_t *points = json_array();
    for (size_t i = s->first; i < s->end; i++) {
        const struct history_point *p = &h->points[i];
        json_array_append_new(points, json_pack("[I, o, o, o]", (json_int_t)p->run, figure(p->ns),
                                                figure(p->low), figure(p->high)));
    }
    const struct history_point *first = &h->points[s->first];
    return json_pack("{s:s, s:s, s:s, s:o}", "variant", h->variants[first->variant], "shape",
                     h->shapes[first->shape], "machine", h->runs[first->run].machine, "points",
                     points);
}

static json_t *all_series_json(const struct history *h, bool all, json_t **places)
{
    json_t *list = json_array();
    bool *wanted = calloc(h->series_count + 1, sizeof *wanted);
    *places = json_array();
    for (size_t i = 0; wanted && i < h->change_count; i++)
        if (h->changes[i].kind == HISTORY_TIME) wanted[h->changes[i].series] = true;
    for (size_t i = 0; wanted && i < h->series_count; i++) {
        bool put = all || wanted[i];
        json_array_append_new(*places, json_integer(put ? (json_int_t)json_array_size(list) : -1));
        if (put) json_array_append_new(list, series_json(h, &h->series[i]));
    }
    free(wanted);
    return list;
}

static json_t *changes_json(const struct history *h, const json_t *places)
{
    json_t *list = json_array();
    for (size_t i = 0; i < h->change_count; i++) {
        const struct history_change *c = &h->changes[i];
        char name[300];
        history_name(h, c, name, sizeof name);
        json_t *place = c->kind == HISTORY_TIME ? json_incref(json_array_get(places, c->series))
                                                : json_integer(-1);
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:s}", "kind",
                      history_kind_name(c->kind), "cell", name, "run", (json_int_t)c->run, "series",
                      place, "ratio", record_real(c->ratio), "low", record_real(c->low), "high",
                      record_real(c->high), "old", record_real(c->old_value), "new",
                      record_real(c->new_value), "gates", c->gates, "with", c->causes));
    }
    return list;
}

static json_t *page_json(const struct history *h)
{
    json_t *places;
    bool all = h->point_count <= POINTS_MAX;
    json_t *series = all_series_json(h, all, &places), *changes = changes_json(h, places);
    json_decref(places);
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:b}", "runs", runs_json(h), "series", series,
                     "changes", changes, "series_count", (json_int_t)h->series_count, "unexplained",
                     (json_int_t)history_unexplained(h), "all", all);
}

static void write_body(FILE *out, void *context)
{
    (void)context;
    fputs("<h1>Over time</h1>\n", out);
    fputs(history_html, out);
}

static json_t *data_of(void *context)
{
    return page_json(context);
}

int history_write_page(const struct history *h, const char *path, struct error *e)
{
    static const char *const scripts[] = {history_js, NULL};
    const struct frame f = {
        .title = "over time",
        .without = "the changes are missing. <code>ulplab history LAB.db</code> prints them.",
        .style = history_css,
        .links = {{"series", "Series"}, {"changed", "What changed"}},
        .link_count = 2,
        .write = write_body,
        .context = (void *)(uintptr_t)h,
        .data = data_of,
        .scripts = scripts,
    };
    return frame_write(&f, path, e);
}
