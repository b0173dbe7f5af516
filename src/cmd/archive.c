// SPDX-License-Identifier: MIT
/* archive list, show and export: the runs of an archive. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common.h"
#include "model/record.h"
#include "publish/archive/archive.h"
#include "publish/db/db.h"
#include "publish/render/rows.h"
#include "publish/sql/sql.h"

/* ---- archive add ---------------------------------------------------------------------------- */

enum { THREADS_MAX = 5 }; /* one of an earlier version takes 340 MB: all of them less than 2 GB */

/* Adds the outcome of a folder to the rows, and prints it. */
static void archive_add_told(const struct options *o, const char *folder,
                             const struct archive_outcome *outcome, json_t *rows)
{
    static const char *const states[] = {
        [ADDED] = "added",
        [ADDED_ALREADY] = "is there already",
        [ADDED_ANEW] = "went on: replaced",
        [ADDED_OLDER] = "skipped: the archive has it with more records",
    };
    const char *state = states[outcome->state];
    json_array_append_new(rows, json_pack("{s:s, s:o, s:s, s:o, s:I, s:b, s:b}", "run",
                                          outcome->run, "folder", json_text(folder), "state", state,
                                          "machine", json_text(outcome->machine), "cells",
                                          (json_int_t)outcome->cells, "cut", outcome->cut,
                                          "misdated", outcome->misdated));
    if (o->json || o->quiet) return;
    printf("%s %s: %s, %zu cells, %s%s%s\n", outcome->run, state, outcome->machine, outcome->cells,
           folder, outcome->cut ? ": it did not end" : "",
           outcome->misdated ? ": its date lies in the future; the date of adding counts instead"
                             : "");
}

static int archive_add_threads(size_t folders)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t most = cores > THREADS_MAX ? THREADS_MAX : cores > 1 ? (size_t)cores : 1;
    return (int)(most < folders ? most : folders);
}

/* An error names a folder, whose name may be no UTF-8: bytes that are not ASCII are then replaced.
 */
