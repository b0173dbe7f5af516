// SPDX-License-Identifier: MIT
/* The runs of an archive that a selector names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/date.h"
#include "model/lab_db.h"

enum { TERMS_MAX = 8, TERM_MAX = 120, SQL_MAX = 2048 };

bool lab_is_place(const char *word, char *path, size_t size, const char **selector)
{
    static const char ending[] = ".db";
    const char *colon = strstr(word, ".db:");
    size_t length = colon ? (size_t)(colon - word) + sizeof ending - 1 : strlen(word);
    struct stat st;
    if (length < sizeof ending || length >= size ||
        strncmp(word + length - (sizeof ending - 1), ending, sizeof ending - 1) != 0)
        return false;
    snprintf(path, size, "%.*s", (int)length, word);
    *selector = word + length + (colon != NULL);
    return stat(path, &st) != 0 || !S_ISDIR(st.st_mode);
}

/* The condition of a term: ?N is its value, with which the column begins. */
#define BEGINS(column) "substr(" column ", 1, length(?)) = ?"
static const struct key {
    const char *name, *where;
    int values; /* question marks */
} keys[] = {
    {"machine", "(" BEGINS("m.slug") " OR " BEGINS("m.brand") " OR m.label = ?)", 5},
    {"commit", BEGINS("r.\"commit\""), 2},
    {"date", BEGINS("r.started"), 2},
    {"run", BEGINS("r.run"), 2},
    {"mode", "r.mode = ?", 1},
};
static const struct key any_key = {"", "(" BEGINS("r.run") " OR " BEGINS("m.slug") ")", 4};

struct query {
    char sql[SQL_MAX];
    size_t length;
    char values[TERMS_MAX][TERM_MAX];
    int repeats[TERMS_MAX]; /* the number of times that each value is bound */
    size_t count;
    bool latest;
};

static const struct key *lab_select_key_of(const char *term, size_t length)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i].name) == length && !strncmp(term, keys[i].name, length)) return &keys[i];
    return NULL;
}

static int add_term(struct query *q, const char *term, size_t length, struct error *e)
{
    const char *equals = memchr(term, '=', length);
    const struct key *key = equals ? lab_select_key_of(term, (size_t)(equals - term)) : &any_key;
    const char *value = equals ? equals + 1 : term;
    size_t value_length = length - (size_t)(value - term);
    if (length == 6 && !strncmp(term, "latest", length)) {
        q->latest = true;
        return 0;
    }
    if (!key || !value_length || value_length >= TERM_MAX || q->count == TERMS_MAX)
        return fail(e, EXIT_USAGE,
                    "archive: '%.*s': no selector; known: machine=, commit=, date=, run=, mode=, "
                    "latest, separated by commas",
                    (int)length, term);
    char text[TERM_MAX];
    snprintf(text, sizeof text, "%.*s", (int)value_length, value);
    if (!strcmp(key->name, "date") && date_check("archive: date=", text, e)) return EXIT_USAGE;
    q->length +=
        (size_t)snprintf(q->sql + q->length, sizeof q->sql - q->length, " AND %s", key->where);
    q->repeats[q->count] = key->values;
    memcpy(q->values[q->count++], text, sizeof text);
    return 0;
}

static int lab_select_parse(struct query *q, const char *selector, struct error *e)
{
    int code = 0;
    q->length = (size_t)snprintf(q->sql, sizeof q->sql,
                                 "SELECT r.id FROM runs r JOIN machines m ON m.id = r.machine "
                                 "WHERE 1");
    while (*selector && !code) {
        size_t length = strcspn(selector, ",");
        if (length) code = add_term(q, selector, length, e);
        selector += length + (selector[length] == ',');
    }
    snprintf(q->sql + q->length, sizeof q->sql - q->length,
             " ORDER BY min(r.started, r.added), r.id");
    return code;
}

static int lab_select_collect(const struct lab_db *l, sqlite3_stmt *s, int64_t **runs,
                              size_t *count, struct error *e)
{
    size_t room = 0;
    int state;
    while ((state = sqlite3_step(s)) == SQLITE_ROW) {
        if (*count == room) {
            int64_t *more = realloc(*runs, (room = room ? 2 * room : 64) * sizeof *more);
            if (!more) return fail(e, EXIT_PARTIAL, "out of memory: %s; free some", l->path);
            *runs = more;
        }
        (*runs)[(*count)++] = sqlite3_column_int64(s, 0);
    }
    return state == SQLITE_DONE ? 0 : lab_failed(l, e);
}

int lab_select(const struct lab_db *l, const char *selector, int64_t **runs, size_t *count,
               struct error *e)
{
    struct query q = {.count = 0};
    sqlite3_stmt *s = NULL;
    *runs = NULL;
    *count = 0;
    int code = lab_select_parse(&q, selector, e), place = 1;
    if (!code) code = lab_prepare(l, q.sql, &s, e);
    for (size_t i = 0; !code && i < q.count; i++)
        for (int k = 0; k < q.repeats[i]; k++)
            sqlite3_bind_text(s, place++, q.values[i], -1, SQLITE_STATIC);
    if (!code) code = lab_select_collect(l, s, runs, count, e);
    sqlite3_finalize(s);
    if (!code && q.latest && *count > 1) {
        (*runs)[0] = (*runs)[*count - 1];
        *count = 1;
    }
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
                    "keeps the newest",
                    l->path, selector, count, l->path);
    free(runs);
    return code;
}
