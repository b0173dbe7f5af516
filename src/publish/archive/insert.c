/* What is done while the database is locked: the rows of a run. */
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/archive/addition.h"
#include "publish/archive/figures.h"

int addition_find(struct addition *a, enum archive_added *state, struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code = lab_prepare(a->l,
                           "SELECT content, bytes, (SELECT count(*) FROM cells WHERE "
                           "cells.run = runs.id) FROM runs WHERE run = ?",
                           &s, e);
    if (code) return code;
    lab_bind(s, "t", a->id);
    *state = ADDED;
    if (sqlite3_step(s) == SQLITE_ROW) {
        const char *content = (const char *)sqlite3_column_text(s, 0);
        size_t bytes = (size_t)sqlite3_column_int64(s, 1);
        a->cells_there = (size_t)sqlite3_column_int64(s, 2);
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

/* Runs an insertion that does nothing where the row is there, then finds the row's number. */
static int number_of(const struct lab_db *l, sqlite3_stmt *insert, sqlite3_stmt *find, int64_t *id,
                     struct error *e)
{
    int code = lab_step(l, insert, e);
    if (!code && sqlite3_step(find) == SQLITE_ROW)
        *id = sqlite3_column_int64(find, 0);
    else if (!code)
        code = lab_failed(l, e);
    sqlite3_finalize(insert);
    sqlite3_finalize(find);
    return code;
}

static int add_machine(const struct addition *a, int64_t *id, struct error *e)
{
    const json_t *m = json_object_get(a->results.machine, "machine");
    const json_t *topology = json_object_get(m, "topology");
    char *features = json_dumps(json_object_get(m, "features"), JSON_COMPACT);
    sqlite3_stmt *insert = NULL, *find = NULL;
    int code = lab_prepare(a->l,
                           "INSERT OR IGNORE INTO machines(slug, label, vendor, brand, family, "
                           "model, stepping, features, memory_bytes, cores) "
                           "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                           &insert, e);
    if (!code) code = lab_prepare(a->l, "SELECT id FROM machines WHERE slug = ?", &find, e);
    if (!code) {
        lab_bind(insert, "ttttdddtdd", record_text(m, "slug"),
                 json_string_value(json_object_get(m, "label")), record_text(m, "vendor"),
                 record_text(m, "brand"), record_number(m, "family"), record_number(m, "model"),
                 record_number(m, "stepping"), features, record_number(topology, "memory_bytes"),
                 record_number(topology, "cores"));
        lab_bind(find, "t", record_text(m, "slug"));
        code = number_of(a->l, insert, find, id, e);
    }
    free(features);
    return code;
}

static int add_build(const struct addition *a, int64_t *id, struct error *e)
{
    struct origin o = origin_of(&a->results);
    const json_t *request = json_object_get(a->results.machine, "request");
    char *compilers =
        json_dumps(json_object_get(json_object_get(a->results.machine, "machine"), "compilers"),
                   JSON_COMPACT | JSON_SORT_KEYS);
    sqlite3_stmt *insert = NULL, *find = NULL;
    int code = lab_prepare(a->l,
                           "INSERT OR IGNORE INTO builds(version, \"commit\", program, compilers) "
                           "VALUES(?, ?, ?, ?)",
                           &insert, e);
    if (!code)
        code = lab_prepare(a->l,
                           "SELECT id FROM builds WHERE version = ? AND \"commit\" = ? AND "
                           "program = ? AND compilers = ?",
                           &find, e);
    sqlite3_stmt *const both[] = {insert, find};
    for (size_t i = 0; !code && i < 2; i++)
        lab_bind(both[i], "tttt", o.version, o.commit, record_text(request, "program"),
                 compilers ? compilers : "{}");
    if (!code) code = number_of(a->l, insert, find, id, e);
    free(compilers);
    return code;
}

/* Versions by name, of what kernels call and of the libraries beside them, as a text to be freed.
 */
static char *versions_of(const json_t *machine, const json_t *request)
{
    json_t *all = json_object();
    json_object_update(all, json_object_get(machine, "libraries"));
    json_object_update(all, json_object_get(request, "peers"));
    char *text = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(all);
    return text;
}

static int add_run(struct addition *a, int64_t machine, int64_t build, struct error *e)
{
    const json_t *m = json_object_get(a->results.machine, "machine");
    const json_t *request = json_object_get(a->results.machine, "request");
    char *libraries = versions_of(m, request);
    struct origin o = origin_of(&a->results);
    sqlite3_stmt *s = NULL;
    int code =
        lab_prepare(a->l,
                    "INSERT INTO runs(run, machine, build, \"commit\", started, added, mode, "
                    "seed, kernel, microcode, libraries, content, bytes) VALUES(?, ?, ?, ?, ?, "
                    "strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?, ?, ?, ?, ?, ?)",
                    &s, e);
    if (!code)
        lab_bind(s, "tiitttdttttd", a->id, machine, build, o.commit, origin_started(&a->results),
                 record_text(request, "mode"), record_number(request, "seed"),
                 json_string_value(json_object_get(m, "kernel")),
                 json_string_value(json_object_get(m, "microcode")), libraries, a->files.content,
                 (double)a->files.bytes);
    if (!code) code = lab_step(a->l, s, e);
    sqlite3_finalize(s);
    free(libraries);
    a->run = sqlite3_last_insert_rowid(a->l->db);
    return code;
}

static int insert_blob(const struct lab_db *l, const struct kept_file *file, struct packed *p,
                       struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code =
        lab_prepare(l, "INSERT OR IGNORE INTO blobs(hash, size, data) VALUES(?, ?, ?)", &s, e);
    if (!code) {
        lab_bind(s, "ti", file->hash, (int64_t)file->size);
        sqlite3_bind_blob64(s, 3, p->data, p->bytes, SQLITE_STATIC);
        code = lab_step(l, s, e);
        p->is_new = !code && sqlite3_changes(l->db) > 0;
    }
    sqlite3_finalize(s);
    return code;
}

static int add_blob(struct addition *a, const struct kept_file *file, struct packed *p,
                    struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code = p->data ? insert_blob(a->l, file, p, e) : 0;
    if (!code) code = lab_prepare(a->l, "SELECT id FROM blobs WHERE hash = ? AND size = ?", &s, e);
    if (code) return code;
    lab_bind(s, "ti", file->hash, (int64_t)file->size);
    const int state = sqlite3_step(s);
    if (state == SQLITE_ROW) p->blob = sqlite3_column_int64(s, 0);
    a->vanished = state == SQLITE_DONE;
    if (state != SQLITE_ROW) code = lab_failed(a->l, e);
    sqlite3_finalize(s);
    return code;
}

/* The figures of a file that is new to the archive, and a note in the run of where they are. */
static int add_shared_figures(struct addition *a, const char *name, const struct packed *p,
                              struct error *e)
{
    static const struct {
        const char *name, *note;
        int (*add)(const struct lab_db *, int64_t, struct rows *, struct error *);
    } kinds[] = {
        {"codegen.jsonl", "UPDATE runs SET codegen = ? WHERE id = ?", figures_of_codegen},
        {"accuracy.jsonl", "UPDATE runs SET accuracy = ? WHERE id = ?", figures_of_accuracy}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) != 0) continue;
        sqlite3_stmt *s = NULL;
        int code = lab_prepare(a->l, kinds[i].note, &s, e);
        if (!code) lab_bind(s, "ii", p->blob, a->run);
        if (!code) code = lab_step(a->l, s, e);
        sqlite3_finalize(s);
        return code || !p->is_new ? code : kinds[i].add(a->l, p->blob, &a->rows, e);
    }
    return 0;
}

static int add_files(struct addition *a, struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code = lab_prepare(a->l, "INSERT INTO files(run, name, blob) VALUES(?, ?, ?)", &s, e);
    for (size_t i = 0; i < a->files.count && !code; i++) {
        const struct kept_file *file = &a->files.items[i];
        struct packed *p = &a->packed[i];
        code = add_blob(a, file, p, e);
        if (!code) lab_bind(s, "iti", a->run, file->name, p->blob);
        if (!code) code = lab_step(a->l, s, e);
        if (!code) code = add_shared_figures(a, file->name, p, e);
    }
    sqlite3_finalize(s);
    return code;
}

static int add_everything(struct addition *a, struct error *e)
{
    int64_t machine = 0, build = 0;
    int code = add_machine(a, &machine, e);
    if (!code) code = add_build(a, &build, e);
    if (!code) code = add_run(a, machine, build, e);
    if (!code) code = add_files(a, e);
    return code ? code : figures_of_run(a->l, a->run, &a->rows, e);
}

int addition_insert(struct addition *a, enum archive_added *state, struct error *e)
{
    struct error ignored;
    int code = lab_execute(a->l, "BEGIN IMMEDIATE", e);
    if (code) return code;
    code = addition_find(a, state, e);
    if (!code && *state == ADDED_ANEW) code = remove_run(a, e);
    if (!code && (*state == ADDED || *state == ADDED_ANEW)) code = add_everything(a, e);
    if (!code) code = lab_execute(a->l, "COMMIT", e);
    if (code) lab_execute(a->l, "ROLLBACK", &ignored);
    return code;
}
