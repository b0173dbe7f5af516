// SPDX-License-Identifier: MIT
/* site: static pages of folders and archives, for a web server that only hands out files. */
#include <stdio.h>

#include "cmd/common.h"
#include "cmd/run_place.h"
#include "publish/db/db.h"
#include "publish/history/history.h"
#include "publish/site/site.h"
#include "publish/site/machines.h"

/* all: receives the records, for the page of all machines. */
static int site_add_place(struct site *s, const char *place, double bar, const struct lab_db *all,
                          struct error *e)
{
    struct report r;
    int code = report_open(place, bar, &r, e);
    if (code) return code;
    code = site_add(s, &r, e);
    if (!code) code = db_copy(all, &r.db, e);
    lab_close(&r.db);
    return code;
}

/* The page of several machines, where they have a cell together. It takes `all` over. */
static int site_compare(struct site *s, const struct strings *places, double bar,
                        struct lab_db *all, struct error *e)
{
    char path[1100];
    struct machines m;
    const struct machines_request q = {
        .places = places->items, .count = places->count, .bar = bar, .loaded = all};
    int code = machines_open(&q, &m, e);
    if (code == EXIT_USAGE) return 0;
    if (code) return code;
    snprintf(path, sizeof path, "%s/performance.html", s->folder);
    code = machines_write_page(&m, path, e);
    if (!code) code = site_add_page(s, "performance.html", "All CPUs side by side", e);
    lab_close(&m.l);
    return code;
}

/* The page over time of an archive. *number: of archives before. */
static int add_history(struct site *s, const char *word, int *number, struct error *e)
{
    struct lab_db l;
    char path[1024], file[40], page[1200];
    struct history_request q = {.last = 200, .gates = usual_gates, .threshold = 0.02};
    if (!lab_is_place(word, path, sizeof path, &q.selector)) return 0;
    snprintf(file, sizeof file, *number ? "history-%d.html" : "history.html", *number + 1);
    ++*number;
    snprintf(page, sizeof page, "%s/%s", s->folder, file);
    int code = db_open(&l, path, LAB_READ, e);
    if (code) return code;
    code = history_make(&l, &q, e);
    if (!code) code = html_write_history(&l, page, e);
    lab_close(&l);
    return code ? code : site_add_page(s, file, "Over time", e);
}

static int site_fill(struct site *s, const struct strings *words, const struct strings *places,
                     double bar, struct error *e)
{
    struct lab_db all;
    int archives = 0, code = db_read(&all, NULL, 0, e);
    if (code) return code;
    for (size_t i = 0; i < places->count && !code; i++) {
        run_place_note(places->items[i]);
        code = site_add_place(s, places->items[i], bar, &all, e);
    }
    if (!code && places->count > 1)
        code = site_compare(s, places, bar, &all, e);
    else
        lab_close(&all);
    for (size_t i = 0; i < words->count && !code; i++)
        code = add_history(s, words->items[i], &archives, e);
    return code;
}

int cmd_site(const struct options *o, struct error *e)
{
    struct strings given = {.count = 0}, words;
    struct report_runs runs;
    struct site s;
    char folder[1024];
    if (o->positional.count < 2)
        return fail(e, EXIT_USAGE,
                    "site: name a folder to write, then results: ulplab site site results/*");
    for (size_t i = 1; i < o->positional.count; i++)
        given.items[given.count++] = o->positional.items[i];
    int code = folder_word("site", o->positional.items[0], folder, sizeof folder, e);
    if (!code) code = keep_result_folders("site", false, &given, &words, e);
    if (code) return code;
    code = report_runs_find(&words, &runs, e);
    if (!code) code = site_begin(&s, folder, e);
    if (!code) {
        code =
            site_fill(&s, &words, &runs.words, o->max_ulp.given ? o->max_ulp.value : advice_bar, e);
        code = site_end(&s, code, e);
    }
    if (!code) printf("%s/index.html\n", folder);
    report_runs_free(&runs);
    return code;
}
