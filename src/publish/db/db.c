// SPDX-License-Identifier: MIT
#include "publish/db/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "model/record.h"
#include "publish/db/columns.h"
#include "publish/db/files.h"
#include "publish/db/functions.h"
#include "publish/db/load.h"
#include "publish/db/sql.h"

/* ---- The files of a run ---------------------------------------------------------------------- */

/* Lists the files of an archive's run; with `first`, without those that an earlier row of runs has,
 * too. */
static int files_of_run(const struct lab_db *l, int64_t run, bool first, struct kept_files *f,
                        struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code = lab_prepare(l,
                           "SELECT f.name FROM files f WHERE f.run = ?1 AND f.name NOT LIKE "
                           "'%/%' AND NOT (?2 AND EXISTS(SELECT 1 FROM files g WHERE g.blob = "
                           "f.blob AND g.run < f.run)) ORDER BY f.name",
                           &s, e);
    if (code) return code;
    lab_bind(s, "ii", run, (int64_t)first);
    int state = SQLITE_DONE;
    while (!code && (state = sqlite3_step(s)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(s, 0);
        char *text = NULL;
        size_t size = 0;
        code = lab_read(l, run, name, &text, &size, e);
        if (!code) kept_files_add(f, name, text, size);
    }
    if (!code && state != SQLITE_DONE) code = lab_failed(l, e);
    sqlite3_finalize(s);
    return code;
}

/* ---- In memory ------------------------------------------------------------------------------- */

/* Reads machine.json's text, sound and without control characters. */
static int machine_text(const char *folder, const struct kept_files *f, char **text,
                        struct error *e)
{
    char path[1300], *copy = NULL;
    size_t size = 0;
    json_t *machine;
    snprintf(path, sizeof path, "%s/machine.json", folder);
    for (size_t i = 0; i < f->count && !copy; i++) {
        if (strcmp(f->items[i].name, "machine.json") != 0) continue;
        size = f->items[i].size;
        copy = memory_copy_of(f->items[i].text, size);
    }
    int code = record_parse_machine(path, copy, size, &machine, e);
    if (!code) *text = json_dumps(machine, JSON_COMPACT);
    json_decref(machine);
    free(copy);
    return code;
}

/* In memory a content needs no hash of its bytes: every file is a separate content. */
static int load_files(struct db_loader *d, const char *folder, struct kept_files *f,
                      struct error *e)
{
    static unsigned runs;
    int64_t run;
    char name[12], *machine = NULL;
    int code = machine_text(folder, f, &machine, e);
    if (code) return code;
    snprintf(name, sizeof name, "%u", ++runs);
    for (size_t i = 0; i < f->count; i++)
        snprintf(f->items[i].hash, sizeof f->items[i].hash, "%s/%zu", name, i);
    struct db_run of = {folder, machine, name, name, f->items, f->count, false};
    code = db_load_run(d, &of, &run, e);
    free(machine);
    return code;
}

static int load_folder(struct db_loader *d, const char *folder, struct error *e)
{
    struct kept_files f;
    json_t *machine;
    int code = record_read_machine(folder, &machine, e);
    if (code) return code;
    code = kept_files_read(folder, record_run_of(machine), KEPT_RECORDS, &f, e);
    json_decref(machine);
    if (code) return code;
    code = load_files(d, folder, &f, e);
    kept_files_free(&f);
    return code;
}

static int load_runs(struct db_loader *d, const char *path, const char *selector, struct error *e)
{
    struct lab_db from;
    int64_t *runs = NULL;
    size_t count = 0;
    int code = lab_open(&from, path, e);
    if (code) return code;
    code = lab_select(&from, selector, &runs, &count, e);
    if (!code && !count)
        code =
            fail(e, EXIT_USAGE, "archive: %s:%s: no such run; 'ulplab archive list %s' shows them",
                 path, selector, path);
    for (size_t i = 0; !code && i < count; i++) {
        struct kept_files f = {0};
        code = files_of_run(&from, runs[i], false, &f, e);
        if (!code) code = load_files(d, path, &f, e);
        kept_files_free(&f);
    }
    free(runs);
    lab_close(&from);
    return code;
}

static int load_place(struct db_loader *d, const char *place, struct error *e)
{
    char path[1024];
    const char *selector;
    return lab_is_place(place, path, sizeof path, &selector) ? load_runs(d, path, selector, e)
                                                             : load_folder(d, place, e);
}

/* A new database in memory, into which a loader writes until close_memory(). */
static int open_memory(struct lab_db *l, struct db_loader **d, struct error *e)
{
    *d = NULL;
    int code = lab_connect(l, ":memory:", LAB_WRITE, e);
    if (code) return code;
    db_functions_add(l);
    code = lab_execute(
        l, "PRAGMA page_size = 8192; PRAGMA foreign_keys = OFF; PRAGMA journal_mode = OFF; BEGIN",
        e);
    if (!code) code = lab_execute(l, db_schema_sql, e);
    if (!code)
        code = lab_execute(l,
                           "DROP TABLE error_sums; "
                           "CREATE VIEW error_sums AS SELECT * FROM summed_errors; "
                           "CREATE TEMP TABLE earlier(variant INTEGER, shape INTEGER, modes TEXT, "
                           "factor REAL, low REAL, high REAL, PRIMARY KEY(variant, shape)); "
                           "CREATE TEMP TABLE records(blob INTEGER, variant INTEGER NOT NULL, "
                           "place INTEGER, timed INTEGER, id TEXT, record TEXT)",
                           e);
    return code ? code : db_loader_open(l, true, d, e);
}

static int close_memory(struct lab_db *l, struct db_loader *d, int code, struct error *e)
{
    db_loader_close(d);
    if (!code) code = lab_execute(l, "COMMIT", e);
    if (code) lab_close(l);
    return code;
}

static int read_places(struct lab_db *l, const char *const *places, size_t count, const char *more,
                       struct error *e)
{
    struct db_loader *d;
    int code = open_memory(l, &d, e);
    if (!code && more) code = db_loader_add(d, more, e);
    for (size_t i = 0; !code && i < count; i++) code = load_place(d, places[i], e);
    return close_memory(l, d, code, e);
}

int db_read(struct lab_db *l, const char *const *places, size_t count, struct error *e)
{
    return read_places(l, places, count, NULL, e);
}

int db_read_whole(struct lab_db *l, const char *place, struct error *e)
{
    return read_places(l, &place, 1, db_records_sql, e);
}

static int load_records(struct db_loader *d, const json_t *machine, const char *name,
                        const json_t *records, struct error *e)
{
    struct kept_files f = {0};
    char *text = NULL;
    size_t size = 0, i;
    const json_t *record;
    FILE *out = memory_text(&text, &size);
    json_array_foreach(records, i, record) record_write(out, record);
    memory_text_close(out);
    kept_files_add(&f, name, text, size);
    text = json_dumps(machine, JSON_COMPACT);
    kept_files_add(&f, "machine.json", text, strlen(text));
    int code = load_files(d, name, &f, e);
    kept_files_free(&f);
    return code;
}

int db_read_records(struct lab_db *l, const json_t *machine, const char *name,
                    const json_t *const *records, size_t count, struct error *e)
{
    struct db_loader *d;
    int code = open_memory(l, &d, e);
    for (size_t i = 0; !code && i < count; i++)
        code = load_records(d, machine, name, records[i], e);
    return close_memory(l, d, code, e);
}

/* ---- Archives -------------------------------------------------------------------------------- */

/* Reads a run's records into the tables, without those that an earlier run also has. */
static int load_again(const struct lab_db *l, struct db_loader *d, int64_t run, struct error *e)
{
    struct kept_files f = {0};
    int code = files_of_run(l, run, true, &f, e);
    struct db_run of = {l->path, "", "", "", f.items, f.count, false};
    char *text = NULL;
    size_t size = 0;
    if (!code) code = lab_read(l, run, "machine.json", &text, &size, e);
    if (text) {
        char *machine = memory_copy_of(text, size);
        of.machine = machine;
        code = db_load_again(d, &of, run, e);
        free(machine);
    }
    free(text);
    kept_files_free(&f);
    return code;
}

/* Makes the tables of an archive of an earlier version again, from its records. */
static int load_all_again(const struct lab_db *l, struct error *e)
{
    struct db_loader *d = NULL;
    char *room = lab_text(l, db_migrate_sql, e);
    int code = room ? lab_execute(l, room, e) : EXIT_BAD_INPUT;
    free(room);
    if (!code) code = lab_execute(l, db_schema_sql, e);
    if (!code) code = db_loader_open(l, false, &d, e);
    const int64_t last = lab_number(l, "SELECT coalesce(max(id), 0) FROM runs");
    for (int64_t run = 1; !code && run <= last; run++) {
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\rarchive: %s: bringing run %lld of %lld up to date%s", l->path,
                    (long long)run, (long long)last, run == last ? "\n" : "");
        code = load_again(l, d, run, e);
    }
    db_loader_close(d);
    return code;
}

