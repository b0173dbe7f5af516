// SPDX-License-Identifier: MIT
/* The common part of a report's scripts: its data as objects, and the filters, from which tables.js
 * and charts.js draw. */
"use strict";

const report = (() => {
  const { raw, rowsOf, number, named } = page;

  /* ---- The data (src/publish/site/report_page.sql says their shape) ---- */

  const axes = raw.lists;
  const variants = rowsOf(raw.variants).map((v, index) => named({ ...v, index }));

  /* Rows of times and of errors have the fields of their variant, too. */
  const times = rowsOf(raw.times).map(({ variant, shape: [rows, n, threads, family, level], ...time }) => {
    const t = { ...variants[variant], ...time, n, threads, family, level, size: `${rows}×${n}`, elements: rows * n };
    t.race = [t.operation, threads, t.size, family, t.isa, t.kernel].join();
    t.least = t.percent === null ? null : (t.ns * t.percent) / 100;
    return t;
  });
  /* families: of each [p50, p99, p99.99, max], or null. */
  const errors = rowsOf(raw.errors)
    .map(({ shares }, i) => ({ ...variants[i], families: shares?.map((list) => list?.map(number)) }))
    .filter((row) => row.families);

  const [home = { rows: 0, n: 0 }] = rowsOf(raw.home);
  const units = Object.fromEntries(rowsOf(raw.units).map((row) => [row.op, row.unit]));
  const cases = rowsOf(raw.cases).map(({ record }) => record);
  const data = { home: `${home.rows}×${home.n}`, units, axes, variants, times, errors, cases };

  /* ---- The filters: one state that every table and chart obeys ---- */

  const AXES = { op: "all operations", isa: "all ISAs", cc: "all compilers", policy: "all policies" };
  let matching = []; // per variant
  let picked; // the variant whose whole id is the text: it alone, not those that begin like it
  const view = addressState({
    axes: AXES, more: { everyBuild: "" }, valuesOf: (axis) => axes[axis],
    count: () => `${matching.filter(Boolean).length} of ${variants.length} variants`,
  });
  const { state, changed, flagBox } = view;

  view.before(() => {
    picked = variants.find((v) => v.id === state.text.trim());
    matching = variants.map(picked ? (v) => v === picked : view.matcher());
  });

  /* ---- What is drawn later: most of a long page is not in the window when it opens ---- */

  const waiting = new Map(); // what draws it: the section it stands in

  const watcher = new IntersectionObserver(
    (entries) => {
      const near = new Set(entries.filter((entry) => entry.isIntersecting).map((entry) => entry.target));
      for (const [draw, section] of waiting) if (near.has(section)) draw();
    },
    { rootMargin: "600px" },
  );

  /* Draws the content of `node` when its section comes near the window, when the page has loaded and
   * is idle, or at once when the filters or the colours change; and from then on whenever they change.
   * A link to a place in the page needs everything at once, because sizes decide where that place is. */
  function listenLater(node, listener) {
    const draw = () => {
      waiting.delete(draw);
      listener();
    };
    view.listen(draw);
    if (location.hash) return draw();
    const section = node.closest("section") ?? node;
    waiting.set(draw, section);
    watcher.observe(section);
  }

  const whenIdle = (next) => (window.requestIdleCallback
    ? requestIdleCallback(next, { timeout: 100 }) : setTimeout(next));
  function drawNext() {
    const [draw] = waiting.keys();
    if (!draw) return;
    draw();
    whenIdle(drawNext);
  }
  addEventListener("load", () => whenIdle(drawNext));

  /* One variant alone; once more, all of them again. */
  function pick(v) {
    changed({ op: "", isa: "", cc: "", policy: "", text: picked?.id === v.id ? "" : v.id });
  }

  document.getElementById("filters").hidden = variants.length === 0;
  view.begin();

  const matches = (row) => matching[row.index];
  const pickedVariant = () => picked;
  const isDrawn = () => waiting.size === 0;
  return { data, state, changed, flagBox, listenLater, isDrawn, pick, pickedVariant, matches };
})();
