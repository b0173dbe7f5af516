// SPDX-License-Identifier: MIT
#include "publish/db/load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record_scan.h"
#include "publish/db/names.h"
#include "publish/db/sql.h"

static const char log_file[] = "log_softmax.jsonl"; /* of earlier versions */

enum { PARTS_MAX = 32, STATEMENTS_MAX = 3, NAME_ROOM = 40 };

/* ---- The parts of load.sql ------------------------------------------------------------------- */

/* The values that a statement gets in addition to the record's fields. */
enum handed { ID, VARIANT, BLOB, PLACE, FIRST, WHOLE, RECORD, HANDED };
static const char *const handed_names[HANDED] = {":id",    ":variant", ":blob",  ":place",
                                                 ":first", ":whole",   ":record"};

struct statement {
    sqlite3_stmt *sql;
    int places[HANDED];           /* of parameters; 0: it has none such */
    int fields[SCAN_FIELDS_MAX];  /* the key of each parameter; -1: it is no field */
    bool nested[SCAN_FIELDS_MAX]; /* @field */
    int parameters;
};
struct part {
    char file[NAME_ROOM], record[NAME_ROOM]; /* record: "" where the file has one kind */
    struct statement statements[STATEMENTS_MAX];
    size_t count;
};
/* The fields that the parts of a file need. */
struct wanted {
    const char *file;
    struct slice keys[SCAN_FIELDS_MAX];
    size_t count;
};
struct db_loader {
    const struct lab_db *l;
    struct db_names *names;
    bool whole;
    struct part parts[PARTS_MAX];
    struct wanted files[PARTS_MAX];
    size_t part_count, file_count;
};

/* The first keys of every file; log: of earlier versions, where softmax's kernel was called for
 * log_softmax. */
enum { RECORD_KEY, ID_KEY, LOG_KEY, INFINITE_KEY };

static struct wanted *wanted_of(struct db_loader *d, const char *file)
{
    size_t i = 0;
    while (i < d->file_count && strcmp(d->files[i].file, file) != 0) i++;
    if (i < d->file_count) return &d->files[i];
    struct wanted *w = &d->files[d->file_count++];
    w->file = file;
    w->keys[w->count++] = (struct slice)SLICE("record");
    w->keys[w->count++] = (struct slice)SLICE("id");
    w->keys[w->count++] = (struct slice)SLICE("log");
    w->keys[w->count++] = (struct slice)SLICE("infinite");
    return w;
}

static int load_key_of(struct wanted *w, const char *name)
{
    for (size_t i = 0; i < w->count; i++)
        if (slice_is(w->keys[i], name)) return (int)i;
    if (w->count == SCAN_FIELDS_MAX) abort(); /* load.sql needs more fields than a view can hold */
    w->keys[w->count] = (struct slice){name, strlen(name)};
    return (int)w->count++;
}

/* Finds the meaning of each parameter of the statement. */
static void learn_parameters(struct statement *s, struct wanted *w)
{
    s->parameters = sqlite3_bind_parameter_count(s->sql);
    for (int i = 1; i <= s->parameters; i++) {
        const char *name = sqlite3_bind_parameter_name(s->sql, i);
        s->nested[i - 1] = *name == '@';
        s->fields[i - 1] = *name != ':' ? load_key_of(w, name + 1) : -1;
        for (int h = 0; h < HANDED; h++)
            if (!strcmp(name, handed_names[h])) s->places[h] = i;
    }
}

/* Prepares the next statement up to `end`; *s is NULL where blanks and comments are left. */
static int next_statement(const struct db_loader *d, const char **at, const char *end,
                          sqlite3_stmt **s, struct error *e)
{
    *s = NULL;
    return sqlite3_prepare_v2(d->l->db, *at, (int)(end - *at), s, at) == SQLITE_OK
               ? 0
               : lab_failed(d->l, e);
}

static bool has_column(sqlite3_stmt *s, const char *name)
{
    for (int i = 0; i < sqlite3_column_count(s); i++)
        if (!strcmp(sqlite3_column_name(s, i), name)) return true;
    return false;
}