static void archive_add_readable(struct error *e)
{
    json_t *readable = json_string(e->text);
    for (char *c = e->text; !readable && *c; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    json_decref(readable);
}

/* Adds the folders, each completely or not at all, by several threads, because reading and packing
 * take long; one thread writes at a time. Outcomes come in the folders' order. Stops at the first
 * folder, in this order, that fails; some later ones may have been added by then. */
static int archive_add_all(const struct options *o, json_t *rows, struct error *e)
{
    const size_t count = o->positional.count;
    int code = 0;
#pragma omp parallel num_threads(archive_add_threads(count))
    {
        struct lab_db l;
        struct error own = {""};
        const int opened = db_open(&l, o->to, LAB_WRITE, &own);
#pragma omp for ordered schedule(static, 1)
        for (size_t i = 0; i < count; i++) {
            struct archive_outcome outcome;
            int ended;
#pragma omp atomic read
            ended = code;
            if (!ended) ended = opened;
            if (!ended) ended = archive_add(&l, o->positional.items[i], &outcome, &own);
#pragma omp ordered
            if (!code && ended) {
                *e = own;
#pragma omp atomic write
                code = ended;
            } else if (!code) {
                archive_add_told(o, o->positional.items[i], &outcome, rows);
            }
        }
        if (!opened) lab_close(&l);
    }
    if (code) archive_add_readable(e);
    return code;
}

/* Lists the words after "add" that name results. The archive itself may be among them. */
static int name_folders(const struct options *o, struct strings *folders, struct error *e)
{
    struct strings words = {.count = 0};
    for (size_t i = 1; i < o->positional.count; i++)
        if (strcmp(o->positional.items[i], o->to) != 0)
            words.items[words.count++] = o->positional.items[i];
    if (!words.count) return fail(e, EXIT_USAGE, "archive add: no folder; name folders of results");
    return keep_result_folders("archive add", false, &words, folders, e);
}

static int archive_add_folders(const struct options *o, struct error *e)
{
    struct lab_db l;
    struct options found = *o;
    if (!o->to)
        return fail(e, EXIT_USAGE, "archive add: --to: missing; name an archive: --to lab.db");
    int code = name_folders(o, &found.positional, e);
    if (!code) code = db_open(&l, o->to, LAB_WRITE, e); /* makes it */
    if (code) return code;
    lab_close(&l);
    json_t *rows = json_array();
    code = archive_add_all(&found, rows, e);
    if (!code && o->json)
        return record_print(json_pack("{s:i, s:o}", "schema", 1, "runs", rows), e);
    json_decref(rows);
    return code;
}

/* ---- list, show, export ---------------------------------------------------------------------- */

static int archive_list(const struct options *o, const struct lab_db *l, int64_t run,
                        struct error *e)
{
    (void)run;
    return print_query(o, l, sql_archive_list, sql_archive_text, e);
}

static void write_shown(const json_t *run)
{
    const char *key;
    const json_t *file;
    json_t *value;
    size_t i;
    json_object_foreach((json_t *)(uintptr_t)run, key, value)
    {
        if (json_is_string(value)) printf("%-14s %s\n", key, json_string_value(value));
        if (json_is_integer(value))
            printf("%-14s %lld\n", key, (long long)json_integer_value(value));
        if (json_is_true(value)) printf("%-14s yes\n", key);
    }
    json_array_foreach(json_object_get(run, "files"), i, file)
        printf("%-14s %s, %.0f bytes\n", i ? "" : "files", record_text(file, "name"),
               record_number(file, "bytes"));
}

static int archive_show(const struct options *o, const struct lab_db *l, int64_t run,
                        struct error *e)
{
    json_t *document = rows_document(l, sql_archive_show, e);
    (void)run;
    if (!document) return EXIT_BAD_INPUT;
    if (o->json) return record_print(document, e);
    write_shown(json_object_get(document, "run"));
    json_decref(document);
    return 0;
}

static int archive_export_run(const struct options *o, const struct lab_db *l, int64_t run,
                              struct error *e)
{
    const int code = archive_export(l, run, o->positional.items[2], e);
    if (!code && !o->quiet) puts(o->positional.items[2]);
    return code;
}

/* The actions on the runs that a word names, or on the single run that it must name. */
static const struct archive_action {
    const char *name;
    size_t words;
    const char *wanted;
    bool of_one;
    int (*act)(const struct options *, const struct lab_db *, int64_t run, struct error *);
} actions[] = {
    {"list", 1, "one archive, such as lab.db:machine=amd", false, archive_list},
    {"show", 1, "one run, such as lab.db:latest", true, archive_show},
    {"export", 2, "a run and a folder: lab.db:latest results/again", true, archive_export_run},
};

static int archive_act(const struct options *o, const struct archive_action *a, struct error *e)
{
    struct lab_db l;
    char path[1024];
    const char *selector;
    int64_t run = 0;
    if (o->positional.count != 1 + a->words)
        return fail(e, EXIT_USAGE, "archive %s: name %s", a->name, a->wanted);
    if (!lab_is_place(o->positional.items[1], path, sizeof path, &selector))
        return fail(e, EXIT_USAGE, "archive: %s: no archive; name a file that ends with .db",
                    o->positional.items[1]);
    int code = db_open(&l, path, LAB_READ, e);
    if (code) return code;
    if (a->of_one) code = lab_select_one(&l, selector, &run, e);
    if (!code) code = archive_choose(&l, selector, e);
    if (!code) code = a->act(o, &l, run, e);
    lab_close(&l);
    return code;
}

int cmd_archive(const struct options *o, struct error *e)
{
    const char *what = o->positional.count ? o->positional.items[0] : "";
    if (!strcmp(what, "add")) return archive_add_folders(o, e);
    if (o->to)
        return fail(e, EXIT_USAGE, "archive %s: --to: only 'archive add' takes it; leave it out",
                    what);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(actions[i].name, what)) return archive_act(o, &actions[i], e);
    return fail(e, EXIT_USAGE,
                "archive: '%s': not add, list, show or export; see 'ulplab archive --help'", what);
}
