// SPDX-License-Identifier: MIT
/* The work that is done while the database is locked: adding the rows of a run. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/archive/addition.h"
#include "publish/db/load.h"

static const char cells_of_run[] = "(SELECT count(*) FROM cells WHERE cells.blob = runs.timing)";

int addition_find(struct addition *a, enum archive_added *state, struct error *e)
{
    sqlite3_stmt *s = NULL;
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT content, bytes, %s FROM runs WHERE run = ?", cells_of_run);
    int code = lab_prepare(a->l, sql, &s, e);
    if (code) return code;
    lab_bind(s, "t", a->id);
    *state = ADDED;
    if (sqlite3_step(s) == SQLITE_ROW) {
        const char *content = (const char *)sqlite3_column_text(s, 0);
        size_t bytes = (size_t)sqlite3_column_int64(s, 1);
        a->cells = (size_t)sqlite3_column_int64(s, 2);
        *state = content && !strcmp(content, a->files.content) ? ADDED_ALREADY
                 : bytes > a->files.bytes                      ? ADDED_OLDER
                                                               : ADDED_ANEW;
    }
    sqlite3_finalize(s);
    return 0;
}

static int remove_run(const struct addition *a, struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code = lab_prepare(a->l, "DELETE FROM runs WHERE run = ?", &s, e);
    if (!code) lab_bind(s, "t", a->id);
    if (!code) code = lab_step(a->l, s, e);
    sqlite3_finalize(s);
    return code
               ? code
               : lab_execute(a->l, "DELETE FROM blobs WHERE id NOT IN (SELECT blob FROM files)", e);
}

static int add_everything(struct addition *a, struct error *e)
{
    struct db_loader *loader = NULL;
    struct db_file *files = memory_zeroed(a->files.count, sizeof *files);
    char *machine = json_dumps(a->machine, JSON_COMPACT);
    int64_t run = 0;
    for (size_t i = 0; i < a->files.count; i++) {
        const struct kept_file *f = &a->files.items[i];
        files[i] = (struct db_file){f->name, f->text,           f->size,
                                    f->hash, a->packed[i].data, a->packed[i].bytes};
    }
    struct db_run of = {a->folder, machine, a->id, a->files.content, files, a->files.count, false};
    int code = db_loader_open(a->l, false, &loader, e);
    if (!code) code = db_load_run(loader, &of, &run, e);
    a->vanished = of.vanished;
    db_loader_close(loader);
    free(machine);
    free(files);
    return code;
}

int addition_insert(struct addition *a, enum archive_added *state, struct error *e)
{
    struct error ignored;
    enum archive_added now;
    int code = lab_execute(a->l, "BEGIN IMMEDIATE", e);
    if (code) return code;
    code = addition_find(a, state, e);
    const bool adds = *state == ADDED || *state == ADDED_ANEW;
    if (!code && *state == ADDED_ANEW) code = remove_run(a, e);
    if (!code && adds) code = add_everything(a, e);
    if (!code && adds) code = addition_find(a, &now, e);
    if (!code) code = lab_execute(a->l, "COMMIT", e);
    if (code) lab_execute(a->l, "ROLLBACK", &ignored);
    return code;
}
