// SPDX-License-Identifier: MIT
/* performance.md and performance.html: any number of machines side by side, from folders or from an
 * archive. Every table is a query (publish/sql/machines_*.sql). */
#ifndef ULPLAB_MACHINES_H
#define ULPLAB_MACHINES_H

#include "model/lab_db.h"

struct machines_request {
    const char *const *places; /* folders and runs of archives; or an archive */
    size_t count;
    const char *const *filters;
    size_t filter_count;
    double bar; /* of advice */
    struct lab_db
        *loaded; /* the places' runs, which machines_open() takes over; NULL: it loads them */
};

struct machines {
    struct lab_db l;
    size_t sides;
    bool few; /* figures are exact, and each machine has a column */
};

/* Selects the runs to compare: each place's run, or of one archive the newest run of each machine;
 * cells are compared if they ran the machine code, or version of a library, that most machines ran.
 * lab_close() afterwards. EXIT_BAD_INPUT if a place cannot be read or the runs cannot be compared,
 * EXIT_USAGE if no cell is left that two machines have. */
int machines_open(const struct machines_request *q, struct machines *m, struct error *e);

/* How many machines a word names: more than 1 where it is an archive with runs of several. */
int machines_count(const char *word, size_t *count, struct error *e);

/* Whole or not at all. */
int machines_write_text(const struct machines *m, const char *path, struct error *e);
int machines_write_page(const struct machines *m, const char *path, struct error *e);

#endif
