// SPDX-License-Identifier: MIT
/* The chart of the vector-math table: a point per line of the table that was timed, a colour and a
 * shape per library. */
"use strict";

(() => {
  const { shownRows, listen, libraries } = vectorPage; // in the order of their colours
  const { HUES, isNumber, short, drawnError, points, drawPoints } = drawing;
  const SHAPES = ["circle", "rectRot", "triangle", "rect", "star", "crossRot"];
  const hollow = ({ hazard, wrong }) => hazard || wrong;

  function drawRows() {
    const timed = shownRows()
      .filter((row) => row.cycles > 0 && isNumber(row.max))
      .map((row) => ({ row, x: row.cycles, y: drawnError(row.max), hollow: hollow(row) }));
    const setOf = (library, i) => {
      const own = timed.filter(({ row }) => row.library === library);
      const radius = own.map(({ row }) => (row.own ? 6 : 4.5));
      return points(library, HUES[i % HUES.length], own, { radius, pointStyle: SHAPES[i % SHAPES.length] });
    };
    drawPoints("vectors", {
      x: "cycles per element, faster to the left",
      y: "max ULP over all inputs",
      sets: libraries.map(setOf).filter((set) => set.data.length),
      callbacks: {
        title: ([item]) => item && `${item.raw.row.op} ${item.raw.row.library}`,
        label: ({ raw: { row } }) =>
          [row.build, `${short(row.cycles)} cycles, ${short(row.max)} ulp at ${row.at}`],
      },
      caption: timed.length ? `${timed.length} builds.` : "Nothing that matches was timed.",
    });
  }
  listen(drawRows);
  drawRows();
})();
