// SPDX-License-Identifier: MIT
#include "publish/render/print.h"

#include <stdlib.h>
#include <string.h>

#include "publish/db/columns.h"

enum { TITLE_ROOM = 80 };

/* The statement stands at its first row. Returns what the last step did. */
static int print_table(sqlite3_stmt *s, FILE *out, struct terminal terminal)
{
    struct column columns[COLUMNS_MAX];
    char titles[COLUMNS_MAX][TITLE_ROOM];
    const char *cells[COLUMNS_MAX];
    struct table table;
    int state;
    const int count = sqlite3_column_count(s) - 1;
    uint32_t gathered = 0;
    for (int i = 0; i < count; i++) {
        const char *name = sqlite3_column_name(s, i + 1), *bar = strrchr(name, '|');
        const char *form = bar ? bar : "";
        snprintf(titles[i], TITLE_ROOM, "%.*s", (int)(bar ? bar - name : TITLE_ROOM), name);
        columns[i] = (struct column){titles[i], strchr(form, '>') != NULL,
                                     atoi(form + strcspn(form, "123456789"))};
        gathered |= (uint32_t)(strchr(form, '!') != NULL) << i;
    }
    table_begin(&table, columns, (size_t)count);
    table.gathered = gathered;
    do {
        for (int i = 0; i < count; i++) cells[i] = column_text(s, i + 1);
        table_add(&table, (enum tint)sqlite3_column_int(s, 0), cells);
    } while ((state = sqlite3_step(s)) == SQLITE_ROW);
    table_end(&table, out, terminal);
    return state;
}

/* Returns what the last step did. */
static int print_words(sqlite3_stmt *s, FILE *out, struct terminal terminal)
{
    const bool says = sqlite3_column_count(s) > 1;
    int state;
    do {
        if (sqlite3_column_type(s, 0) != SQLITE_NULL)
            write_prose(out, terminal, says ? column_count(s, 1) : 2, "%s", column_text(s, 0));
    } while ((state = sqlite3_step(s)) == SQLITE_ROW);
    return state;
}

static void bind(sqlite3_stmt *s, const char *name, bool value)
{
    const int at = sqlite3_bind_parameter_index(s, name);
    if (at) sqlite3_bind_int(s, at, value);
}

int print_parts(const struct lab_db *l, const char *sql, bool brief, FILE *out,
                struct terminal terminal, struct error *e)
{
    int state = SQLITE_DONE;
    while (state == SQLITE_DONE && *sql) {
        sqlite3_stmt *s = NULL;
        if (sqlite3_prepare_v2(l->db, sql, -1, &s, &sql) != SQLITE_OK) return lab_failed(l, e);
        if (!s) break; /* comments behind the last */
        bind(s, ":screen", terminal.columns > 0);
        bind(s, ":brief", brief);
        state = sqlite3_step(s);
        if (state == SQLITE_ROW)
            state = strcmp(sqlite3_column_name(s, 0), "words") ? print_table(s, out, terminal)
                                                               : print_words(s, out, terminal);
        sqlite3_finalize(s);
    }
    return state == SQLITE_DONE ? 0 : lab_failed(l, e);
}
