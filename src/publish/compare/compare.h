/* compare: runs, machines, commits or the values of one axis, cell by cell: time, with a test and
 * an interval, and the accuracy beside it. From result files alone. */
#ifndef ULPLAB_COMPARE_H
#define ULPLAB_COMPARE_H

#include "publish/compare/compare_means.h"
#include "publish/compare/compare_types.h"
#include "publish/compare/compare_write.h"

/* Refuses as origin_comparable() says (EXIT_BAD_INPUT), and EXIT_USAGE where no cell is common.
 * The comparison borrows from the plan and its results. */
int compare_make(const struct compare_plan *plan, struct comparison *c, struct error *e);
void compare_free(struct comparison *c);

/* Cells that are slower by more than the margin, the test agreeing. */
size_t compare_regressions(const struct comparison *c);

#endif
