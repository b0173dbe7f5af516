// SPDX-License-Identifier: MIT
/* compare: runs, machines, commits or the values of one axis, cell by cell: time, with a test and
 * an interval, and the accuracy beside it. From result files alone; the comparison is the tables
 * that publish/sql/compare.sql makes. */
#ifndef ULPLAB_COMPARE_H
#define ULPLAB_COMPARE_H

#include "model/lab_db.h"

/* The request. Words are folders of results or, with an axis in one folder, values of the axis. by:
 * NULL, "cpu", "commit", "isa", "cc", "policy". home: the folder to take if no word is one. */
struct compare_request {
    const char *const *words;
    size_t word_count;
    const char *by, *home;
    const char *const *filters;
    size_t filter_count;
    double margin; /* a ratio within this of 1 counts as no difference: 0.02 is 2% */
};
extern const double compare_usual_margin;

/* Without `by`: two or more folders; they are runs of one machine, or CPUs where the machines
 * differ. "cpu", "commit": the same, named so. An axis: values of it in one folder (two or more
 * words that are no folders; without any, all that the folder has, in the usual order), or the
 * first value in the first folder against the others in the second. Every side is compared with the
 * first, in the cells that both have and whose machine code (of libraries: version) is the same; of
 * commits, whatever the code. EXIT_USAGE or EXIT_BAD_INPUT where it makes no sense, EXIT_USAGE
 * where nothing is left. lab_close() afterwards. sql/compare_text.sql and compare_document.sql tell
 * of it. */
int compare_open(const struct compare_request *q, struct lab_db *l, struct error *e);

#endif
