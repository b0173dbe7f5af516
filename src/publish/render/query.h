/* A section of a report as data: a query, and how its columns are shown. What it says is the
 * query's; this knows formats alone. */
#ifndef ULPLAB_RENDER_QUERY_H
#define ULPLAB_RENDER_QUERY_H

#include "model/lab_db.h"
#include "publish/render/doc.h"

/* What a cell shows: one column of the query, or those that are named. */
enum cell_format {
    CELL_TEXT,
    CELL_CODE,
    CELL_KERNEL,   /* op, algorithm; the page filters rows by the operation */
    CELL_BUILD,    /* isa, cc, policy; the page filters rows by the compiler */
    CELL_STATUS,   /* status, reason */
    CELL_SHAPE,    /* rows, n */
    CELL_TIME,     /* nanoseconds, three decimals */
    CELL_COMPILER, /* a compiler, by which the page filters rows */
    CELL_COUNT,
    CELL_NONE_EXPECTED, /* a count that is a finding where it is not 0 */
    CELL_SMALL,         /* 4.50e-09 */
    CELL_NUMBER,        /* three digits */
    CELL_ERROR,         /* error, unit; it may be infinite */
    CELL_PERCENT,       /* of a limit */
    CELL_PROMISE        /* "yes", or a finding in words */
};
struct query_column {
    const char *heading; /* NULL ends the columns */
    enum cell_format format;
};

/* Writes what the statements of `sql` give, in order: one whose only column is called `words`,
 * paragraphs; the other, of which there is one, the table, without columns in which every row has
 * NULL. Another NULL is a dash. */
void query_write(struct doc *d, const struct lab_db *l, const char *sql,
                 const struct query_column *columns);
/* How many rows the table has. */
size_t query_rows(const struct lab_db *l, const char *sql);

#endif
