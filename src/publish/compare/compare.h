/* compare: runs, machines, commits or the values of one axis, cell by cell: time, with a test and
 * an interval, and the accuracy beside it. From result files alone. */
#ifndef ULPLAB_COMPARE_H
#define ULPLAB_COMPARE_H

#include "publish/compare/compare_means.h"
#include "publish/compare/compare_types.h"
#include "publish/compare/compare_write.h"

/* Compares the cells that sides have in common and whose machine code (of libraries: version) is
 * the same; of commits, whatever the code. EXIT_BAD_INPUT where origin_comparable() refuses,
 * EXIT_USAGE where nothing is left. The plan and its results must outlive the comparison. */
int compare_make(const struct compare_plan *plan, struct comparison *c, struct error *e);
void compare_free(struct comparison *c);

/* How many cells are slower by more than the margin with a significant test. */
size_t compare_regressions(const struct comparison *c);

#endif
