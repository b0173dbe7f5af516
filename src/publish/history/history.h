// SPDX-License-Identifier: MIT
/* The cells of an archive over its runs: where a time changed its level, and every change of an
 * error or of bits, which have no noise (sql/history.sql). */
#ifndef ULPLAB_HISTORY_H
#define ULPLAB_HISTORY_H

#include "model/lab_db.h"

struct history_request {
    const char *selector; /* of runs; "" for all */
    const char *machine;  /* by the beginning of its slug; NULL for all */
    const char *const *filters;
    size_t filter_count;
    const char *const *maps; /* builds that are read as others (db/rename.h) */
    size_t map_count;
    size_t last;       /* runs of each machine, the newest */
    const char *since; /* "2026-11-01": of changes (date_check() has seen it); NULL for all */
    double threshold;  /* least change of a time that gates: 0.02 is 2% */
    const char *gates; /* kinds of changes that gate, " error lost time " (gate_kinds()) */
};

/* Makes the tables of sql/history.sql, of which history_text.sql and history_document.sql tell, in
 * an archive's connection. EXIT_USAGE where no run is left, or none began since. */
int history_make(const struct lab_db *l, const struct history_request *q, struct error *e);

#endif