/* Prepares the INSERT of a part: columns that its SELECT lacks get the record's field of that name.
 * given: NULL: it has none. */
static int load_prepare_insert(struct db_loader *d, struct part *p, const char *table,
                               sqlite3_stmt *given, struct error *e)
{
    const char *own = given ? strstr(sqlite3_sql(given), "SELECT ") + strlen("SELECT") : "";
    const char *comma = "";
    sqlite3_str *into = sqlite3_str_new(NULL), *from = sqlite3_str_new(NULL);
    sqlite3_stmt *s;
    int code = lab_prepare(d->l, "SELECT name FROM pragma_table_info(?)", &s, e);
    if (!code) lab_bind(s, "t", table);
    while (!code && sqlite3_step(s) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(s, 0);
        int h = VARIANT;
        if (!strcmp(name, "id") || has_column(given, name)) continue;
        while (h <= PLACE && strcmp(name, handed_names[h] + 1) != 0) h++;
        sqlite3_str_appendf(into, "%s\"%s\"", comma, name);
        sqlite3_str_appendf(from, "%s%c%s", comma, h <= PLACE ? ':' : '$', name);
        comma = ", ";
    }
    sqlite3_finalize(s);
    for (int i = 0; i < sqlite3_column_count(given); i++)
        sqlite3_str_appendf(into, ", \"%s\"", sqlite3_column_name(given, i));
    char *columns = sqlite3_str_finish(into), *values = sqlite3_str_finish(from);
    char *sql = sqlite3_mprintf("INSERT OR REPLACE INTO %s(%s) SELECT %s%s%s", table, columns,
                                values, given ? "," : "", own);
    if (!code) code = lab_prepare(d->l, sql, &p->statements[p->count++].sql, e);
    sqlite3_free(sql);
    sqlite3_free(columns);
    sqlite3_free(values);
    return code;
}

/* Prepares the statements from *sql up to the next part, of which it returns the beginning. table:
 * "": none. */
static int prepare_part(struct db_loader *d, struct part *p, const char *table, const char **sql,
                        struct error *e)
{
    const char *end = strstr(*sql, "\n-- @"), *at = *sql;
    sqlite3_stmt *s = NULL;
    if (!end) end = at + strlen(at);
    int code = next_statement(d, &at, end, &s, e);
    if (!code && *table) {
        code = load_prepare_insert(d, p, table, s, e);
        sqlite3_finalize(s);
        if (!code) code = next_statement(d, &at, end, &s, e);
    }
    for (; !code && s; code = next_statement(d, &at, end, &s, e)) p->statements[p->count++].sql = s;
    for (size_t i = 0; !code && i < p->count; i++)
        learn_parameters(&p->statements[i], wanted_of(d, p->file));
    *sql = end;
    return code;
}

int db_loader_add(struct db_loader *d, const char *sql, struct error *e)
{
    const char *at = strstr(sql, "\n-- @");
    int code = 0;
    while (!code && at && *at) {
        struct part *p = &d->parts[d->part_count++];
        char line[120], table[NAME_ROOM] = "";
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
        if (sscanf(line, "-- @%39s INTO %39s", p->file, table) != 2)
            sscanf(line, "-- @%39s %39s INTO %39s", p->file, p->record, table);
        at += 1 + strlen(line);
        code = prepare_part(d, p, table, &at, e);
    }
    return code;
}

int db_loader_open(const struct lab_db *l, bool whole, struct db_loader **loader, struct error *e)
{
    struct db_loader *d = *loader = memory_zeroed(1, sizeof *d);
    d->l = l;
    d->whole = whole;
    /* Statements that are prepared need their tables' names to stay: no table is made later. */
    int code = lab_execute(l,
                           "CREATE TEMP TABLE IF NOT EXISTS said(machine INTEGER, finished TEXT, "
                           "request TEXT, slug TEXT, label TEXT, vendor TEXT, brand TEXT, family, "
                           "model, stepping, features TEXT, memory_bytes, cores, caches TEXT)",
                           e);
    if (!code) code = db_names_open(l, &d->names, e);
    if (!code) code = db_loader_add(d, db_load_sql, e);
    if (code) db_loader_close(d), *loader = NULL;
    return code;
}

