// SPDX-License-Identifier: MIT
/* A folder of results into an archive. What takes long, reading and packing, is done before the
 * database is locked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/file.h"
#include "base/memory.h"
#include "model/record.h"
#include "publish/archive/archive.h"
#include "publish/db/columns.h"
#include "publish/db/files.h"
#include "publish/db/load.h"

/* zstd's level. At level 9 the times of a night, which are most of a run, take as much room, and
 * all the files of a run a sixth less, in eight times the time. */
enum { LEVEL = 1 };

struct addition {
    const struct lab_db *l;
    json_t *machine;
    struct kept_files kept;
    struct db_run run;
    struct archive_outcome *outcome;
};

/* ---- Before the lock ------------------------------------------------------------------------- */

/* A run's identity is its `run`; for runs of an older ulplab it is a hash of the content. */
static int read_folder(struct addition *a, const char *folder, struct error *e)
{
    int code = record_read_machine(folder, &a->machine, e);
    if (!code) code = kept_files_read(folder, record_run_of(a->machine), KEPT_ALL, &a->kept, e);
    if (!code && a->kept.count < 2)
        code = fail(e, EXIT_BAD_INPUT, "archive: %s: no records; run 'ulplab run' first", folder);
    if (code) return code;
    const char *said = record_text(a->machine, "run"), *content = a->kept.content;
    struct archive_outcome *o = a->outcome;
    o->cut = record_run_is_cut(a->machine);
    snprintf(o->run, sizeof o->run, "%.16s", *said ? said : content);
    snprintf(o->machine, sizeof o->machine, "%s",
             record_text(json_object_get(a->machine, "machine"), "slug"));
    a->run = (struct db_run){
        folder, json_dumps(a->machine, JSON_COMPACT), o->run, content, a->kept.items, a->kept.count,
        false};
    return 0;
}

/* Packs the files; unless `all`, without those whose content the archive has: most of a nightly
 * run's are those of the night before. */
static int archive_pack(struct addition *a, bool all, struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code = lab_prepare(a->l, "SELECT 1 FROM blobs WHERE hash = ? AND size = ?", &s, e);
    for (size_t i = 0; !code && i < a->run.count; i++) {
        struct kept_file *f = &a->kept.items[i];
        lab_bind(s, "ti", f->hash, (int64_t)f->size);
        const bool known = sqlite3_step(s) == SQLITE_ROW;
        sqlite3_reset(s);
        if (f->data || (known && !all)) continue;
        const size_t room = ZSTD_compressBound(f->size);
        f->data = memory_new(room);
        f->data_size = ZSTD_compress(f->data, room, f->text, f->size, LEVEL);
        if (ZSTD_isError(f->data_size))
            code = fail(e, EXIT_PARTIAL, "out of memory: %s; free some", a->run.folder);
    }
    sqlite3_finalize(s);
    return code;
}

static void add_forget(struct addition *a)
{
    free((char *)(uintptr_t)a->run.machine);
    kept_files_free(&a->kept);
    json_decref(a->machine);
}

/* ---- While the database is locked ------------------------------------------------------------ */

/* Finds the parts of the run that are in the archive. */
static int add_find_run(const struct addition *a, struct error *e)
{
    struct archive_outcome *o = a->outcome;
    sqlite3_stmt *s = NULL;
    int code = lab_prepare(a->l,
                           "SELECT content, bytes, (SELECT count(*) FROM cells WHERE cells.blob = "
                           "runs.timing), started > added FROM runs WHERE run = ?",
                           &s, e);
    if (code) return code;
    lab_bind(s, "t", o->run);
    o->state = ADDED;
    if (sqlite3_step(s) == SQLITE_ROW) {
        o->cells = column_count(s, 2);
        o->misdated = sqlite3_column_int(s, 3);
        o->state = !strcmp(column_text(s, 0), a->kept.content) ? ADDED_ALREADY
                   : column_count(s, 1) > a->kept.bytes        ? ADDED_OLDER
                                                               : ADDED_ANEW;
    }
    sqlite3_finalize(s);
    return 0;
}

static bool is_to_add(const struct addition *a)
{
    return a->outcome->state == ADDED || a->outcome->state == ADDED_ANEW;
}

static int remove_run(const struct addition *a, struct error *e)
{
    return lab_run(a->l, e,
                   "DELETE FROM runs WHERE run = ?; "
                   "DELETE FROM blobs WHERE id NOT IN (SELECT blob FROM files)",
                   "t", a->outcome->run);
}

static int add_everything(struct addition *a, struct error *e)
{
    struct db_loader *loader = NULL;
    const enum archive_added state = a->outcome->state;
    int64_t run = 0;
    int code = db_loader_open(a->l, false, &loader, e);
    if (!code) code = db_load_run(loader, &a->run, &run, e);
    db_loader_close(loader);
    if (!code) code = add_find_run(a, e); /* for its cells */
    a->outcome->state = state;
    return code;
}

/* Inserts the run completely or not at all, unless the archive has it by now. If it fails with
 * `vanished`, try again with all contents: another process may have removed a known content
 * together with a run that it replaced. */
static int insert(struct addition *a, struct error *e)
{
    struct error ignored;
    int code = lab_execute(a->l, "BEGIN IMMEDIATE", e);
    if (code) return code;
    code = add_find_run(a, e);
    if (!code && a->outcome->state == ADDED_ANEW) code = remove_run(a, e);
    if (!code && is_to_add(a)) code = add_everything(a, e);
    if (!code) code = lab_execute(a->l, "COMMIT", e);
    if (code) lab_execute(a->l, "ROLLBACK", &ignored);
    return code;
}

int archive_add(const struct lab_db *l, const char *folder, struct archive_outcome *outcome,
                struct error *e)
{
    struct addition a = {.l = l, .outcome = outcome};
    *outcome = (struct archive_outcome){.state = ADDED};
    int code = read_folder(&a, folder, e);
    if (!code) code = add_find_run(&a, e);
    /* A run that the archive has already needs no lock. */
    if (!code && is_to_add(&a)) {
        code = archive_pack(&a, false, e);
        if (!code) code = insert(&a, e);
        if (code && a.run.vanished && !(code = archive_pack(&a, true, e))) code = insert(&a, e);
    }
    add_forget(&a);
    return code;
}

/* ---- export --------------------------------------------------------------------------------- */

/* A run of an archive as a folder of results. */

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
    if (!code) code = record_parse_machine(l->path, text, size, machine, e);
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

/* ---- list ----------------------------------------------------------------------------------- */

/* The runs of an archive that a selector names. */

int archive_choose(const struct lab_db *l, const char *selector, struct error *e)
{
    int64_t *runs = NULL;
    size_t count = 0;
    int code = lab_select(l, selector, &runs, &count, e);
    if (!code)
        code = lab_execute(
            l,
            "CREATE TEMP TABLE chosen(place INTEGER PRIMARY KEY, run INTEGER); "
            "CREATE TEMP VIEW chosen_runs AS SELECT c.place, r.id, r.run, m.name AS machine, "
            "r.\"commit\", r.started, r.added, coalesce(r.finished = '', 0) AS cut, r.mode, "
            "r.bytes, (SELECT count(*) FROM cells WHERE blob = r.timing) AS cells FROM temp.chosen "
            "c JOIN runs r ON r.id = c.run JOIN machine_names m ON m.id = r.machine",
            e);
    for (size_t i = 0; !code && i < count; i++)
        code = lab_run(l, e, "INSERT INTO chosen VALUES(NULL, ?)", "i", runs[i]);
    free(runs);
    return code;
}
