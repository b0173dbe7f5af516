// SPDX-License-Identifier: MIT
/* A run of an archive as a folder of results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "model/record.h"
#include "publish/archive/archive.h"
#include "publish/db/columns.h"
#include "publish/db/files.h"

/* The run's records are given their identity again. */
static int write_file(const struct lab_db *l, int64_t run, const json_t *machine,
                      const char *folder, const char *name, struct error *e)
{
    char path[1200], *text;
    size_t size;
    if (!kept_file_name_is_safe(name))
        return fail(e, EXIT_BAD_INPUT, "archive: %s: a file named '%s'; restore the archive",
                    l->path, name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int code = lab_read(l, run, name, &text, &size, e);
    if (!code && text && record_run_writes(name) && *record_run_of(machine)) {
        char *plain = text;
        text = record_run_stamp_text(record_run_of(machine), plain, size, &size);
        free(plain);
    }
    if (!code && text) code = file_write_atomic(path, text, size, e);
    free(text);
    return code;
}

/* machine.json comes last: a folder without it is no folder of results. */
static int write_files(const struct lab_db *l, int64_t run, const json_t *machine,
                       const char *folder, struct error *e)
{
    sqlite3_stmt *s;
    char inner[1100];
    snprintf(inner, sizeof inner, "%s/adversarial", folder);
    int code = lab_prepare(
        l, "SELECT name FROM files WHERE run = ? ORDER BY name = 'machine.json', name", &s, e);
    if (code) return code;
    lab_bind(s, "i", run);
    int state = SQLITE_DONE;
    while (!code && (state = sqlite3_step(s)) == SQLITE_ROW) {
        const char *name = column_text(s, 0);
        if (strchr(name, '/')) code = folder_make(inner, e);
        if (!code) code = write_file(l, run, machine, folder, name, e);
    }
    if (!code && state != SQLITE_DONE) code = lab_failed(l, e);
    sqlite3_finalize(s);
    return code;
}

static int read_machine(const struct lab_db *l, int64_t run, json_t **machine, struct error *e)
{
    char *text;
    size_t size;
    int code = lab_read(l, run, "machine.json", &text, &size, e);
    if (!code) code = record_parse_machine(l->path, text, size, "no machine.json", machine, e);
    free(text);
    return code;
}

int archive_export(const struct lab_db *l, int64_t run, const char *folder, struct error *e)
{
    json_t *machine = NULL;
    if (record_is_folder(folder))
        return fail(e, EXIT_BAD_INPUT, "archive: %s: it holds results; name an empty folder",
                    folder);
    int code = folder_make(folder, e);
    if (!code) code = read_machine(l, run, &machine, e);
    if (!code) code = write_files(l, run, machine, folder, e);
    json_decref(machine);
    return code;
}