/* Makes the tables in a file that is new, and brings those of an earlier version up to date.
 * Another process may do the same at the same time: the one that waited finds them made. */
static int make_tables(const struct lab_db *l, struct error *e)
{
    struct error ignored;
    int code = lab_execute(l, "PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE", e);
    if (code) return code;
    db_functions_add(l);
    const int64_t version = lab_number(l, "PRAGMA user_version");
    const int64_t tables = lab_number(l, "SELECT count(*) FROM sqlite_master");
    if (version < 0 || tables < 0)
        code = lab_failed(l, e);
    else if (version == 0 && tables == 0)
        code = lab_execute(l, db_schema_sql, e);
    else if (version < LAB_VERSION && lab_number(l, "PRAGMA application_id") == LAB_APPLICATION)
        code = load_all_again(l, e);
    if (!code) code = lab_execute(l, "COMMIT", e);
    if (code) lab_execute(l, "ROLLBACK", &ignored);
    return code ? code : lab_execute(l, "PRAGMA foreign_keys = ON", e);
}

static int open_to_write(struct lab_db *l, const char *path, struct error *e)
{
    lab_close(l);
    int code = lab_connect(l, path, LAB_WRITE, e);
    if (code || !sqlite3_db_readonly(l->db, "main")) return code;
    return fail(
        e, EXIT_BAD_INPUT,
        "archive: %s: has an earlier version, and cannot be written; copy it to a writable place",
        path);
}

