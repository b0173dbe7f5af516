// SPDX-License-Identifier: MIT
#include "publish/sql/ask.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/memory.h"
#include "model/registry.h"
#include "model/record.h"
#include "model/record_scan.h"
#include "publish/db/columns.h"
#include "publish/db/sql.h"
#include "publish/render/rows.h"
#include "publish/render/table.h"

/* ---- The questions --------------------------------------------------------------------------- */

#define QUESTION(name) extern const char question_##name[];
#include "publish/sql/questions.list"
#undef QUESTION
#define QUESTION(name) {#name, question_##name},
const struct question questions[] = {
#include "publish/sql/questions.list"
    {NULL, NULL}};

void ask_help(FILE *out)
{
    fputs(db_schema_sql, out);
    for (const struct question *q = questions; q->name; q++)
        fprintf(out, "\n-- ---- A question: %s\n%s", q->name, q->sql);
}

/* ---- What is allowed ------------------------------------------------------------------------- */

static int authorize(void *context, int action, const char *a, const char *b, const char *database,
                     const char *trigger)
{
    static const char *const described[] = {"table_info",   "table_xinfo", "table_list",
                                            "index_list",   "index_info",  "foreign_key_list",
                                            "function_list"};
    (void)context;
    (void)database;
    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return strcmp(b, "load_extension") != 0 ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
        for (size_t i = 0; i < sizeof described / sizeof *described; i++)
            if (!strcmp(a, described[i])) return SQLITE_OK;
        return SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/* Returns 1, which stops the query, after the deadline. */
static int watch(void *end)
{
    return time(NULL) > *(const time_t *)end;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* A value as people read it; "" for NULL. Control characters of a stranger's records tell a
 * terminal nothing. */
static char *answer_text_of(sqlite3_stmt *s, int column, bool csv)
{
    char number[40];
    const double value = sqlite3_column_double(s, column);
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_NULL:
        return memory_copy("");
    case SQLITE_FLOAT:
        if (isinf(value))
            snprintf(number, sizeof number, "%sinf", value < 0 ? "-" : "");
        else
            snprintf(number, sizeof number, csv ? "%.9g" : "%.6g", value);
        return memory_copy(number);
    default:
        break;
    }
    const char *text = (const char *)sqlite3_column_text(s, column);
    char *copy = memory_copy(text ? text : "");
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' ';
    record_blank_controls(copy, strlen(copy));
    return copy;
}

static int print_table(sqlite3_stmt *s, FILE *out)
{
    struct column columns[COLUMNS_MAX] = {{0}};
    const char *cells[COLUMNS_MAX];
    const int all = sqlite3_column_count(s), count = all < COLUMNS_MAX ? all : COLUMNS_MAX;
    struct table table;
    int state;
    for (int i = 0; i < count; i++)
        columns[i] = (struct column){sqlite3_column_name(s, i), false, 0};
    state = sqlite3_step(s);
    for (int i = 0; state == SQLITE_ROW && i < count; i++)
        columns[i].right = sqlite3_column_type(s, i) == SQLITE_INTEGER ||
                           sqlite3_column_type(s, i) == SQLITE_FLOAT;
    table_begin(&table, columns, (size_t)count);
    for (; state == SQLITE_ROW; state = sqlite3_step(s)) {
        for (int i = 0; i < count; i++) cells[i] = answer_text_of(s, i, false);
        table_add(&table, TINT_NONE, cells);
        for (int i = 0; i < count; i++) free((char *)(uintptr_t)cells[i]);
    }
    if (state == SQLITE_DONE && all > count)
        fprintf(out, "%d more columns: --csv and --json have all\n", all - count);
    char *unused = NULL;
    size_t size = 0;
    FILE *sink = state == SQLITE_DONE ? out : memory_text(&unused, &size);
    table_end(&table, sink, terminal_of(out));
    if (sink != out) memory_text_close(sink);
    free(unused);
    return state;
}

static int print_csv(sqlite3_stmt *s, FILE *out)
{
    const int count = sqlite3_column_count(s);
    int state;
    for (int i = 0; i < count; i++) {
        if (i) fputc(',', out);
        csv_put(out, sqlite3_column_name(s, i));
    }
    fputc('\n', out);
    while ((state = sqlite3_step(s)) == SQLITE_ROW)
        for (int i = 0; i < count; i++) {
            char *text = answer_text_of(s, i, true);
            csv_put(out, text);
            fputc(i + 1 < count ? ',' : '\n', out);
            free(text);
        }
    return state;
}

static void answer_put_value(json_t *row, sqlite3_stmt *s, int i)
{
    const char *name = sqlite3_column_name(s, i);
    char *text;
    switch (sqlite3_column_type(s, i)) {
    case SQLITE_NULL:
        json_object_set_new(row, name, json_null());
        break;
    case SQLITE_INTEGER:
        json_object_set_new(row, name, json_integer(sqlite3_column_int64(s, i)));
        break;
    case SQLITE_FLOAT:
        record_put_figure(row, name, sqlite3_column_double(s, i));
        break;
    default:
        text = answer_text_of(s, i, false);
        json_object_set_new(row, name, json_string(text));
        free(text);
    }
}

/* Appends an answer: {rows: [an object by column, ..]}. */
static int read_json(sqlite3_stmt *s, json_t *answers)
{
    json_t *rows = json_array();
    int state;
    json_array_append_new(answers, json_pack("{s:o}", "rows", rows));
    while ((state = sqlite3_step(s)) == SQLITE_ROW) {
        json_t *row = json_object();
        for (int i = 0; i < sqlite3_column_count(s); i++) answer_put_value(row, s, i);
        json_array_append_new(rows, row);
    }
    return state;
}

/* Prints the rows of a single answer, or all answers. */
static void print_json(json_t *answers, FILE *out)
{
    json_t *document = json_pack("{s:i}", "schema", 1);
    if (json_array_size(answers) == 1)
        json_object_update(document, json_array_get(answers, 0));
    else
        json_object_set(document, "answers", answers);
    json_dumpf(document, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    fputc('\n', out);
    json_decref(document);
}

/* ---- What a mistaken name may mean ---------------------------------------------------------- */

#define TABLES                                                                                     \
    "(SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') UNION SELECT name FROM "      \
    "sqlite_temp_schema WHERE type IN ('table', 'view'))"

static const struct {
    const char *message, *names; /* names: a query for the existing names; ?1 the query */
} mistakes[] = {
    {"no such column: ", "SELECT DISTINCT p.name FROM " TABLES " m, pragma_table_info(m.name) p "
                         "WHERE instr(lower(?1), lower(m.name))"},
    {"no such table: ", "SELECT name FROM " TABLES " WHERE ?1 <> ''"},
};

static bool meant_is_letter(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns whether the text up to `end` has the word, delimited. */
static bool has_whole(const char *text, const char *end, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; at + length <= end; at++)
        if (!strncasecmp(at, word, length) && (at == text || !meant_is_letter(at[-1])) &&
            !meant_is_letter(at[length]))
            return true;
    return false;
}

/* Returns whether the schema's comment after the column has the word. */
static bool is_described(const char *column, const char *word)
{
    const size_t length = strlen(column);
    for (const char *line = db_schema_sql; *line; line += *line == '\n') {
        const char *end = line + strcspn(line, "\n");
        const char *name = line + strspn(line, " "), *comment = strstr(name, "-- ");
        if (!strncmp(name, column, length) && name[length] == ' ' && comment && comment < end &&
            has_whole(comment, end, word))
            return true;
        line = end;
    }
    return false;
}

/* Writes the column, of the tables that the query names, or the table that SQLite's message "no
 * such .." may mean: the one that is spelt most alike, else a column whose comment in the schema
 * has the word. "" where there is none. */
static void meant_name(const struct lab_db *l, const char *query, const char *message, char *name,
                       size_t size)
{
    size_t m = 0;
    struct error none;
    sqlite3_stmt *s = NULL;
    name[0] = '\0';
    while (m < sizeof mistakes / sizeof *mistakes &&
           strncmp(message, mistakes[m].message, strlen(mistakes[m].message)) != 0)
        m++;
    if (m == sizeof mistakes / sizeof *mistakes) return;
    char word[80];
    const char *dot = strrchr(message, '.');
    snprintf(word, sizeof word, "%s", dot ? dot + 1 : message + strlen(mistakes[m].message));
    if (lab_prepare(l, mistakes[m].names, &s, &none) != 0) return;
    lab_bind(s, "t", query);
    size_t least = strlen(word) / 3 + 1 + (strlen(word) < 3); /* with more it is another word */
    while (sqlite3_step(s) == SQLITE_ROW) {
        const char *other = column_text(s, 0);
        const size_t distance = nearest_distance(word, other);
        const bool near = distance < least;
        if (!near && (name[0] || !is_described(other, word))) continue;
        if (near) least = distance;
        snprintf(name, size, "%s", other);
    }
    sqlite3_finalize(s);
}

/* ---- A query --------------------------------------------------------------------------------- */

static int answer_refuse(const struct lab_db *l, const char *query, struct error *e)
{
    char message[200], meant[80];
    const bool denied = sqlite3_errcode(l->db) == SQLITE_AUTH;
    snprintf(message, sizeof message, "%s",
             denied ? "not allowed: a query can only read; it cannot write, attach or load anything"
                    : sqlite3_errmsg(l->db));
    meant_name(l, query, message, meant, sizeof meant);
    return fail(e, EXIT_USAGE, "sql: %s%s%s; 'ulplab sql DIR' shows the tables and examples",
                message, *meant ? ": is it " : "", meant);
}

static int stopped(const struct lab_db *l, const char *query, int state, unsigned seconds,
                   struct error *e)
{
    if (state == SQLITE_INTERRUPT)
        return fail(e, EXIT_PARTIAL,
                    "sql: stopped after %u s; ask for less, or run it with another program on an "
                    "archive",
                    seconds);
    if (state == SQLITE_NOMEM || state == SQLITE_TOOBIG)
        return fail(e, EXIT_PARTIAL, "sql: stopped: it takes over %d MB; ask for less",
                    ASK_MEGABYTES);
    return answer_refuse(l, query, e);
}

/* Answers one query after the other; CSV is of one answer. */
static int answer_ask_all(const struct lab_db *l, const char *sql, enum answer_format format,
                          unsigned seconds, FILE *out, struct error *e)
{
    json_t *answers = json_array();
    int code = 0;
    for (size_t asked = 0; !code; asked++) {
        sqlite3_stmt *s = NULL;
        const char *query = sql;
        if (sqlite3_prepare_v2(l->db, sql, -1, &s, &sql) != SQLITE_OK)
            code = answer_refuse(l, query, e);
        if (code || (!s && asked)) break;
        if (!s && *sql) continue; /* a comment */
        if (!s) code = fail(e, EXIT_USAGE, "sql: no query; 'ulplab sql' shows examples");
        if (asked && format == ANSWER_CSV)
            code = fail(e, EXIT_USAGE, "sql: more than one query; ask one at a time");
        const int state = code                    ? SQLITE_DONE
                          : format == ANSWER_JSON ? read_json(s, answers)
                          : format == ANSWER_CSV  ? print_csv(s, out)
                                                  : print_table(s, out);
        if (state != SQLITE_DONE) code = stopped(l, query, state, seconds, e);
        sqlite3_finalize(s);
    }
    if (!code && format == ANSWER_JSON) print_json(answers, out);
    json_decref(answers);
    return code;
}

int sql_ask(const struct lab_db *l, const char *sql, enum answer_format format, unsigned seconds,
            FILE *out, struct error *e)
{
    time_t end = time(NULL) + seconds;
    int code = lab_execute(l, "PRAGMA query_only = ON", e);
    if (code) return code;
    sqlite3_set_authorizer(l->db, authorize, NULL);
    sqlite3_hard_heap_limit64((sqlite3_int64)ASK_MEGABYTES << 20);
    sqlite3_progress_handler(l->db, 100000, watch, &end);
    code = answer_ask_all(l, sql, format, seconds, out, e);
    sqlite3_progress_handler(l->db, 0, NULL, NULL);
    sqlite3_set_authorizer(l->db, NULL, NULL);
    return code;
}
