// SPDX-License-Identifier: MIT
#include "publish/sql/meant.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/nearest.h"
#include "publish/db/columns.h"
#include "publish/db/sql.h"

#define TABLES                                                                                     \
    "(SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') UNION SELECT name FROM "      \
    "sqlite_temp_schema WHERE type IN ('table', 'view'))"

static const struct {
    const char *message, *names; /* names: a query for those that there are; ?1 the query */
} mistakes[] = {
    {"no such column: ", "SELECT DISTINCT p.name FROM " TABLES " m, pragma_table_info(m.name) p "
                         "WHERE instr(lower(?1), lower(m.name))"},
    {"no such table: ", "SELECT name FROM " TABLES " WHERE ?1 <> ''"},
};

static bool meant_is_letter(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns whether the text up to `end` has the word as a whole one. */
static bool has_whole(const char *text, const char *end, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; at + length <= end; at++)
        if (!strncasecmp(at, word, length) && (at == text || !meant_is_letter(at[-1])) &&
            !meant_is_letter(at[length]))
            return true;
    return false;
}

/* Returns whether the schema's comment behind the column has the word. */
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

void meant_name(const struct lab_db *l, const char *query, const char *message, char *name,
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
