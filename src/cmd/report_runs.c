// SPDX-License-Identifier: MIT
#include "cmd/report_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/db/db.h"

static int add_word(struct report_runs *r, const char *word, struct error *e)
{
    if (r->words.count == LIST_MAX)
        return fail(e, EXIT_USAGE, "report: %s: more than %d runs; choose fewer", word, LIST_MAX);
    r->words.items[r->words.count++] = word;
    return 0;
}

static int report_runs_add_run(struct report_runs *r, const char *path, const char *run,
                               struct error *e)
{
    char *text;
    if (r->text_count == LIST_MAX)
        return fail(e, EXIT_USAGE, "report: %s: more than %d machines; choose some", path,
                    LIST_MAX);
    if (asprintf(&text, "%s:run=%s", path, run) < 0)
        return fail(e, EXIT_PARTIAL, "report: out of memory; free some");
    r->texts[r->text_count++] = text;
    return add_word(r, text, e);
}

struct run {
    int64_t machine;
    char name[120];
};

/* The runs' machines and identities. */
static int read_runs(const struct lab_db *l, const int64_t *ids, size_t count, struct run *runs,
                     struct error *e)
{
    sqlite3_stmt *s;
    int code = lab_prepare(l, "SELECT machine, run FROM runs WHERE id = ?", &s, e);
    for (size_t i = 0; !code && i < count; i++) {
        lab_bind(s, "i", ids[i]);
        if (sqlite3_step(s) != SQLITE_ROW) {
            code = lab_failed(l, e);
            break;
        }
        runs[i].machine = sqlite3_column_int64(s, 0);
        snprintf(runs[i].name, sizeof runs[i].name, "%s", (const char *)sqlite3_column_text(s, 1));
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    return code;
}

/* Returns whether there is no later run of its machine; the oldest run comes first. */
static bool is_newest(const struct run *runs, size_t count, size_t i)
{
    for (size_t k = i + 1; k < count; k++)
        if (runs[k].machine == runs[i].machine) return false;
    return true;
}

/* One machine alone stays as the word that was given. */
static int add_newest(struct report_runs *r, const char *word, const char *path,
                      const struct run *runs, size_t count, struct error *e)
{
    bool several = false;
    for (size_t i = 1; i < count; i++) several |= runs[i].machine != runs[0].machine;
    if (!several) return add_word(r, word, e);
    int code = 0;
    for (size_t i = 0; !code && i < count; i++)
        if (is_newest(runs, count, i)) code = report_runs_add_run(r, path, runs[i].name, e);
    return code;
}

static int report_runs_add_place(struct report_runs *r, const char *word, const char *path,
                                 const char *selector, struct error *e)
{
    struct lab_db l;
    int64_t *ids = NULL;
    size_t count = 0;
    int code = db_open(&l, path, LAB_READ, e);
    if (code) return code;
    code = lab_select(&l, selector, &ids, &count, e);
    struct run *runs = memory_zeroed(count + 1, sizeof *runs);
    if (!code) code = read_runs(&l, ids, count, runs, e);
    if (!code) code = add_newest(r, word, path, runs, count, e);
    free(runs);
    free(ids);
    lab_close(&l);
    return code;
}

int report_runs_find(const struct strings *given, struct report_runs *r, struct error *e)
{
    *r = (struct report_runs){.text_count = 0};
    int code = 0;
    for (size_t i = 0; !code && i < given->count; i++) {
        char path[1024];
        const char *selector, *word = given->items[i];
        code = lab_is_place(word, path, sizeof path, &selector)
                   ? report_runs_add_place(r, word, path, selector, e)
                   : add_word(r, word, e);
    }
    return code;
}

void report_runs_free(struct report_runs *r)
{
    for (size_t i = 0; i < r->text_count; i++) free(r->texts[i]);
    *r = (struct report_runs){.text_count = 0};
}
