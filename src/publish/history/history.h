// SPDX-License-Identifier: MIT
/* The cells of an archive over its runs: where a time changed its level, and every change of an
 * error or of bits, which have no noise (sql/history.sql). */
#ifndef ULPLAB_HISTORY_H
#define ULPLAB_HISTORY_H

#include <stddef.h>

#include "model/lab_db.h"

struct history_request {
    const char *selector; /* of runs; "" for all */
    const char *machine;  /* by the beginning of its slug; NULL for all */
    const char *const *filters;
    size_t filter_count;
    const char *const *maps; /* builds that count as others (db/names.h) */
    size_t map_count;
    size_t last;       /* runs of each machine, the newest */
    const char *since; /* "2026-11-01": of changes (date_check() has seen it); NULL for all */
    double threshold;  /* least change of a time that gates: 0.02 is 2% */
    const char *gates; /* kinds of changes that gate, " error lost time " (gate_kinds()) */
};

/* Makes the tables of sql/history.sql in an archive's connection; history_text.sql and
 * history_document.sql print them. EXIT_USAGE if no run is left, or none began since then. */
int history_make(const struct lab_db *l, const struct history_request *q, struct error *e);

/* Where does a series of noisy figures change its level? E-divisive (Matteson and James, Journal of
 * the American Statistical Association 109, 2014) finds where to split; whether a split counts is
 * decided by Student's t on the two segments, as Hunter does (Apache Otava), and not by
 * permutations: the same series always has the same change points. */

/* One run's figure: ns, as a logarithm, and the standard error that its own interval says; 0:
 * unknown. raw: the value as it was measured; that of an odd run is taken to where noise ends. */
struct point {
    double value, error, ns, raw;
    int64_t run; /* its place in time */
};

struct change_point {
    size_t at;        /* the first point of the new level */
    double shift;     /* of the mean of the logarithms, new less old */
    double low, high; /* its 95% interval */
    double p;
};

/* The change points of a series, in order, by value and error. Returns how many, at most `room`. A
 * level has at least three points, so that a change is found in the third run after it. One odd run
 * neither makes a change nor hides one. */
size_t change_points_find(const struct point *series, size_t count, struct change_point *found,
                          size_t room);

#endif
