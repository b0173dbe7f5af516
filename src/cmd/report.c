// SPDX-License-Identifier: MIT
/* report: pages of a run, or of several machines side by side. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cmd/common.h"
#include "cmd/run_place.h"
#include "model/lab_db.h"
#include "model/record.h"
#include "model/record_scan.h"
#include "publish/archive/archive.h"
#include "publish/db/columns.h"
#include "publish/db/db.h"
#include "publish/sections/report.h"
#include "publish/site/site.h"
#include "publish/site/machines.h"

static double bar_of(const struct options *o)
{
    return o->max_ulp.given ? o->max_ulp.value : advice_bar;
}

/* A run of an archive has no folder to write into: it is written out into --out first. */
static int write_out_run(const struct options *o, const char *word, char *folder, size_t size,
                         struct error *e)
{
    struct lab_db l;
    int64_t run;
    char path[1024];
    const char *selector;
    if (!o->out)
        return fail(e, EXIT_USAGE,
                    "report: %s: a run of an archive; name a folder for the report with --out",
                    word);
    int code = folder_word("--out", o->out, folder, size, e);
    if (code) return code;
    lab_is_place(word, path, sizeof path, &selector);
    code = db_open(&l, path, LAB_READ, e);
    if (code) return code;
    code = lab_select_one(&l, selector, &run, e);
    if (!code && !record_is_folder(folder)) code = archive_export(&l, run, folder, e);
    lab_close(&l);
    return code;
}

/* The folder of the i-th report; *skip: it has no separate report, being one of several runs of an
 * archive. */
static int folder_of(const struct options *o, size_t i, char *folder, size_t size, bool *skip,
                     struct error *e)
{
    *skip = false;
    if (!o->positional.count) return results_to_read(o, folder, size, e);
    const char *word = o->positional.items[i];
    int code = folder_word("report", word, folder, size, e);
    if (code || !lab_is_place(word, NULL, 0, NULL)) return code;
    *skip = o->positional.count > 1;
    return *skip ? 0 : write_out_run(o, word, folder, size, e);
}

/* --filter is for the page of several machines. */
static int report_check_options(const struct options *o, struct error *e)
{
    if (o->positional.count > 1 || !o->filters.count) return 0;
    return fail(e, EXIT_USAGE,
                "report: --filter: a report of one machine has all its variants; leave the filter "
                "out");
}

/* ---- Where a report goes --------------------------------------------------------------------- */

static struct slice report_last_part(const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/') begin--;
    return (struct slice){path + begin, end - begin};
}

/* The place of reports of several folders without --out: not in the folders that were read. */
static const char together[] = "results/local/together";

/* Each of several folders has a folder in --out: with its name, and a number if another one has the
 * same name. */
static void name_within(const struct options *o, size_t i, char *into, size_t size)
{
    const struct slice name = report_last_part(o->positional.items[i]);
    size_t before = 0;
    for (size_t k = 0; k < i; k++)
        before += slice_same(report_last_part(o->positional.items[k]), name);
    const int length = snprintf(into, size, "%s/%.*s", o->out, (int)name.size, name.at);
    if (before && (size_t)length < size)
        snprintf(into + length, size - (size_t)length, "-%zu", before + 1);
}

/* Without --out a report goes into the one folder that was named. If none was, published results
 * are not changed. */
static int choose_into(const struct options *o, size_t i, const char *folder, char *into,
                       size_t size, struct error *e)
{
    if (o->out && o->positional.count > 1)
        name_within(o, i, into, size);
    else if (!o->out && !o->positional.count)
        return results_folder(o, into, size, e);
    else
        snprintf(into, size, "%s", o->out ? o->out : folder);
    return 0;
}

/* all: also receives the records; NULL: not needed. */
static int write_report(bool html, const char *folder, const char *into, double bar,
                        const struct lab_db *all, struct error *e)
{
    struct report r;
    char path[1100];
    int code = report_open(folder, bar, &r, e);
    if (code) return code;
    code = html ? html_write(&r, into, path, sizeof path, e)
                : report_write(&r, into, path, sizeof path, e);
    if (!code) puts(path);
    if (!code && all) code = db_copy(all, &r.db, e);
    lab_close(&r.db);
    return code;
}

static int report_add_place(const struct lab_db *all, const char *place, struct error *e)
{
    struct lab_db one;
    int code = db_read(&one, &place, 1, e);
    if (code) return code;
    code = db_copy(all, &one, e);
    lab_close(&one);
    return code;
}

