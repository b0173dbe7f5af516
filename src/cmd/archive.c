// SPDX-License-Identifier: MIT
/* archive list, show and export: the runs of an archive. */
#include <stdio.h>
#include <string.h>

#include "cmd/archive_add.h"
#include "cmd/commands.h"
#include "cmd/common.h"
#include "model/record.h"
#include "publish/db/db.h"
#include "publish/archive/archive.h"
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
