// SPDX-License-Identifier: MIT
/* The tables of loaded records with which everything that is published begins (facts.sql,
 * findings.sql). */
#ifndef ULPLAB_SQL_FACTS_H
#define ULPLAB_SQL_FACTS_H

#include "model/lab_db.h"

/* The default error bar of advice (`--max-ulp`): 4 ulp, or 4 u where results come near zero. */
extern const double advice_bar;

/* Keeps the rows of times, errors and machine code whose variant, or cell, matches every filter
 * (model/filter.h). EXIT_USAGE where a filter is malformed or no row is left. */
int db_narrow(const struct lab_db *l, const char *const *filters, size_t count, struct error *e);

/* Executes statements in which fits(id, op, algorithm, dtype, isa, cc, policy) says whether all
 * filters match. EXIT_USAGE where one is malformed. */
int narrow_run(const struct lab_db *l, const char *sql, const char *const *filters, size_t count,
               struct error *e);

/* Makes the tables of facts.sql and findings.sql in a database that db_read() has filled. bar: NAN
 * for none. */
int facts_make(const struct lab_db *l, double bar, struct error *e);

#endif
