// SPDX-License-Identifier: MIT
/* The cells of many runs side by side, as functions of a connection: SQL alone would take seconds,
 * because it would sort millions of cells. */
#ifndef ULPLAB_LINES_H
#define ULPLAB_LINES_H

#include "model/lab_db.h"

/* Adds the functions of SQL below. Sides are numbered from 0 on (temp.sides, machines_scope.sql).
 *
 * - cells(sides, side, ns, cycles, percent, shape): aggregate, a cell of each side, its fastest
 * - cell(cells, side, figure): 'shape' of a side's cell, or how many it is the fastest of, 'merged'
 * - over(cells, figure): on how many 'sides' there is one, 'mean' of the logarithms of their times
 * - spread(cells, q): the time of the q-th of the sides in the order of their times, 0 <= q <= 1
 * - packed(cells, figure): a figure by side, in base64, for the page's script (assets/machines.js):
 *   'time', 'clock', 'share'
 * - ratios(cells, others): aggregate, by side the geometric mean of its time over that of others,
 * or over a number, as a JSON array
 * - winners(name, cells): aggregate, on how many sides each name is the fastest: "off 3, fast 1"
 * - file_of(run, name): the text of a run's file, in an archive */
int lines_functions_add(const struct lab_db *l, struct error *e);

#endif
