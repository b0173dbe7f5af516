// SPDX-License-Identifier: MIT
/* Users' SQL queries over a database of results. */
#ifndef ULPLAB_SQL_ASK_H
#define ULPLAB_SQL_ASK_H

#include <stddef.h>
#include <stdio.h>

#include "model/lab_db.h"

enum answer_format { ANSWER_TABLE, ANSWER_CSV, ANSWER_JSON };

/* Queries of people are given so long; one that takes more memory is stopped, too. */
enum { ASK_SECONDS = 60, ASK_MEGABYTES = 2048 };

/* Runs a query, or for a table several, and prints its rows. Makes the connection read-only:
 * statements other than SELECT, ATTACH, PRAGMAs except those that describe tables, and extensions
 * are refused. EXIT_USAGE with the error; EXIT_PARTIAL if a limit stopped it. */
int sql_ask(const struct lab_db *l, const char *sql, enum answer_format format, unsigned seconds,
            FILE *out, struct error *e);

/* Prints the schema with its comments and the questions of this folder. */
void ask_help(FILE *out);
/* The example queries: each begins with a comment that states the question. They end with a NULL
 * name. */
struct question {
    const char *name, *sql;
};
extern const struct question questions[];

#endif
