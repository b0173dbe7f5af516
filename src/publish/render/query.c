#include "publish/render/query.h"

#include <string.h>

#include "base/number.h"
#include "publish/db/columns.h"

enum { QUERY_COLUMNS_MAX = 24 };

static bool gives_words(sqlite3_stmt *s)
{
    return sqlite3_column_count(s) == 1 && !strcmp(sqlite3_column_name(s, 0), "words");
}

/* The next statement, of which there is none behind the last. A query of the program's own that
 * SQLite refuses is a fault that a reader shall see. */
static sqlite3_stmt *next_statement(struct doc *d, const struct lab_db *l, const char **sql)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(l->db, *sql, -1, &s, sql) == SQLITE_OK) return s;
    if (d) doc_text(d, "**Not known**: %s.", sqlite3_errmsg(l->db));
    return NULL;
}

/* How many columns of the query a cell shows. */
static int columns_of(enum cell_format format)
{
    static const int several[] = {[CELL_KERNEL] = 2, [CELL_BUILD] = 3, [CELL_STATUS] = 2,
                                  [CELL_SHAPE] = 2,  [CELL_ERROR] = 2, [CELL_PROMISE] = 0};
    return several[format] ? several[format] : 1;
}

static void write_cell(struct doc *d, sqlite3_stmt *s, int column, enum cell_format format)
{
    const char *text = column_text(s, column);
    const double number = column_real(s, column);
    if (!*text && format != CELL_TEXT) {
        doc_cell(d, "-");
        return;
    }
    switch (format) {
    case CELL_TEXT:
    case CELL_COMPILER:
        doc_cell(d, "%s", *text ? text : "-");
        break;
    case CELL_CODE:
        doc_cell(d, "`%s`", text);
        break;
    case CELL_KERNEL:
        doc_cell(d, "%s `%s`", text, column_text(s, column + 1));
        break;
    case CELL_BUILD:
        doc_cell(d, "%s %s `%s`", text, column_text(s, column + 1), column_text(s, column + 2));
        break;
    case CELL_STATUS:
        doc_words(d, "%s%s%s", text, *column_text(s, column + 1) ? ": " : "",
                  column_text(s, column + 1));
        break;
    case CELL_SHAPE:
        doc_cell(d, "%sx%s", text, column_text(s, column + 1));
        break;
    case CELL_TIME:
        doc_cell(d, "%s", number_decimals(number, 3).text);
        break;
    case CELL_COUNT:
        doc_cell(d, "%.0f", number);
        break;
    case CELL_NONE_EXPECTED:
        doc_shaded(d, number > 0 ? "d2" : "", "%.0f", number);
        break;
    case CELL_SMALL:
        doc_cell(d, "%.2e", number);
        break;
    case CELL_NUMBER:
        doc_number(d, number);
        break;
    case CELL_ERROR:
        doc_error(d, number, column_text(s, column + 1));
        break;
    case CELL_PERCENT:
        doc_percent(d, number);
        break;
    case CELL_PROMISE:
        doc_shaded(d, !strcmp(text, "yes") ? "" : "d3", "%s", text);
        break;
    }
}

/* Notes the cells that have a value in any row. */
static void find_filled(sqlite3_stmt *s, const struct query_column *columns, bool *filled)
{
    while (sqlite3_step(s) == SQLITE_ROW)
        for (int i = 0, at = 0; columns[i].heading; at += columns_of(columns[i++].format))
            filled[i] |= sqlite3_column_type(s, at) != SQLITE_NULL;
    sqlite3_reset(s);
}

static void write_row(struct doc *d, sqlite3_stmt *s, const struct query_column *columns,
                      const bool *filled)
{
    const char *op = NULL, *cc = NULL;
    for (int i = 0, at = 0; columns[i].heading; at += columns_of(columns[i++].format)) {
        if (columns[i].format == CELL_KERNEL) op = column_text(s, at);
        if (columns[i].format == CELL_COMPILER) cc = column_text(s, at);
        if (columns[i].format == CELL_BUILD) cc = column_text(s, at + 1);
    }
    doc_row_of(d, op, cc);
    for (int i = 0, at = 0; columns[i].heading; at += columns_of(columns[i++].format))
        if (filled[i]) write_cell(d, s, at, columns[i].format);
    doc_row_end(d);
}

static void write_table(struct doc *d, sqlite3_stmt *s, const struct query_column *columns)
{
    const char *heads[QUERY_COLUMNS_MAX + 1] = {NULL};
    bool filled[QUERY_COLUMNS_MAX] = {false};
    find_filled(s, columns, filled);
    for (int i = 0, shown = 0; columns[i].heading; i++)
        if (filled[i]) heads[shown++] = columns[i].heading;
    doc_table(d, heads);
    while (sqlite3_step(s) == SQLITE_ROW) write_row(d, s, columns, filled);
    doc_table_end(d);
}

void query_write(struct doc *d, const struct lab_db *l, const char *sql,
                 const struct query_column *columns)
{
    for (sqlite3_stmt *s; (s = next_statement(d, l, &sql)); sqlite3_finalize(s))
        if (!gives_words(s))
            write_table(d, s, columns);
        else
            while (sqlite3_step(s) == SQLITE_ROW)
                doc_text(d, "%s", (const char *)sqlite3_column_text(s, 0));
}

size_t query_rows(const struct lab_db *l, const char *sql)
{
    size_t rows = 0;
    for (sqlite3_stmt *s; (s = next_statement(NULL, l, &sql)); sqlite3_finalize(s))
        while (!gives_words(s) && sqlite3_step(s) == SQLITE_ROW) rows++;
    return rows;
}