void db_loader_close(struct db_loader *d)
{
    for (size_t i = 0; d && i < d->part_count; i++)
        for (size_t k = 0; k < d->parts[i].count; k++)
            sqlite3_finalize(d->parts[i].statements[k].sql);
    if (d) db_names_close(d->names);
    free(d);
}

/* ---- Records --------------------------------------------------------------------------------- */

struct reading {
    struct db_loader *d;
    const struct db_run *run;
    const struct kept_file *file;
    int64_t blob, place, first;
};

/* Returns whether a figure that is null is infinite: its key then stands in the record's array
 * `infinite`. */
static bool is_infinite(const struct record_view *v, int key)
{
    const struct slice list = v->fields[INFINITE_KEY].json, name = v->keys[key];
    const char *at = list.size ? memmem(list.at, list.size, name.at, name.size) : NULL;
    return at && at[-1] == '"' && at[name.size] == '"';
}

static void bind_field(const struct statement *of, int at, const struct record_view *v)
{
    sqlite3_stmt *s = of->sql;
    const int key = of->fields[at - 1];
    const struct scan_field *f = &v->fields[key];
    if (of->nested[at - 1] && f->kind != SCAN_JSON) {
        sqlite3_bind_null(s, at);
        return;
    }
    switch (f->kind) {
    case SCAN_TEXT:
        sqlite3_bind_text(s, at, f->text.at, (int)f->text.size, SQLITE_STATIC);
        break;
    case SCAN_JSON:
        sqlite3_bind_text(s, at, f->json.at, (int)f->json.size, SQLITE_STATIC);
        break;
    case SCAN_INTEGER:
        sqlite3_bind_int64(s, at, (int64_t)f->number);
        break;
    case SCAN_REAL:
        sqlite3_bind_double(s, at, f->number);
        break;
    case SCAN_NONE:
        if (is_infinite(v, key))
            sqlite3_bind_double(s, at, INFINITY);
        else
            sqlite3_bind_null(s, at);
        break;
    case SCAN_TRUE:
    case SCAN_FALSE:
        sqlite3_bind_int(s, at, f->kind == SCAN_TRUE);
        break;
    }
}

static void bind_number(const struct statement *s, enum handed what, int64_t value)
{
    if (s->places[what]) sqlite3_bind_int64(s->sql, s->places[what], value);
}

static int step(const struct reading *r, const struct statement *s, struct error *e)
{
    const int state = sqlite3_step(s->sql);
    const bool unnamed =
        state != SQLITE_DONE && sqlite3_extended_errcode(r->d->l->db) == SQLITE_CONSTRAINT_NOTNULL;
    sqlite3_reset(s->sql);
    if (state == SQLITE_DONE) return 0;
    if (!unnamed) return lab_failed(r->d->l, e);
    return fail(e, EXIT_BAD_INPUT, "bad record: %s/%s: row %lld has no variant id; measure again",
                r->run->folder, r->file->name, (long long)r->place);
}

/* Runs a statement once, or once for each id. */
static int run_statement(struct reading *r, const struct statement *s, const struct record_view *v,
                         struct error *e)
{
    const struct slice *own = &v->fields[ID_KEY].text;
    const int id = s->places[ID], variant = s->places[VARIANT], record = s->places[RECORD];
    const bool log = v->fields[LOG_KEY].kind == SCAN_TRUE || !strcmp(r->file->name, log_file);
    int code = 0;
    for (int i = 1; i <= s->parameters; i++)
        if (s->fields[i - 1] >= 0) bind_field(s, i, v);
    bind_number(s, BLOB, r->blob);
    bind_number(s, FIRST, r->first);
    bind_number(s, WHOLE, r->d->whole);
    if (record) sqlite3_bind_text(s->sql, record, v->line.at, (int)v->line.size, SQLITE_STATIC);
    for (size_t i = 0; !code && i <= (id || variant ? v->also_count : 0); i++) {
        const struct slice *of = i ? &v->also[i - 1] : own;
        if (id) sqlite3_bind_text(s->sql, id, of->at, (int)of->size, SQLITE_STATIC);
        const int64_t number = variant ? db_names_variant(r->d->names, *of, log) : 0;
        if (number)
            sqlite3_bind_int64(s->sql, variant, number);
        else if (variant)
            sqlite3_bind_null(s->sql, variant);
        bind_number(s, PLACE, r->place + (int64_t)i);
        code = step(r, s, e);
    }
    return code;
}

