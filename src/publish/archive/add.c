// SPDX-License-Identifier: MIT
/* A folder of results into an archive. What takes long, reading and packing, is done before the
 * database is locked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "model/record.h"
#include "publish/archive/addition.h"

/* zstd's level. At level 9 the times of a night, which are most of a run, take as much room, and
 * all the files of a run a sixth less, in eight times the time. */
enum { LEVEL = 1 };

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

/* ---- All of it ------------------------------------------------------------------------------- */

/* Another process may have removed a known content together with a run that it replaced: the run is
 * then added again, with all contents. */
static int add_again(struct addition *a, enum archive_added *state, struct error *e)
{
    memset(a->known, 0, a->files.count * sizeof *a->known);
    free_packed(a);
    int code = pack(a, e);
    return code ? code : addition_insert(a, state, e);
}

int archive_add(const struct lab_db *l, const char *folder, struct archive_outcome *outcome,
                struct error *e)
{
    struct addition a = {.l = l, .folder = folder};
    *outcome = (struct archive_outcome){.state = ADDED};
    int code = read_folder(&a, e);
    if (!code) code = addition_find(&a, &outcome->state, e);
    /* A run that the archive has already needs no lock. */
    if (!code && (outcome->state == ADDED || outcome->state == ADDED_ANEW)) {
        code = find_known(&a, e);
        if (!code) code = pack(&a, e);
        if (!code) code = addition_insert(&a, &outcome->state, e);
        if (code && a.vanished) code = add_again(&a, &outcome->state, e);
    }
    snprintf(outcome->run, sizeof outcome->run, "%s", a.id);
    snprintf(outcome->machine, sizeof outcome->machine, "%s",
             record_text(json_object_get(a.machine, "machine"), "slug"));
    outcome->cells = a.cells;
    forget(&a);
    return code;
}
