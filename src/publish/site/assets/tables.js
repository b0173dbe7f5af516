// SPDX-License-Identifier: MIT
/* The tables of every variant, error and time, whose rows follow the filters. */
"use strict";

(() => {
  const { data, state, flagBox, listenLater, matches, element, isaTitle, kernel } = report;
  const { units, axes, variants, times, errors } = data;
  const { NONE, fixed, errorText } = page;
  const { longTable, onePer } = grid;

  /* ---- Tables of data ---- */

  /* variantOf(row): whose filters it follows. raceOf(row): of rows of one race the first that
   * matches stands for all, until every build is asked for. */
  function dataTable(id, columns, rows, variantOf, raceOf = null) {
    const table = document.getElementById(id);
    if (!table) return;
    const count = table.parentElement.previousElementSibling;
    const label = count.appendChild(element("span"));
    let order = { key: "", down: false };
    let redraw;
    count.hidden = rows.length === 0;
    if (raceOf) count.append(" ", flagBox("everyBuild", "every build"));

    function shownRows() {
      const matching = rows.filter((row) => matches(variantOf(row)));
      return raceOf && !state.everyBuild ? onePer(matching, raceOf) : matching;
    }
    longTable({
      id, some: Infinity, keeps: true, label, rows: shownRows, columns: () => columns, by: () => order,
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

  const identity = (variantOf) => [
    {
      title: "kernel",
      value: (row) => `${variantOf(row).operation} ${kernel(variantOf(row))}`,
      content: (row) => {
        const v = variantOf(row);
        const name = element("span", {}, `${v.operation} `);
        name.append(element("b", {}, kernel(v)));
        return name;
      },
    },
    { title: "ISA", value: (row) => isaTitle(variantOf(row).isa) },
    { title: "compiler", value: (row) => variantOf(row).cc },
    {
      title: "policy",
      value: (row) => variantOf(row).policy,
      content: (row) => element("code", {}, variantOf(row).policy),
    },
  ];

  /* A time per element, its interval, and its share of the limit. */
  const timeColumns = [
    { title: "ns/element", value: (t) => t.ns, content: (t) => fixed(t.ns, 3) },
    {
      title: "95% interval",
      value: (t) => t.low,
      content: (t) => (t.low === null ? NONE : `[${fixed(t.low, 3)}, ${fixed(t.high, 3)}]`),
      className: "ci",
    },
    {
      title: "% of limit",
      value: (t) => t.percent,
      content: (t) => (t.percent === null ? NONE : `${fixed(t.percent, 0)}%`),
      className: "meter",
      style: (t) => `--p:${Math.min(100, Math.round(t.percent ?? 0))}`,
    },
  ];

  const countText = (count) => (count === null ? NONE : String(count));
  const errorColumn = (title, value) => ({
    title,
    value,
    content: (row) => errorText(value(row)),
  });

  function marks(v) {
    const names = ["front", "hazard", "wrong"].filter((name) => v[name]);
    const nodes = names.map((name) => element("span", { className: `mark ${name}` }, name));
    return element("span", {}, ...nodes);
  }

  function variantTable() {
    const columns = [
      ...identity((v) => v),
      ...timeColumns,
      {
        title: "max error, normal",
        value: (v) => v.error,
        content: (v) => (v.error === null ? NONE : `${errorText(v.error)} ${units[v.op]}`),
      },
      errorColumn("mean ULP", (v) => v.mean),
      errorColumn("worst ULP", (v) => v.worst),
      { title: "in family", value: (v) => v.family },
      errorColumn("scaled", (v) => v.scaled),
      errorColumn("of bound", (v) => v.bound),
      { title: "lost", value: (v) => v.lost, content: (v) => countText(v.lost) },
      { title: "specials", value: (v) => v.specials, content: (v) => countText(v.specials) },
      { title: "FMA", value: (v) => v.fma, content: (v) => countText(v.fma) },
      { title: "", value: (v) => marks(v).textContent || null, content: marks },
    ];
    dataTable("variant-table", columns, variants, (v) => v);
  }

  function errorTable() {
    const largest = (i) => (row) => (row.families[i] ? row.families[i][3] : null);
    const ofFamily = (family, i) => errorColumn(family, largest(i));
    const columns = [...identity((row) => row.variant), ...axes.family.map(ofFamily)];
    dataTable("error-table", columns, errors, (row) => row.variant);
  }

  /* Orders the times by what is compared (operation, threads, size, family, ISA and kernel), and
   * then by time. */
  function orderedTimes() {
    const before = (a, b) => (a > b) - (a < b);
    for (const t of times) {
      const { operation, isa, algorithm, dtype } = t.variant;
      t.order = [operation, t.threads, t.rows * t.n, t.n, t.family, isa, algorithm, dtype];
      t.race = t.order.join(" ");
    }
    return [...times].sort((a, b) => {
      for (let i = 0; i < a.order.length; i++) {
        const c = before(a.order[i], b.order[i]);
        if (c) return c;
      }
      return a.ns - b.ns;
    });
  }

  function timeTable() {
    const columns = [
      ...identity((t) => t.variant),
      { title: "rows×n", value: (t) => t.rows * t.n, content: (t) => `${t.rows}×${t.n}` },
      { title: "family", value: (t) => t.family },
      { title: "threads", value: (t) => t.threads },
      { title: "resident", value: (t) => t.level },
      ...timeColumns,
      { title: "limit", value: (t) => t.limit },
      { title: "per vector", value: (t) => t.vector },
    ];
    dataTable("time-table", columns, orderedTimes(), (t) => t.variant, (t) => t.race);
  }

  timeTable();
  errorTable();
  variantTable();
})();