static int load_take(void *context, const struct record_view *v, struct error *e)
{
    struct reading *r = context;
    int code = 0;
    r->place++;
    for (const struct part *p = r->d->parts; !code && p < r->d->parts + r->d->part_count; p++) {
        if (strcmp(p->file, r->file->name) != 0 ||
            (*p->record && !slice_is(v->fields[RECORD_KEY].text, p->record)))
            continue;
        for (size_t i = 0; !code && i < p->count; i++) {
            code = run_statement(r, &p->statements[i], v, e);
            if (!i) r->first = sqlite3_last_insert_rowid(r->d->l->db);
        }
    }
    r->place += (int64_t)v->also_count;
    return code;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int load_content(struct db_loader *d, const struct db_run *run, const struct kept_file *file,
                        int64_t blob, struct error *e)
{
    size_t i = 0;
    char path[1300];
    while (i < d->file_count && strcmp(d->files[i].file, file->name) != 0) i++;
    if (i == d->file_count) return 0;
    struct reading reading = {d, run, file, blob, 0, 0};
    snprintf(path, sizeof path, "%s/%s", run->folder, file->name);
    json_t *kept = json_array();
    const struct record_views views = {file->text, path, file->size, kept, load_take, &reading};
    int code = record_views_read(&views, d->files[i].keys, d->files[i].count, e);
    json_decref(kept);
    const bool errors =
        !d->whole && (!strcmp(file->name, "accuracy.jsonl") || !strcmp(file->name, log_file));
    if (!code && errors) code = lab_run(d->l, e, db_sums_sql, "i", blob);
    if (!code && d->whole && !strcmp(file->name, "timing.jsonl"))
        code = lab_run(d->l, e, db_modes_sql, "i", blob);
    return code;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static const struct kept_file *load_file_of(const struct db_run *run, const char *name)
{
    for (size_t i = 0; i < run->count; i++)
        if (!strcmp(run->files[i].name, name)) return &run->files[i];
    return NULL;
}

static bool has_affine(const struct kept_file *f)
{
    static const char key[] = "\"affine\"";
    const char *at = f->text, *const end = f->text + f->size;
    while ((at = memmem(at, (size_t)(end - at), key, sizeof key - 1))) {
        at += sizeof key - 1;
        while (at < end && (*at == ' ' || *at == ':')) at++;
        if (end - at >= 4 && !memcmp(at, "true", 4)) return true;
    }
    return false;
}

/* layernorm was measured without gamma and beta once, which records since say they have. */
static bool has_bare_norms(const struct db_run *run)
{
    static const char *const names[] = {"accuracy.jsonl", "timing.jsonl"};
    static const char norm[] = "\"layernorm/";
    bool norms = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct kept_file *f = load_file_of(run, names[i]);
        if (!f) continue;
        if (has_affine(f)) return false;
        norms |= memmem(f->text, f->size, norm, sizeof norm - 1) != NULL;
    }
    return norms;
}

static int load_add_run(const struct db_loader *d, const struct db_run *run, int64_t *id,
                        struct error *e)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < run->count; i++) bytes += (int64_t)run->files[i].size;
    int code = lab_run(d->l, e, db_machine_sql, "t", run->machine);
    if (!code)
        code = lab_run(d->l, e, db_run_sql, "tttiti", run->machine, run->id, run->content, bytes,
                       run->folder, (int64_t)d->whole);
    *id = sqlite3_last_insert_rowid(d->l->db);
    return code;
}

