// SPDX-License-Identifier: MIT
/* archive list, show and export: the runs of an archive. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "cmd/commands.h"
#include "cmd/common.h"
#include "model/record.h"
#include "publish/archive/archive.h"
#include "publish/db/db.h"
#include "publish/render/rows.h"
#include "publish/sql/sql.h"

/* Opens the archive of a word PLACE.db[:SELECTOR] and returns its selector. */
static int open_place(const char *word, struct lab_db *l, const char **selector, struct error *e)
{
    char path[1024];
    if (!lab_is_place(word, path, sizeof path, selector))
        return fail(e, EXIT_USAGE, "archive: %s: no archive; name a file that ends with .db", word);
    return db_open(l, path, LAB_READ, e);
}

/* ---- archive add ---------------------------------------------------------------------------- */

enum { WORKERS_MAX = 5 }; /* one of an earlier version takes 340 MB: all of them less than 2 GB */

static const char *state_text(enum archive_added state)
{
    static const char *const texts[] = {
        [ADDED] = "added",
        [ADDED_ALREADY] = "is there already",
        [ADDED_ANEW] = "went on: replaced",
        [ADDED_OLDER] = "is there with more records: left",
    };
    return texts[state];
}

/* ---- Workers: worker w of `count` adds folders w, w + count and so on ------------------------ */

struct worker {
    pid_t pid;
    FILE *lines; /* a JSON document for each of its folders, in order */
};

/* Returns a failure as JSON. Its text names a folder, whose name may be no UTF-8: bytes that are
 * not ASCII are then replaced. */
static json_t *failure(int code, struct error *e)
{
    json_t *text = json_string(e->text);
    for (char *c = e->text; !text && *c; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    return json_pack("{s:i, s:o}", "code", code, "text", text ? text : json_string(e->text));
}

/* Returns the outcome of a folder: a row of the output, or {code, text} of an error. */
static json_t *add_one(const struct lab_db *l, const char *folder)
{
    struct archive_outcome outcome;
    struct error e = {""};
    const int code = archive_add(l, folder, &outcome, &e);
    if (code) return failure(code, &e);
    return json_pack("{s:s, s:o, s:s, s:o, s:I, s:b, s:b}", "run", outcome.run, "folder",
                     json_text(folder), "state", state_text(outcome.state), "machine",
                     json_text(outcome.machine), "cells", (json_int_t)outcome.cells, "cut",
                     outcome.cut, "misdated", outcome.misdated);
}

/* Adds a worker's folders. If a line cannot be written, the reader has ended, because an earlier
 * folder failed. */
static void archive_add_work(const struct options *o, size_t worker, size_t count, FILE *out)
{
    struct lab_db l;
    struct error e = {""};
    const int code = db_open(&l, o->to, LAB_WRITE, &e);
    if (code) record_write(out, failure(code, &e));
    for (size_t i = worker; !code && i < o->positional.count; i += count) {
        json_t *row = add_one(&l, o->positional.items[i]);
        const bool last =
            record_write(out, row) != 0 || fflush(out) != 0 || json_object_get(row, "code") != NULL;
        json_decref(row);
        if (last) break;
    }
    fflush(out);
    if (!code) lab_close(&l);
}

static int archive_add_start(const struct options *o, struct worker *workers, size_t worker,
                             size_t count, struct error *e)
{
    int ends[2];
    if (!process_pipe(ends)) return fail(e, EXIT_PARTIAL, "archive add: no pipe; try again");
    fflush(stdout);
    workers[worker].pid = process_fork();
    if (!workers[worker].pid) {
        for (size_t i = 0; i < worker; i++) fclose(workers[i].lines);
        close(ends[0]);
        FILE *out = fdopen(ends[1], "w");
        if (out) archive_add_work(o, worker, count, out);
        _exit(0);
    }
    close(ends[1]);
    if (workers[worker].pid > 0) workers[worker].lines = fdopen(ends[0], "r");
    if (!workers[worker].lines) {
        close(ends[0]);
        return fail(e, EXIT_PARTIAL, "archive add: no process; try again");
    }
    return 0;
}

/* Takes a line from the worker of each folder by turns, so that rows come in the folders' order. */
static int archive_add_collect(const struct options *o, struct worker *workers, size_t count,
                               json_t *rows, struct error *e)
{
    char *line = NULL;
    size_t room = 0;
    int code = 0;
    for (size_t i = 0; i < o->positional.count && !code; i++) {
        const bool read = getline(&line, &room, workers[i % count].lines) > 0;
        json_t *row = read ? json_loads(line, 0, NULL) : NULL;
        const json_t *failed = json_object_get(row, "code");
        if (!row)
            code = fail(e, EXIT_PARTIAL,
                        "archive add: %s: its process died; free some memory, and add it again",
                        o->positional.items[i]);
        else if (failed)
            code = fail(e, (int)json_integer_value(failed), "%s", record_text(row, "text"));
        else if (!o->json && !o->quiet)
            printf("%s %s: %s, %.0f cells, %s%s%s\n", record_text(row, "run"),
                   record_text(row, "state"), record_text(row, "machine"),
                   record_number(row, "cells"), o->positional.items[i],
                   json_is_true(json_object_get(row, "cut")) ? ": it did not end" : "",
                   json_is_true(json_object_get(row, "misdated"))
                       ? ": its date is to come; it counts as of when it was added"
                       : "");
        if (row && !failed) json_array_append(rows, row);
        json_decref(row);
    }
    free(line);
    return code;
}

static size_t workers_for(size_t folders)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = cores > 1 ? (size_t)cores : 1;
    if (count > WORKERS_MAX) count = WORKERS_MAX;
    return count < folders ? count : folders;
}

