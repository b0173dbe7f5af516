// SPDX-License-Identifier: MIT
/* The tables of every variant, error and time, whose rows follow the filters. */
"use strict";

(() => {
  const { data, state, flagBox, listenLater, matches } = report;
  const { units, axes, variants, times, errors } = data;
  const { NONE, element, isaTitle, fixed, errorText } = page;
  const { column, longTable, onePer } = grid;

  /* raceOf(row): of rows of one race the first that matches stands for all, until every build is
   * asked for. */
  function dataTable(id, columns, rows, raceOf = null) {
    const table = document.getElementById(id);
    if (!table || !rows.length) return;
    let order = { key: "marks", down: false }; // the front first
    let redraw;

    function shownRows() {
      const matching = rows.filter(matches);
      return raceOf && !state.everyBuild ? onePer(matching, raceOf) : matching;
    }
    longTable({
      id, some: Infinity, keeps: true, rows: shownRows, columns: () => columns, by: () => order,
      boxes: raceOf ? [" ", flagBox("everyBuild", "every build")] : [],
      sort: (key, down) => {
        order = { key, down };
        redraw();
      },
      count: (list) => `${list.length} of ${rows.length} rows`,
      listen: (draw) => {
        redraw = draw;
        listenLater(table, draw);
      },
    });
  }

  const nameOf = (_, { operation, kernel }) => element("span", {}, `${operation} `, element("b", {}, kernel));
  const identity = [
    column("kernel", (row) => `${row.operation} ${row.kernel}`, nameOf),
    column("ISA", "isa", isaTitle),
    column("compiler", "cc"),
    column("policy", "policy", (name) => element("code", {}, name)),
  ];

  const isKnown = (text) => (x, row) => (x === null ? NONE : text(x, row));
  const percent = isKnown((x) => `${fixed(x, 0)}%`);
  const interval = isKnown((low, { high }) => `[${fixed(low, 3)}, ${fixed(high, 3)}]`);
  const part = (x) => `--p:${Math.min(100, Math.round(x ?? 0))}`;
  /* A time per element, its interval, and its share of the limit. */
  const timeColumns = [
    column("ns/element", "ns", (x) => fixed(x, 3)),
    column("95% interval", "low", interval, { className: "ci" }),
    column("% of limit", "percent", percent, { className: "meter", style: part }),
  ];

  function marks(v) {
    const names = ["front", "hazard", "wrong"].filter((name) => v[name]);
    return element("span", {}, ...names.map((name) => element("span", { className: `mark ${name}` }, name)));
  }

  dataTable("time-table", [
    ...identity,
    column("rows×n", "elements", (_, t) => t.size),
    column("family", "family"),
    column("threads", "threads"),
    column("resident", "level"),
    ...timeColumns,
    column("limit", "limit"),
    column("per vector", "vector"),
  ], times, (t) => t.race);

  const largest = (i) => ({ families }) => families[i]?.[3] ?? null;
  const ofFamily = (family, i) => column(family, largest(i), errorText);
  dataTable("error-table", [...identity, ...axes.family.map(ofFamily)], errors);

  dataTable("variant-table", [
    ...identity,
    ...timeColumns,
    column("max error, normal", "error", isKnown((x, v) => `${errorText(x)} ${units[v.op]}`)),
    column("mean ULP", "mean", errorText),
    column("worst ULP", "worst", errorText),
    column("in family", "family"),
    column("scaled", "scaled", errorText),
    column("of bound", "bound", errorText),
    column("lost", "lost"),
    column("specials", "specials"),
    column("FMA", "fma"),
    column("", (v) => marks(v).textContent || null, (_, v) => marks(v), { key: "marks" }),
  ], variants);
})();