int db_open(struct lab_db *l, const char *path, enum lab_mode mode, struct error *e)
{
    int code = lab_connect(l, path, mode, e);
    if (!code && mode == LAB_READ) code = lab_check(l, e);
    const bool today = !code && lab_number(l, "PRAGMA user_version") == LAB_VERSION;
    if (!code && !today && mode == LAB_READ) code = open_to_write(l, path, e);
    if (!code && !today) code = make_tables(l, e);
    if (!code && !today && mode == LAB_READ) {
        lab_close(l);
        code = lab_connect(l, path, LAB_READ, e);
    }
    if (!code) code = lab_check(l, e);
    if (!code) db_functions_add(l);
    if (code) lab_close(l);
    return code;
}

/* ---- Copying -------------------------------------------------------------------------------- */

enum { TABLES = 20, COLUMNS = 64 };

/* A table: the tables that its columns refer to, and the numbers of its own rows in the copy. A
 * named row that the copy already has keeps the number there. */
struct table {
    char name[40];
    bool numbered;
    int count, of[COLUMNS]; /* of: a place in tables[]; -1: it names none */
    int64_t *numbers;
    size_t room;
};
struct copy {
    const struct lab_db *from, *to;
    struct table tables[TABLES];
    int count;
};

/* What is inserted is what a statement selects, by its columns' names. A run that is there comes
 * once more, under another name. error_sums, which is a view, names the rows that cells names. */
static int copy_prepare_insert(const struct copy *c, struct table *t, sqlite3_stmt *from,
                               sqlite3_stmt **to, struct error *e)
{
    static const char other_name[] = ", ?2 || iif(EXISTS(SELECT 1 FROM runs WHERE run = ?2), '+' "
                                     "|| (SELECT count(*) FROM runs), '')";
    sqlite3_str *names = sqlite3_str_new(NULL), *values = sqlite3_str_new(NULL);
    sqlite3_stmt *s;
    int code = lab_prepare(c->from,
                           "SELECT \"table\" FROM pragma_foreign_key_list(iif(?1 = 'error_sums', "
                           "'cells', ?1)) WHERE \"from\" = ?2",
                           &s, e);
    t->count = sqlite3_column_count(from);
    for (int i = 0; !code && i < t->count; i++) {
        const char *name = sqlite3_column_name(from, i);
        lab_bind(s, "tt", t->name, name);
        int of = sqlite3_step(s) == SQLITE_ROW ? c->count - 1 : -1;
        while (of >= 0 && strcmp(c->tables[of].name, column_text(s, 0)) != 0) of--;
        t->of[i] = of;
        sqlite3_reset(s);
        sqlite3_str_appendf(names, i ? ", \"%w\"" : "\"%w\"", name);
        sqlite3_str_appendall(values, !i                                      ? "?"
                                      : i > 1 || strcmp(t->name, "runs") != 0 ? ", ?"
                                                                              : other_name);
    }
    sqlite3_finalize(s);
    t->numbered = !strcmp(sqlite3_column_name(from, 0), "id");
    char *into = sqlite3_str_finish(names), *of = sqlite3_str_finish(values),
         *sql =
             sqlite3_mprintf("INSERT INTO %s(%s) VALUES(%s)%s", t->name, into, of,
                             t->numbered ? " ON CONFLICT DO UPDATE SET id = id RETURNING id" : "");
    if (!code) code = lab_prepare(c->to, sql, to, e);
    sqlite3_free(sql), sqlite3_free(into), sqlite3_free(of);
    return code;
}

