// SPDX-License-Identifier: MIT
/* The chart of the vector-math table: a point per line of the table that was timed, a colour and a
 * shape per library. */
"use strict";

(() => {
  const { shownRows, listen, libraries } = vectorPage; // in the order of their colours
  const { isaTitle } = page;
  const { HUES, isNumber, short, color, faded, axis, around, draw, caption } = drawing;
  const SHAPES = ["circle", "rectRot", "triangle", "rect", "star", "crossRot"];
  /* Exact results are drawn at the oracle's own error, those without a correct digit at 1e8 ulp. */
  const drawn = (ulp) => Math.min(Math.max(ulp, 1e-3), 1e8);

  function setOf(library, i, rows) {
    const hue = color(HUES[i % HUES.length]);
    return {
      label: library,
      data: rows.map((row) => ({ row, x: row.cycles, y: drawn(row.max) })),
      pointStyle: SHAPES[i % SHAPES.length],
      radius: rows.map((row) => (row.own ? 6 : 4.5)),
      borderWidth: 1.5,
      borderColor: hue,
      backgroundColor: rows.map((row) => (row.hazard || row.wrong ? "transparent" : faded(hue))),
      hoverRadius: 8,
    };
  }

  function drawRows() {
    const rows = shownRows();
    const timed = rows.filter((row) => row.cycles > 0 && isNumber(row.max));
    const sets = libraries
      .map((library, i) => setOf(library, i, timed.filter((row) => row.library === library)))
      .filter((set) => set.data.length);
    draw("vectors", {
      type: "scatter",
      sets,
      scales: {
        x: axis("logarithmic", "cycles per element, faster to the left", around(timed.map((row) => row.cycles))),
        y: axis("logarithmic", "max ULP over all inputs", around(timed.map((row) => drawn(row.max)))),
      },
      tip: {
        callbacks: {
          title: ([item]) => item && `${item.raw.row.op} ${item.raw.row.library}`,
          label: ({ raw: { row } }) => [
            [isaTitle(row.isa), row.cc, row.policy].join(", "),
            `${short(row.cycles)} cycles, ${short(row.max)} ulp at ${row.at}`,
          ],
        },
      },
      interaction: { mode: "nearest", intersect: true },
    });
    caption("vectors", timed.length ? `${timed.length} builds.` : "Nothing that matches was timed.");
  }
  listen(drawRows);
  drawRows();
})();
