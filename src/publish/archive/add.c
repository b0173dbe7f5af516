// SPDX-License-Identifier: MIT
/* A folder of results into an archive. What takes long, reading and packing, is done before the
 * database is locked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/memory.h"
#include "model/record.h"
#include "publish/archive/archive.h"
#include "publish/db/columns.h"
#include "publish/db/files.h"
#include "publish/db/load.h"

/* zstd's level. At level 9 the times of a night, which are most of a run, take as much room, and
 * all the files of a run a sixth less, in eight times the time. */
enum { LEVEL = 1 };

/* A run on its way into an archive. */
struct packed {
    void *data; /* NULL where the archive is known to have the content */
    size_t bytes;
};

struct addition {
    const struct lab_db *l;
    const char *folder;
    json_t *machine;
    struct kept_files files;
    bool *known;   /* which of the files have their content in the archive already */
    bool vanished; /* one of these went meanwhile */
    struct packed *packed;
    size_t cells; /* of the run, as the archive has it */
    char id[20];
};

/* ---- Before the lock ------------------------------------------------------------------------- */

/* A run that says its identity has it; one of an older ulplab has a hash of its content. */
static void identify(struct addition *a)
{
    const char *said = record_text(a->machine, "run");
    snprintf(a->id, sizeof a->id, "%.16s", *said ? said : a->files.content);
}

static int no_memory(const struct addition *a, struct error *e)
{
    return fail(e, EXIT_PARTIAL, "out of memory: %s: %zu bytes of records; free some", a->folder,
                a->files.bytes);
}

static bool pack_file(ZSTD_CCtx *zstd, const struct kept_file *file, struct packed *p)
{
    size_t room = ZSTD_compressBound(file->size);
    p->data = malloc(room);
    if (!p->data) return false;
    p->bytes = ZSTD_compressCCtx(zstd, p->data, room, file->text, file->size, LEVEL);
    return !ZSTD_isError(p->bytes);
}

static int pack(struct addition *a, struct error *e)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    a->packed = calloc(a->files.count + 1, sizeof *a->packed);
    bool good = zstd && a->packed;
    for (size_t i = 0; good && i < a->files.count; i++)
        good = a->known[i] || pack_file(zstd, &a->files.items[i], &a->packed[i]);
    ZSTD_freeCCtx(zstd);
    return good ? 0 : no_memory(a, e);
}

/* Most files of a nightly run are those of the night before. */
static int find_known(struct addition *a, struct error *e)
{
    sqlite3_stmt *s = NULL;
    a->known = calloc(a->files.count + 1, sizeof *a->known);
    if (!a->known) return no_memory(a, e);
    int code = lab_prepare(a->l, "SELECT 1 FROM blobs WHERE hash = ? AND size = ?", &s, e);
    for (size_t i = 0; !code && i < a->files.count; i++) {
        lab_bind(s, "ti", a->files.items[i].hash, (int64_t)a->files.items[i].size);
        a->known[i] = sqlite3_step(s) == SQLITE_ROW;
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    return code;
}

static int read_folder(struct addition *a, struct error *e)
{
    int code = record_read_machine(a->folder, &a->machine, e);
    if (!code) code = kept_files_read(a->folder, record_run_of(a->machine), KEPT_ALL, &a->files, e);
    if (!code && a->files.count < 2)
        code =
            fail(e, EXIT_BAD_INPUT, "archive: %s: no records; run 'ulplab run' first", a->folder);
    if (!code) identify(a);
    return code;
}

static void free_packed(struct addition *a)
{
    for (size_t i = 0; a->packed && i < a->files.count; i++) free(a->packed[i].data);
    free(a->packed);
    a->packed = NULL;
}

static void forget(struct addition *a)
{
    free_packed(a);
    free(a->known);
    kept_files_free(&a->files);
    json_decref(a->machine);
}

/* ---- While the database is locked ------------------------------------------------------------ */

static const char cells_of_run[] = "(SELECT count(*) FROM cells WHERE cells.blob = runs.timing)";

/* Finds what of the run is in the archive already. */
static int find_run(struct addition *a, enum archive_added *state, struct error *e)
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
    return lab_run(a->l, e,
                   "DELETE FROM runs WHERE run = ?; "
                   "DELETE FROM blobs WHERE id NOT IN (SELECT blob FROM files)",
                   "t", a->id);
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

/* Inserts it as a whole or not at all, unless it is there by now. Where it fails with `vanished` it
 * may be tried again, with no content known. */
static int insert(struct addition *a, enum archive_added *state, struct error *e)
{
    struct error ignored;
    enum archive_added now;
    int code = lab_execute(a->l, "BEGIN IMMEDIATE", e);
    if (code) return code;
    code = find_run(a, state, e);
    const bool adds = *state == ADDED || *state == ADDED_ANEW;
    if (!code && *state == ADDED_ANEW) code = remove_run(a, e);
    if (!code && adds) code = add_everything(a, e);
    if (!code && adds) code = find_run(a, &now, e);
    if (!code) code = lab_execute(a->l, "COMMIT", e);
    if (code) lab_execute(a->l, "ROLLBACK", &ignored);
    return code;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* Another process may have removed a known content together with a run that it replaced: the run is
 * then added again, with all contents. */
static int add_again(struct addition *a, enum archive_added *state, struct error *e)
{
    memset(a->known, 0, a->files.count * sizeof *a->known);
    free_packed(a);
    int code = pack(a, e);
    return code ? code : insert(a, state, e);
}

int archive_add(const struct lab_db *l, const char *folder, struct archive_outcome *outcome,
                struct error *e)
{
    struct addition a = {.l = l, .folder = folder};
    *outcome = (struct archive_outcome){.state = ADDED};
    int code = read_folder(&a, e);
    if (!code) code = find_run(&a, &outcome->state, e);
    /* A run that the archive has already needs no lock. */
    if (!code && (outcome->state == ADDED || outcome->state == ADDED_ANEW)) {
        code = find_known(&a, e);
        if (!code) code = pack(&a, e);
        if (!code) code = insert(&a, &outcome->state, e);
        if (code && a.vanished) code = add_again(&a, &outcome->state, e);
    }
    snprintf(outcome->run, sizeof outcome->run, "%s", a.id);
    snprintf(outcome->machine, sizeof outcome->machine, "%s",
             record_text(json_object_get(a.machine, "machine"), "slug"));
    outcome->cells = a.cells;
    forget(&a);
    return code;
}
