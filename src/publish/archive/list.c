// SPDX-License-Identifier: MIT
/* The list of an archive's runs. */
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/archive/archive.h"

static json_t *text_of(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text ? json_string(text) : json_null();
}

/* A row as an object: its columns by name. */
static json_t *row_of(sqlite3_stmt *s)
{
    json_t *row = json_object();
    for (int i = 0; i < sqlite3_column_count(s); i++)
        json_object_set_new(row, sqlite3_column_name(s, i),
                            sqlite3_column_type(s, i) == SQLITE_INTEGER
                                ? json_integer(sqlite3_column_int64(s, i))
                                : text_of(s, i));
    return row;
}

/* Appends the rows of a statement about one run. */
static int append_rows(const struct lab_db *l, const char *sql, int64_t run, json_t *rows,
                       struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code = lab_prepare(l, sql, &s, e), state;
    if (code) return code;
    lab_bind(s, "i", run);
    while ((state = sqlite3_step(s)) == SQLITE_ROW) json_array_append_new(rows, row_of(s));
    if (state != SQLITE_DONE) code = lab_failed(l, e);
    sqlite3_finalize(s);
    return code;
}

#define LISTED                                                                                     \
    "r.run, m.slug AS machine, r.\"commit\", nullif(r.started, '') AS started, r.mode, "           \
    "(SELECT count(*) FROM cells c WHERE c.blob = r.timing) AS cells, r.bytes"

int archive_list(const struct lab_db *l, const char *selector, json_t **rows, struct error *e)
{
    int64_t *runs;
    size_t count;
    *rows = NULL;
    int code = lab_select(l, selector, &runs, &count, e);
    if (code) return code;
    *rows = json_array();
    for (size_t i = 0; i < count && !code; i++)
        code = append_rows(
            l, "SELECT " LISTED " FROM runs r JOIN machines m ON m.id = r.machine WHERE r.id = ?",
            runs[i], *rows, e);
    free(runs);
    if (code) {
        json_decref(*rows);
        *rows = NULL;
    }
    return code;
}

int archive_show(const struct lab_db *l, int64_t run, json_t **document, struct error *e)
{
    json_t *rows = json_array(), *files = json_array();
    *document = NULL;
    int code = append_rows(
        l,
        "SELECT " LISTED
        ", m.brand AS machine_brand, b.version, b.compilers, r.kernel, r.microcode, r.libraries, "
        "r.added, (SELECT count(*) FROM error_sums a WHERE a.blob = r.accuracy) AS errors, "
        "(SELECT count(*) FROM codes c WHERE c.blob = r.codegen) AS codes "
        "FROM runs r JOIN machines m ON m.id = r.machine JOIN builds b ON b.id = r.build "
        "WHERE r.id = ?",
        run, rows, e);
    if (!code)
        code = append_rows(l,
                           "SELECT f.name, b.size AS bytes FROM files f JOIN blobs b ON b.id = "
                           "f.blob WHERE f.run = ? ORDER BY f.name",
                           run, files, e);
    if (!code) {
        *document = json_incref(json_array_get(rows, 0));
        json_object_set(*document, "files", files);
    }
    json_decref(rows);
    json_decref(files);
    return code;
}
