// SPDX-License-Identifier: MIT
/* The columns of a query's row. */
#ifndef ULPLAB_SQL_COLUMNS_H
#define ULPLAB_SQL_COLUMNS_H

#include <sqlite3.h>
#include <stddef.h>

/* 0 where it is NULL. */
static inline size_t column_count(sqlite3_stmt *s, int column)
{
    return (size_t)sqlite3_column_int64(s, column);
}

/* "" where it is NULL; until the next step. */
static inline const char *column_text(sqlite3_stmt *s, int column)
{
    const unsigned char *value = sqlite3_column_text(s, column);
    return value ? (const char *)value : "";
}

#endif