static int write_reports(const struct options *o, bool html, const struct lab_db *all,
                         struct error *e)
{
    char folder[1024], into[1024];
    int code = report_check_options(o, e);
    for (size_t i = 0; !code && (i < o->positional.count || i == 0); i++) {
        bool skip;
        code = folder_of(o, i, folder, sizeof folder, &skip, e);
        if (!code && skip && all) code = report_add_place(all, folder, e);
        if (code || skip) continue;
        if (!o->quiet) run_place_note(folder);
        code = choose_into(o, i, folder, into, sizeof into, e);
        if (!code) code = folder_make(into, e);
        if (!code) code = write_report(html, folder, into, bar_of(o), all, e);
    }
    return code;
}

/* ---- Several machines ------------------------------------------------------------------------ */

/* For several words, and for an archive, writes the common page in every requested format. loaded:
 * as in a machines_request. */
static int write_together(const struct options *o, bool html, struct lab_db *loaded,
                          struct error *e)
{
    char path[1100];
    struct machines m;
    const char *folder = o->out ? o->out : together;
    const struct machines_request q = {o->positional.items, o->positional.count, o->filters.items,
                                       o->filters.count,    bar_of(o),           loaded};
    int code = folder_make(folder, e);
    if (!code) code = machines_open(&q, &m, e);
    if (code) return code;
    for (int page = html; !code && page >= 0; page--) {
        snprintf(path, sizeof path, "%s/performance.%s", folder, page ? "html" : "md");
        code = page ? machines_write_page(&m, path, e) : machines_write_text(&m, path, e);
        if (!code) puts(path);
    }
    lab_close(&m.l);
    return code;
}

int cmd_report(const struct options *o, struct error *e)
{
    const bool html = o->format && !strcmp(o->format, "html");
    size_t machines = 1;
    struct report_runs runs;
    struct options found = *o;
    int code = keep_result_folders("report", false, &o->positional, &found.positional, e);
    if (!code && found.positional.count == 1)
        code = machines_count(found.positional.items[0], &machines, e);
    if (code) return code;
    if (machines > 1) return write_together(&found, html, NULL, e);
    code = report_runs_find(&found.positional, &runs, e);
    found.positional = runs.words;
    const bool several = found.positional.count > 1;
    struct lab_db all = {0};
    if (several && !found.out) found.out = together;
    if (!code && several) code = db_read(&all, NULL, 0, e);
    if (!code) code = write_reports(&found, html, several ? &all : NULL, e);
    if (!code && several)
        code = write_together(&found, html, &all, e);
    else
        lab_close(&all);
    report_runs_free(&runs);
    return code;
}

/* ---- Runs of archives ----------------------------------------------------------------------- */

/* Adds a word, and takes it over. */
static int report_runs_add_word(struct report_runs *r, char *word, struct error *e)
{
    if (r->words.count < LIST_MAX) {
        r->words.items[r->words.count++] = word;
        return 0;
    }
    const int code =
        fail(e, EXIT_USAGE, "report: %s: more than %d runs; choose fewer", word, LIST_MAX);
    free(word);
    return code;
}

/* Adds the newest run of each machine that the word names, the oldest first. A word for one
 * machine, or none, is kept. */
static int report_runs_add_place(struct report_runs *r, const char *word, const char *path,
                                 const char *selector, struct error *e)
{
    static const char newest[] =
        "SELECT ? || ':run=' || run FROM (SELECT run, max(place) AS place, count(*) OVER () AS "
        "machines FROM temp.chosen_runs GROUP BY machine) WHERE machines > 1 "
        "ORDER BY place";
    struct lab_db l;
    sqlite3_stmt *s = NULL;
    const size_t before = r->words.count;
    int code = db_open(&l, path, LAB_READ, e);
    if (code) return code;
    code = archive_choose(&l, selector, e);
    if (!code) code = lab_prepare(&l, newest, &s, e);
    if (!code) lab_bind(s, "t", path);
    while (!code && sqlite3_step(s) == SQLITE_ROW)
        code = report_runs_add_word(r, memory_copy(column_text(s, 0)), e);
    sqlite3_finalize(s);
    lab_close(&l);
    return !code && r->words.count == before ? report_runs_add_word(r, memory_copy(word), e) : code;
}

int report_runs_find(const struct strings *given, struct report_runs *r, struct error *e)
{
    *r = (struct report_runs){.words = {.count = 0}};
    int code = 0;
    for (size_t i = 0; !code && i < given->count; i++) {
        char path[1024];
        const char *selector, *word = given->items[i];
        code = lab_is_place(word, path, sizeof path, &selector)
                   ? report_runs_add_place(r, word, path, selector, e)
                   : report_runs_add_word(r, memory_copy(word), e);
    }
    return code;
}

void report_runs_free(struct report_runs *r)
{
    for (size_t i = 0; i < r->words.count; i++) free((char *)(uintptr_t)r->words.items[i]);
    r->words.count = 0;
}
