// SPDX-License-Identifier: MIT
#include "model/lab_db.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { WAIT_MS = 60000 };

int lab_failed(const struct lab_db *l, struct error *e)
{
    if (!l->db || sqlite3_errcode(l->db) == SQLITE_NOMEM)
        return fail(e, EXIT_PARTIAL, "out of memory: archive: %s; free some", l->path);
    return fail(e, EXIT_BAD_INPUT,
                "archive: %s: %s; see that it is an archive of 'ulplab archive add', and that its "
                "disk has space",
                l->path, sqlite3_errmsg(l->db));
}

int lab_execute(const struct lab_db *l, const char *sql, struct error *e)
{
    return sqlite3_exec(l->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : lab_failed(l, e);
}

int lab_prepare(const struct lab_db *l, const char *sql, sqlite3_stmt **s, struct error *e)
{
    return sqlite3_prepare_v2(l->db, sql, -1, s, NULL) == SQLITE_OK ? 0 : lab_failed(l, e);
}

/* A statement with fewer parameters leaves the last values. */
static void bind_all(sqlite3_stmt *s, const char *format, va_list args)
{
    const struct slice *slice;
    for (int i = 1; format[i - 1]; i++) switch (format[i - 1]) {
        case 'i':
            sqlite3_bind_int64(s, i, va_arg(args, int64_t));
            break;
        case 'd':
            sqlite3_bind_double(s, i, va_arg(args, double)); /* SQLite stores NaN as NULL */
            break;
        case 's':
            slice = va_arg(args, const struct slice *);
            sqlite3_bind_text(s, i, slice->at, (int)slice->size, SQLITE_STATIC);
            break;
        default:
            sqlite3_bind_text(s, i, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
        }
}

void lab_bind(sqlite3_stmt *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bind_all(s, format, args);
    va_end(args);
}

int lab_run(const struct lab_db *l, struct error *e, const char *sql, const char *format, ...)
{
    int code = 0;
    while (!code && *sql) {
        sqlite3_stmt *s = NULL;
        va_list args;
        if (sqlite3_prepare_v2(l->db, sql, -1, &s, &sql) != SQLITE_OK) return lab_failed(l, e);
        if (!s) break; /* comments behind the last */
        va_start(args, format);
        bind_all(s, format, args);
        va_end(args);
        const int state = sqlite3_step(s);
        if (state == SQLITE_ROW)
            code = fail(e, sqlite3_column_int(s, 0), "%s", (const char *)sqlite3_column_text(s, 1));
        else if (state != SQLITE_DONE)
            code = lab_failed(l, e);
        sqlite3_finalize(s);
    }
    return code;
}

int lab_step(const struct lab_db *l, sqlite3_stmt *s, struct error *e)
{
    int state = sqlite3_step(s);
    int code = state == SQLITE_DONE || state == SQLITE_ROW ? 0 : lab_failed(l, e);
    sqlite3_reset(s);
    return code;
}

/* ---- Opening --------------------------------------------------------------------------------- */

int64_t lab_number(const struct lab_db *l, const char *sql)
{
    sqlite3_stmt *s = NULL;
    int64_t value = -1;
    if (sqlite3_prepare_v2(l->db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
        value = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return value;
}

int lab_check(const struct lab_db *l, struct error *e)
{
    const int64_t application = lab_number(l, "PRAGMA application_id");
    const int64_t version = lab_number(l, "PRAGMA user_version");
    if (application == LAB_APPLICATION && version >= 1 && version <= LAB_VERSION) return 0;
    if (application < 0) return lab_failed(l, e);
    return fail(e, EXIT_BAD_INPUT,
                "archive: %s: not an archive of this version of ulplab (version %d here); name "
                "another file",
                l->path, LAB_VERSION);
}

int lab_connect(struct lab_db *l, const char *path, enum lab_mode mode, struct error *e)
{
    *l = (struct lab_db){0};
    snprintf(l->path, sizeof l->path, "%s", path);
    /* No database is used by two threads, and nobody asks how much memory they take. Both calls
     * fail where one is open already, or whoever limits memory has initialised SQLite. */
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    int flags =
        mode == LAB_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    int code = 0;
    if (sqlite3_open_v2(path, &l->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        code = lab_failed(l, e);
    if (!code) sqlite3_busy_timeout(l->db, WAIT_MS);
    if (!code)
        code = lab_execute(l,
                           "PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536; "
                           "PRAGMA temp_store = MEMORY",
                           e);
    if (code) lab_close(l);
    return code;
}

int lab_open(struct lab_db *l, const char *path, struct error *e)
{
    int code = lab_connect(l, path, LAB_READ, e);
    if (!code) code = lab_check(l, e);
    if (code) lab_close(l);
    return code;
}

void lab_close(struct lab_db *l)
{
    sqlite3_close(l->db);
    l->db = NULL;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int unpack(const struct lab_db *l, sqlite3_stmt *s, char **text, size_t *size,
                  struct error *e)
{
    const void *packed = sqlite3_column_blob(s, 0);
    size_t bytes = (size_t)sqlite3_column_bytes(s, 0), wanted = (size_t)sqlite3_column_int64(s, 1);
    if (wanted > (size_t)1 << 30)
        return fail(e, EXIT_BAD_INPUT, "archive: %s: a file of more than 1 GiB; restore it",
                    l->path);
    char *buffer = malloc(wanted + 1);
    if (!buffer) return fail(e, EXIT_PARTIAL, "out of memory: %s; free some", l->path);
    if (ZSTD_decompress(buffer, wanted, packed, bytes) != wanted) {
        free(buffer);
        return fail(e, EXIT_BAD_INPUT, "archive: %s: a file of a run is damaged; restore it",
                    l->path);
    }
    buffer[wanted] = '\0';
    *text = buffer;
    *size = wanted;
    return 0;
}

int lab_read(const struct lab_db *l, int64_t run, const char *name, char **text, size_t *size,
             struct error *e)
{
    sqlite3_stmt *s = NULL;
    *text = NULL;
    *size = 0;
    int code = lab_prepare(l,
                           "SELECT data, size FROM files JOIN blobs ON blobs.id = files.blob "
                           "WHERE run = ? AND name = ?",
                           &s, e);
    if (code) return code;
    lab_bind(s, "it", run, name);
    int state = sqlite3_step(s);
    if (state == SQLITE_ROW)
        code = unpack(l, s, text, size, e);
    else if (state != SQLITE_DONE)
        code = lab_failed(l, e);
    sqlite3_finalize(s);
    return code;
}

int lab_read_place(const char *word, const char *name, char **text, size_t *size, struct error *e)
{
    struct lab_db l;
    int64_t run = 0;
    char path[1024];
    const char *selector = "";
    *text = NULL;
    *size = 0;
    lab_is_place(word, path, sizeof path, &selector);
    int code = lab_open(&l, path, e);
    if (code) return code;
    code = lab_select_one(&l, selector, &run, e);
    if (!code) code = lab_read(&l, run, name, text, size, e);
    lab_close(&l);
    return code;
}