static int archive_add_all(const struct options *o, json_t *rows, struct error *e)
{
    struct worker workers[WORKERS_MAX] = {{0, NULL}};
    const size_t count = workers_for(o->positional.count);
    int code = 0;
    for (size_t w = 0; !code && w < count; w++) code = archive_add_start(o, workers, w, count, e);
    if (!code) code = archive_add_collect(o, workers, count, rows, e);
    for (size_t w = 0; w < count; w++) {
        if (workers[w].lines) fclose(workers[w].lines);
        if (workers[w].pid > 0) waitpid(workers[w].pid, NULL, 0);
    }
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

/* Adds the folders, each as a whole or not at all, in several processes: reading and packing them
 * takes long, and one at a time writes. Stops at the first, in their order, that fails; of those
 * after it some may be there by then. */
static int archive_add_folders(const struct options *o, struct error *e)
{
    struct lab_db l;
    struct options found = *o;
    if (!o->to)
        return fail(e, EXIT_USAGE, "archive add: --to: missing; say which archive: --to lab.db");
    int code = name_folders(o, &found.positional, e);
    if (!code)
        code = db_open(&l, o->to, LAB_WRITE, e); /* makes it; a connection survives no fork */
    if (code) return code;
    lab_close(&l);
    json_t *rows = json_array();
    code = archive_add_all(&found, rows, e);
    if (!code && o->json)
        return record_print(json_pack("{s:i, s:o}", "schema", 1, "runs", rows), e);
    json_decref(rows);
    return code;
}

/* ---- list, show ------------------------------------------------------------------------------ */

static int list(const struct options *o, struct error *e)
{
    struct lab_db l;
    const char *selector;
    if (o->positional.count != 2)
        return fail(e, EXIT_USAGE, "archive list: name one archive, such as lab.db:machine=amd");
    int code = open_place(o->positional.items[1], &l, &selector, e);
    if (code) return code;
    code = archive_choose(&l, selector, e);
    if (!code) code = print_query(o, &l, sql_archive_list, sql_archive_text, e);
    lab_close(&l);
    return code;
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

static int archive_show(const struct options *o, struct error *e)
{
    struct lab_db l;
    const char *selector;
    int64_t run;
    if (o->positional.count != 2)
        return fail(e, EXIT_USAGE, "archive show: name one run, such as lab.db:latest");
    int code = open_place(o->positional.items[1], &l, &selector, e);
    if (code) return code;
    code = lab_select_one(&l, selector, &run, e);
    if (!code) code = archive_choose(&l, selector, e);
    json_t *document = code ? NULL : rows_document(&l, sql_archive_show, e);
    lab_close(&l);
    if (!document) return code ? code : EXIT_BAD_INPUT;
    if (o->json) return record_print(document, e);
    write_shown(json_object_get(document, "run"));
    json_decref(document);
    return 0;
}

/* ---- export ---------------------------------------------------------------------------------- */

static int export_run(const struct options *o, struct error *e)
{
    struct lab_db l;
    const char *selector;
    int64_t run;
    if (o->positional.count != 3)
        return fail(e, EXIT_USAGE,
                    "archive export: name a run and a folder: lab.db:latest results/again");
    int code = open_place(o->positional.items[1], &l, &selector, e);
    if (code) return code;
    code = lab_select_one(&l, selector, &run, e);
    if (!code) code = archive_export(&l, run, o->positional.items[2], e);
    lab_close(&l);
    if (!code && !o->quiet) puts(o->positional.items[2]);
    return code;
}

int cmd_archive(const struct options *o, struct error *e)
{
    static const struct {
        const char *name;
        int (*run)(const struct options *, struct error *);
    } actions[] = {{"add", archive_add_folders},
                   {"list", list},
                   {"show", archive_show},
                   {"export", export_run}};
    const char *what = o->positional.count ? o->positional.items[0] : "";
    if (o->to && strcmp(what, "add") != 0)
        return fail(e, EXIT_USAGE, "archive %s: --to: 'archive add' has it; leave it out", what);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(actions[i].name, what)) return actions[i].run(o, e);
    return fail(e, EXIT_USAGE,
                "archive: '%s': none of add, list, show, export; see 'ulplab archive --help'",
                what);
}
