// SPDX-License-Identifier: MIT
/* The data that every report of one run is written from, and report.md. */
#ifndef ULPLAB_REPORT_H
#define ULPLAB_REPORT_H

#include <stdio.h>

#include "model/lab_db.h"
#include "publish/sql/facts.h"

struct report {
    struct lab_db db; /* its records, with the tables of sql/facts.sql and sql/policy.sql */
    double bar;       /* of advice */
    char brand[200], title[240]; /* the machine's name, with its microarchitecture */
};

/* Reads a folder and derives the rest. bar: of advice (sql/facts.h). An error code leaves nothing
 * to close, else the database is. */
int report_open(const char *folder, double bar, struct report *r, struct error *e);

/* Writes report.md into the folder `into`: the answer, the libraries, the policies, the machine, in
 * at most 100 KB, and where the rest is. `path` receives where. */
int report_write(const struct report *r, const char *into, char *path, size_t path_size,
                 struct error *e);

/* Returns the beginning of report.md, the answer, for a terminal of that many columns: at most 25
 * lines. The caller frees. */
char *report_answer(const struct report *r, size_t columns);

#endif
