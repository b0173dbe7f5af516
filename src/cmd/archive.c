// SPDX-License-Identifier: MIT
/* archive list, show and export: the runs of an archive. */
#include <stdio.h>
#include <string.h>

#include "cmd/archive_add.h"
#include "cmd/commands.h"
#include "model/date.h"
#include "model/record.h"
#include "publish/db/db.h"
#include "publish/archive/archive.h"
#include "publish/render/table.h"

/* Opens the archive of a word PLACE.db[:SELECTOR] and returns its selector. */
static int open_place(const char *word, struct lab_db *l, const char **selector, struct error *e)
{
    char path[1024];
    if (!lab_is_place(word, path, sizeof path, selector))
        return fail(e, EXIT_USAGE, "archive: %s: no archive; name a file that ends with .db", word);
    return db_open(l, path, LAB_READ, e);
}

/* ---- list, show ------------------------------------------------------------------------------ */

static void write_list(const json_t *rows)
{
    static const struct column columns[] = {
        {"run", false, 0},  {"machine", false, 0}, {"commit", false, 0},    {"started", false, 0},
        {"mode", false, 0}, {"cells", true, 0},    {"records, MB", true, 0}};
    struct table table;
    const json_t *row;
    size_t i;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    json_array_foreach(rows, i, row)
    {
        char cells[24], bytes[24];
        snprintf(cells, sizeof cells, "%.0f", record_number(row, "cells"));
        snprintf(bytes, sizeof bytes, "%.1f", 1e-6 * record_number(row, "bytes"));
        table_add(&table, TINT_NONE,
                  (const char *const[]){record_text(row, "run"), record_text(row, "machine"),
                                        record_text(row, "commit"),
                                        date_text(record_text(row, "started")),
                                        record_text(row, "mode"), cells, bytes});
    }
    table_end(&table, stdout, terminal_of(stdout));
}

static int list(const struct options *o, struct error *e)
{
    struct lab_db l;
    const char *selector;
    json_t *rows;
    if (o->positional.count != 2)
        return fail(e, EXIT_USAGE, "archive list: name one archive, such as lab.db:machine=amd");
    int code = open_place(o->positional.items[1], &l, &selector, e);
    if (code) return code;
    code = archive_list(&l, selector, &rows, e);
    lab_close(&l);
    if (code) return code;
    if (o->json) return record_print(json_pack("{s:i, s:o}", "schema", 1, "runs", rows), e);
    write_list(rows);
    json_decref(rows);
    return 0;
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
    }
    json_array_foreach(json_object_get(run, "files"), i, file)
        printf("%-14s %s, %.0f bytes\n", i ? "" : "files", record_text(file, "name"),
               record_number(file, "bytes"));
}

/* Opens the archive of a word and finds the one run that it names. */
static int open_run(const char *word, struct lab_db *l, int64_t *run, struct error *e)
{
    const char *selector;
    int code = open_place(word, l, &selector, e);
    if (code) return code;
    code = lab_select_one(l, selector, run, e);
    if (code) lab_close(l);
    return code;
}

static int show(const struct options *o, struct error *e)
{
    struct lab_db l;
    int64_t run;
    json_t *document;
    if (o->positional.count != 2)
        return fail(e, EXIT_USAGE, "archive show: name one run, such as lab.db:latest");
    int code = open_run(o->positional.items[1], &l, &run, e);
    if (code) return code;
    code = archive_show(&l, run, &document, e);
    lab_close(&l);
    if (code) return code;
    if (o->json) return record_print(json_pack("{s:i, s:o}", "schema", 1, "run", document), e);
    write_shown(document);
    json_decref(document);
    return 0;
}

/* ---- export ---------------------------------------------------------------------------------- */

static int export_run(const struct options *o, struct error *e)
{
    struct lab_db l;
    int64_t run;
    if (o->positional.count != 3)
        return fail(e, EXIT_USAGE,
                    "archive export: name a run and a folder: lab.db:latest results/again");
    int code = open_run(o->positional.items[1], &l, &run, e);
    if (code) return code;
    code = archive_export(&l, run, o->positional.items[2], e);
    lab_close(&l);
    if (!code && !o->quiet) puts(o->positional.items[2]);
    return code;
}

int cmd_archive(const struct options *o, struct error *e)
{
    static const struct {
        const char *name;
        int (*run)(const struct options *, struct error *);
    } actions[] = {
        {"add", archive_add_folders}, {"list", list}, {"show", show}, {"export", export_run}};
    const char *what = o->positional.count ? o->positional.items[0] : "";
    if (o->to && strcmp(what, "add") != 0)
        return fail(e, EXIT_USAGE, "archive %s: --to: 'archive add' has it; leave it out", what);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(actions[i].name, what)) return actions[i].run(o, e);
    return fail(e, EXIT_USAGE,
                "archive: '%s': none of add, list, show, export; see 'ulplab archive --help'",
                what);
}
