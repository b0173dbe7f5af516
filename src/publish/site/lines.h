// SPDX-License-Identifier: MIT
/* The cells of many runs side by side, as functions and tables of a connection: what SQL alone
 * takes seconds for, since it sorts millions of cells. */
#ifndef ULPLAB_LINES_H
#define ULPLAB_LINES_H

#include "model/lab_db.h"

/* Of a side: temp.sides (machines_scope.sql) numbers them from 0 on. A line's `cells` hold a cell
 * of each side. spread(cells, q)        of the times: the q-th of the sides in their order, 0 <= q
 * <= 1 packed(cells, figure)   for the page's script (assets/machines.js): by side, in base64:
 * 'time', 'exact', 'clock', 'cycles', 'share' packed_by(side, x)      aggregate: the same of
 * numbers, as 'exact' paces(cells)            aggregate: by side, the geometric mean of the time
 * over the line's, as a JSON array gains(narrow, wide)     aggregate: by side, the geometric mean
 * of time over time, likewise winners(name, cells)    aggregate: which name is the fastest on how
 * many sides: "off 3, fast 1" promises(policy)        1 where the policy promises something of its
 * arithmetic file_of(run, name)      the text of a run's file, in an archive */
int lines_functions_add(const struct lab_db *l, struct error *e);

/* Fills in temp.lines: the cells of temp.wanted's variants, each beside that of other sides at the
 * same length, threads, family and level of memory. Of several numbers of rows a side's fastest.
 * Cells that temp.unusual names are counted and left out. exact: temp.line_cells has them one by
 * one, too. */
int lines_make(const struct lab_db *l, bool exact, struct error *e);

#endif
