// SPDX-License-Identifier: MIT
#include "model/lab_db.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/memory.h"
#include "model/record.h"

enum { WAIT_MS = 60000 };

int lab_failed(const struct lab_db *l, struct error *e)
{
    if (!l->db || sqlite3_errcode(l->db) == SQLITE_NOMEM)
        return fail(e, EXIT_PARTIAL, "out of memory: archive: %s; free some memory", l->path);
    return fail(e, EXIT_BAD_INPUT,
                "archive: %s: %s; check that it is an archive of 'ulplab archive add', and that "
                "its disk has space",
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

char *lab_text(const struct lab_db *l, const char *sql, struct error *e)
{
    sqlite3_stmt *s = NULL;
    char *text = NULL;
    if (sqlite3_prepare_v2(l->db, sql, -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0))
        text = memory_copy((const char *)sqlite3_column_text(s, 0));
    if (!text) lab_failed(l, e);
    sqlite3_finalize(s);
    return text;
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
    /* No connection is used by two threads, and SQLite's memory statistics are not needed. Both
     * calls fail, harmlessly, if SQLite is already initialised. */
    sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    int flags =
        mode == LAB_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    int code = 0;
    if (sqlite3_open_v2(path, &l->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        code = lab_failed(l, e);
    if (!code) sqlite3_busy_timeout(l->db, WAIT_MS);
    if (!code)
        code = lab_execute(
            l, "PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY",
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
    if (!buffer) return fail(e, EXIT_PARTIAL, "out of memory: %s; free some memory", l->path);
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
                           "SELECT data, size FROM files JOIN blobs ON blobs.id = files.blob WHERE "
                           "run = ? AND name = ?",
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

/* ---- The runs that a selector names ---------------------------------------------------------- */

enum { TERMS_MAX = 8, TERM_MAX = 120, SQL_MAX = 2048 };

bool lab_is_place(const char *word, char *path, size_t size, const char **selector)
{
    static const char ending[] = ".db";
    const char *colon = strstr(word, ".db:");
    size_t length = colon ? (size_t)(colon - word) + sizeof ending - 1 : strlen(word);
    struct stat st;
    char own[1024];
    if (!path) path = own, size = sizeof own;
    if (length < sizeof ending || length >= size ||
        strncmp(word + length - (sizeof ending - 1), ending, sizeof ending - 1) != 0)
        return false;
    snprintf(path, size, "%.*s", (int)length, word);
    if (selector) *selector = word + length + (colon != NULL);
    return stat(path, &st) != 0 || !S_ISDIR(st.st_mode);
}

/* The conditions of terms, the N-th of which has its value in ?N (%1$d), with which the column
 * begins. */
#define BEGINS(column) "substr(" column ", 1, length(?%1$d)) = ?%1$d"
static const struct key {
    const char *name, *where;
} keys[] = {
    {"machine", " AND (" BEGINS("m.slug") " OR " BEGINS("m.brand") " OR m.label = ?%1$d)"},
    {"commit", " AND " BEGINS("r.\"commit\"")},
    {"date", " AND " BEGINS("r.started")},
    {"run", " AND " BEGINS("r.run")},
    {"mode", " AND r.mode = ?%1$d"},
    {"", " AND (" BEGINS("r.run") " OR " BEGINS("m.slug") ")"}, /* a word alone */
};
enum { KEYS = sizeof keys / sizeof *keys };

struct query {
    char sql[SQL_MAX];
    size_t length;
    struct slice values[TERMS_MAX];
    int count;
    bool latest;
};

static int add_term(struct query *q, struct slice term, struct error *e)
{
    const char *equals = memchr(term.at, '=', term.size);
    const struct slice name = {term.at, equals ? (size_t)(equals - term.at) : 0};
    const size_t before = equals ? name.size + 1 : 0;
    const struct slice value = {term.at + before, term.size - before};
    char text[TERM_MAX];
    size_t k = 0;
    if (slice_is(term, "latest")) return q->latest = true, 0;
    while (k < KEYS && !slice_is(name, keys[k].name)) k++;
    if (k == KEYS || equals == term.at || !value.size || value.size >= sizeof text ||
        q->count == TERMS_MAX)
        return fail(e, EXIT_USAGE,
                    "archive: '%.*s': not a selector; known: machine=, commit=, date=, run=, "
                    "mode=, latest, separated by commas",
                    (int)term.size, term.at);
    snprintf(text, sizeof text, "%.*s", (int)value.size, value.at);
    if (!strcmp(keys[k].name, "date") && date_check("archive: date=", text, e)) return EXIT_USAGE;
    q->values[q->count++] = value;
    q->length +=
        (size_t)snprintf(q->sql + q->length, sizeof q->sql - q->length, keys[k].where, q->count);
    return 0;
}

int lab_select(const struct lab_db *l, const char *selector, int64_t **runs, size_t *count,
               struct error *e)
{
    static const char begin[] =
        "SELECT r.id FROM runs r JOIN machines m ON m.id = r.machine WHERE 1";
    struct query q = {.length = sizeof begin - 1};
    sqlite3_stmt *s = NULL;
    size_t room = 0;
    int code = 0, state = SQLITE_DONE;
    *runs = NULL;
    *count = 0;
    memcpy(q.sql, begin, sizeof begin);
    while (*selector && !code) {
        const size_t length = strcspn(selector, ",");
        if (length) code = add_term(&q, (struct slice){selector, length}, e);
        selector += length + (selector[length] == ',');
    }
    snprintf(q.sql + q.length, sizeof q.sql - q.length, "%s",
             q.latest ? " ORDER BY min(r.started, r.added) DESC, r.id DESC LIMIT 1"
                      : " ORDER BY min(r.started, r.added), r.id");
    if (!code) code = lab_prepare(l, q.sql, &s, e);
    for (int i = 0; !code && i < q.count; i++)
        sqlite3_bind_text(s, i + 1, q.values[i].at, (int)q.values[i].size, SQLITE_STATIC);
    while (!code && (state = sqlite3_step(s)) == SQLITE_ROW) {
        if (*count == room) *runs = memory_grow(*runs, (room = 2 * room + 64) * sizeof **runs);
        (*runs)[(*count)++] = sqlite3_column_int64(s, 0);
    }
    if (state != SQLITE_DONE) code = lab_failed(l, e);
    sqlite3_finalize(s);
    if (code) {
        free(*runs);
        *runs = NULL;
        *count = 0;
    }
    return code;
}

int lab_select_one(const struct lab_db *l, const char *selector, int64_t *run, struct error *e)
{
    int64_t *runs;
    size_t count;
    int code = lab_select(l, selector, &runs, &count, e);
    if (code) return code;
    if (count == 1)
        *run = runs[0];
    else
        code = fail(e, EXIT_USAGE,
                    "archive: %s:%s: %zu runs; 'ulplab archive list %s' shows them, and 'latest' "
                    "selects the newest",
                    l->path, selector, count, l->path);
    free(runs);
    return code;
}