static void remember(struct table *t, size_t old, int64_t number)
{
    if (old >= t->room)
        t->numbers = memory_grow(t->numbers, (t->room = 2 * old + 64) * sizeof *t->numbers);
    t->numbers[old] = number;
}

static int db_copy_row(const struct copy *c, struct table *t, sqlite3_stmt *from, sqlite3_stmt *to,
                       struct error *e)
{
    for (int i = t->numbered; i < t->count; i++)
        if (t->of[i] >= 0 && sqlite3_column_type(from, i) != SQLITE_NULL)
            sqlite3_bind_int64(to, i + 1, c->tables[t->of[i]].numbers[column_count(from, i)]);
        else
            sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
    const int state = sqlite3_step(to);
    if (state == SQLITE_ROW) remember(t, column_count(from, 0), sqlite3_column_int64(to, 0));
    sqlite3_reset(to);
    return state == SQLITE_ROW || state == SQLITE_DONE ? 0 : lab_failed(c->to, e);
}

static int copy_table(struct copy *c, const char *name, const char *sql, struct error *e)
{
    struct table *t = &c->tables[c->count];
    sqlite3_stmt *from = NULL, *to = NULL;
    snprintf(t->name, sizeof t->name, "%s", name);
    int code = lab_prepare(c->from, sql, &from, e);
    if (!code) code = copy_prepare_insert(c, t, from, &to, e);
    int state = SQLITE_DONE;
    while (!code && (state = sqlite3_step(from)) == SQLITE_ROW)
        code = db_copy_row(c, t, from, to, e);
    if (!code && state != SQLITE_DONE) code = lab_failed(c->from, e);
    sqlite3_finalize(from);
    sqlite3_finalize(to);
    c->count++;
    return code;
}

/* A change of the store drops the temporary tables of a report. */
static const char first_sql[] = "PRAGMA temp_store = FILE; CREATE TEMP TABLE first AS SELECT "
                                "min(error) AS error FROM error_variants GROUP BY variant";
/* The tables of which anything about several runs is asked, each with its columns and rows. */
static const char tables_sql[] =
    "SELECT name, 'SELECT ' || CASE name WHEN 'cell_details' THEN 'blob, variant, shape, low_ns, "
    "iif(low_ns IS NULL, medians_ns, NULL) AS medians_ns, gb_per_s' WHEN 'codes' THEN 'blob, "
    "variant, place, hash, fma, ymm, zmm, fma_scalar' WHEN 'errors' THEN 'id, blob, elements, "
    "grid, near_zero' ELSE '*' END || ' FROM main.' || name || CASE name WHEN 'errors' THEN "
    "' WHERE id IN temp.first' WHEN 'error_variants' THEN ' WHERE error IN temp.first' ELSE '' END "
    "FROM main.sqlite_master WHERE name IN ('machines', 'blobs', 'builds', 'runs', 'files', "
    "'variants', 'shapes', 'cells', 'cell_details', 'controls', 'limits', 'codes', 'errors', "
    "'error_variants', 'error_sums', 'instructions', 'cores') ORDER BY rowid";

int db_copy(const struct lab_db *to, const struct lab_db *from, struct error *e)
{
    struct copy *c = memory_new(sizeof *c);
    sqlite3_stmt *s = NULL;
    *c = (struct copy){.from = from, .to = to};
    int code = lab_execute(to,
                           "BEGIN; CREATE TEMP TABLE IF NOT EXISTS error_sums AS SELECT * FROM "
                           "main.error_sums",
                           e);
    if (!code) code = lab_execute(from, first_sql, e);
    if (!code) code = lab_prepare(from, tables_sql, &s, e);
    while (!code && c->count < TABLES && sqlite3_step(s) == SQLITE_ROW)
        code = copy_table(c, column_text(s, 0), column_text(s, 1), e);
    sqlite3_finalize(s);
    for (int i = 0; i < c->count; i++) free(c->tables[i].numbers);
    free(c);
    return code ? code : lab_execute(to, "COMMIT", e);
}
