// SPDX-License-Identifier: MIT
/* compare: compares runs, machines, commits or the values of one axis cell by cell: times, with a
 * test and an interval, and accuracy. It only reads result files; publish/sql/compare.sql makes the
 * tables of the comparison. */
#ifndef ULPLAB_COMPARE_H
#define ULPLAB_COMPARE_H

#include <jansson.h>

#include "model/lab_db.h"

/* The request. Words are folders of results or, with an axis in one folder, values of the axis. by:
 * NULL, "cpu", "commit", "isa", "cc", "policy". home: the folder to take if no word is one. */
struct compare_request {
    const char *const *words;
    size_t word_count;
    const char *by, *home;
    const char *const *filters;
    size_t filter_count;
    const char *const *maps; /* builds that count as others (db/names.h) */
    size_t map_count;
    double margin;     /* a ratio within this of 1 counts as no difference: 0.02 is 2% */
    const char *gates; /* " time error lost ", as gate_kinds() writes them; "" for none */
    double detect;     /* a gate is undecided where it would miss a slowdown by this factor */
};
extern const double compare_usual_margin, compare_usual_detect;

/* Without `by`: two or more folders; they are runs of one machine, or CPUs where the machines
 * differ. "cpu", "commit": the same, named so. An axis: values of it in one folder (two or more
 * words that are no folders; without any, all that the folder has, in the usual order), or the
 * first value in the first folder against the others in the second. Every side is compared with the
 * first, in the cells that both have and whose machine code (of libraries: version) is the same; of
 * commits, and where a gate or a map is asked for, whatever the code. EXIT_USAGE or EXIT_BAD_INPUT
 * where it makes no sense, EXIT_USAGE where nothing is left. lab_close() afterwards.
 * sql/compare_text.sql and compare_document.sql tell of it. */
int compare_open(const struct compare_request *q, struct lab_db *l, struct error *e);

/* One of two sides that were timed side by side: records of timing.jsonl; records with the same id
 * are compared. */
struct compare_side {
    const char *name;
    const json_t *rows;
};
/* Like compare_open(), for two sides of one run on the document's machine: b over a. Of q only
 * margin, gates and detect are used. */
int compare_open_sides(const struct compare_request *q, const json_t *document,
                       const struct compare_side sides[2], struct lab_db *l, struct error *e);

#endif
