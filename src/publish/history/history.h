// SPDX-License-Identifier: MIT
/* The cells of an archive over its runs: where a time changed its level, and every change of an
 * error or of bits, which have no noise. */
#ifndef ULPLAB_HISTORY_H
#define ULPLAB_HISTORY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "model/lab_db.h"
#include "publish/history/change_points.h"

struct history_request {
    const char *selector; /* of runs; "" for all */
    const char *machine;  /* by the beginning of its slug; NULL for all */
    const char *const *filters;
    size_t filter_count;
    size_t last;       /* runs of each machine, the newest */
    const char *since; /* "2026-11-01": of changes (date_check() has seen it); NULL for all */
    double threshold;  /* least change of a time that gates: 0.02 is 2% */
};

struct history_run {
    int64_t id, codegen, accuracy;
    char *run, *machine, *commit, *started, *compilers, *kernel, *microcode, *libraries;
};

/* A cell's time in one run. */
struct history_point {
    int64_t variant, shape;
    size_t run; /* index */
    double ns, low, high;
};

enum history_kind { HISTORY_TIME, HISTORY_ERROR, HISTORY_BITS };
struct history_change {
    enum history_kind kind;
    size_t run, before; /* the first run of the new level, and the last of the old one */
    int64_t variant;
    size_t series;              /* of HISTORY_TIME */
    double ratio, low, high, p; /* new over old; of errors: the two errors' */
    double old_value, new_value;
    bool gates;
    char causes[200]; /* what else differs between both runs; "" where nothing is known to */
};

/* Points [first, end) of one cell on one machine, by time. */
struct history_series {
    size_t first, end;
};

struct history {
    struct history_run *runs; /* by machine, then time */
    size_t run_count;
    struct history_point *points;
    size_t point_count;
    struct history_series *series;
    size_t series_count;
    struct history_change *changes; /* the newest first */
    size_t change_count;
    size_t compared; /* series of times, and accuracies of a variant, that a change could be found
                        in */
    const char **variants; /* by the archive's number; NULL where the filter leaves one out */
    char **shapes;         /* by number: "rows=64/n=64/threads=1" */
    int64_t variant_max, shape_max;
};

/* EXIT_USAGE where no run is left, or none began since. The caller frees. */
int history_open(const struct lab_db *l, const struct history_request *q, struct history *h,
                 struct error *e);
void history_free(struct history *h);

/* The stages, for history_open(). */
int history_load(const struct lab_db *l, const struct history_request *q, struct history *h,
                 struct error *e);
int history_find_times(const struct lab_db *l, const struct history_request *q, struct history *h,
                       struct error *e);
int history_find_errors(const struct lab_db *l, const struct history_request *q, struct history *h,
                        struct error *e);
/* Returns whether the run began since then; false if it does not say when it began. */
bool history_is_since(const struct history *h, size_t run, const char *since);
int history_add_change(struct history *h, const struct history_change *c, struct error *e);
/* Writes into the causes of a change what differs between its two runs. */
int history_explain(const struct lab_db *l, const struct history *h, struct history_change *c,
                    struct error *e);

/* "time", "error", "bits". */
const char *history_kind_name(enum history_kind kind);
/* The id of a change's cell, or of its variant where it is of all cells. */
void history_name(const struct history *h, const struct history_change *c, char *text, size_t size);
/* Returns the number of changes that no known change explains; at most these are false alarms. */
size_t history_unexplained(const struct history *h);
/* The changes that gate. */
size_t history_gates(const struct history *h);

json_t *history_document(const struct history *h);
void history_write(const struct history *h, FILE *out);

#endif