static int insert_blob(const struct db_loader *d, const struct kept_file *f, bool *is_new,
                       struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code =
        lab_prepare(d->l, "INSERT OR IGNORE INTO blobs(hash, size, data) VALUES(?, ?, ?)", &s, e);
    if (code) return code;
    lab_bind(s, "ti", f->hash, (int64_t)f->size);
    sqlite3_bind_blob64(s, 3, f->data ? f->data : "", f->data_size, SQLITE_STATIC);
    code = lab_step(d->l, s, e);
    *is_new = !code && sqlite3_changes(d->l->db) > 0;
    sqlite3_finalize(s);
    return code;
}

/* The number of a content; *is_new: it was not there. */
static int add_blob(const struct db_loader *d, struct db_run *run, const struct kept_file *f,
                    int64_t *blob, bool *is_new, struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code = 0;
    if (f->data || d->whole) code = insert_blob(d, f, is_new, e);
    if (!code) code = lab_prepare(d->l, "SELECT id FROM blobs WHERE hash = ? AND size = ?", &s, e);
    if (code) return code;
    lab_bind(s, "ti", f->hash, (int64_t)f->size);
    const int state = sqlite3_step(s);
    if (state == SQLITE_ROW) *blob = sqlite3_column_int64(s, 0);
    run->vanished = state == SQLITE_DONE;
    if (state != SQLITE_ROW) code = lab_failed(d->l, e);
    sqlite3_finalize(s);
    return code;
}

/* Ends a run: computes the tables that depend on all its files. */
static int end_run(const struct db_loader *d, const struct db_run *run, int64_t id, struct error *e)
{
    static const char first[] =
        "UPDATE runs SET (codegen, accuracy, timing) = (SELECT "
        "max(blob) FILTER (WHERE name = 'codegen.jsonl'), "
        "max(blob) FILTER (WHERE name = 'accuracy.jsonl'), "
        "max(blob) FILTER (WHERE name = 'timing.jsonl') FROM files WHERE run = ?1) WHERE id = ?1";
    const int code = lab_run(d->l, e, first, "i", id);
    if (code || (!db_names_had_log(d->names) && !load_file_of(run, log_file))) return code;
    return lab_run(d->l, e, db_earlier_sql, "i", id);
}

int db_load_run(struct db_loader *d, struct db_run *run, int64_t *id, struct error *e)
{
    db_names_begin(d->names, has_bare_norms(run));
    int code = load_add_run(d, run, id, e);
    for (size_t i = 0; !code && i < run->count; i++) {
        const struct kept_file *f = &run->files[i];
        int64_t blob = 0;
        bool is_new = false;
        code = add_blob(d, run, f, &blob, &is_new, e);
        if (!code)
            code = lab_run(d->l, e, "INSERT INTO files(blob, run, name) VALUES(?, ?, ?)", "iit",
                           blob, *id, f->name);
        if (!code && is_new) code = load_content(d, run, f, blob, e);
    }
    return code ? code : end_run(d, run, *id, e);
}

int db_load_again(struct db_loader *d, const struct db_run *run, int64_t id, struct error *e)
{
    static const char again[] = "UPDATE runs SET (machine, finished, request) = (SELECT machine, "
                                "finished, request FROM temp.said) WHERE id = ?";
    sqlite3_stmt *s = NULL;
    int code = lab_run(d->l, e, db_machine_sql, "t", run->machine);
    if (!code) code = lab_run(d->l, e, again, "i", id);
    if (!code) code = lab_prepare(d->l, "SELECT blob FROM files WHERE run = ? AND name = ?", &s, e);
    db_names_begin(d->names, has_bare_norms(run));
    for (size_t i = 0; !code && i < run->count; i++) {
        lab_bind(s, "it", id, run->files[i].name);
        if (sqlite3_step(s) == SQLITE_ROW)
            code = load_content(d, run, &run->files[i], sqlite3_column_int64(s, 0), e);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    return code ? code : end_run(d, run, id, e);
}
