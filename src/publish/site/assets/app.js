// SPDX-License-Identifier: MIT
/* The common part of a report's scripts: its data as objects, and the filters, from which tables.js
 * and charts.js draw. */
"use strict";

const report = (() => {
  const { raw, rowsOf, number, element, option, isaTitle, kernel } = page;

  /* ---- The data (src/publish/site/report_page.sql says their shape) ---- */

  const { op, isa, cc, policy, family } = raw.lists;
  const text = (value) => value ?? "";
  const variants = rowsOf(raw.variants, { family: text, hazard: Boolean, wrong: Boolean, candidate: Boolean, front: Boolean });
  variants.forEach((v, index) => {
    const [operation] = v.op.split(" "); // "softmax bf16" is softmax
    const id = `${operation}/${v.algorithm}/dtype=${v.dtype}/isa=${v.isa}/cc=${v.cc}/policy=${v.policy}`;
    Object.assign(v, { index, operation, id });
  });

  const times = rowsOf(raw.times, { variant: (i) => variants[i], limit: text });
  for (const t of times) {
    const [rows, n, threads, inputs, level] = t.shape;
    const least = t.percent === null ? null : (t.ns * t.percent) / 100;
    Object.assign(t, { rows, n, threads, family: inputs, level, least });
  }
  for (const v of variants) {
    const { ns, low, high, percent } = times[v.time] ?? { ns: null, low: null, high: null, percent: null };
    Object.assign(v, { ns, low, high, percent });
  }

  /* Per variant that was measured: {variant, families: [[p50, p99, p99.99, max] or null]}. */
  const errors = rowsOf(raw.errors)
    .map(({ shares }, i) => ({ variant: variants[i], families: shares }))
    .filter((row) => row.families)
    .map(({ variant, families }) => ({ variant, families: families.map((shares) => shares && shares.map(number)) }));

  const axes = { op, isa, cc, policy, family };
  const [home = { rows: 0, n: 0 }] = rowsOf(raw.home);
  const units = Object.fromEntries(rowsOf(raw.units).map((row) => [row.op, row.unit]));
  const cases = rowsOf(raw.cases).map(({ record }) => record);
  const data = { home: [home.rows, home.n], units, axes, variants, times, errors, cases };

  /* ---- The filters: one state that every table and chart obeys ---- */

  const AXES = { op: "all operations", isa: "all ISAs", cc: "all compilers", policy: "all policies" };
  let matching = []; // per variant
  let picked; // the variant whose whole id is the text: it alone, not those that begin like it
  const view = addressState({
    axes: AXES, more: { everyBuild: "" }, valuesOf: (axis) => axes[axis],
    count: () => `${matching.filter(Boolean).length} of ${variants.length} variants`,
  });
  const { state, changed, flagBox } = view;

  function matcher() {
    picked = variants.find((v) => v.id === state.text.trim());
    return picked ? (v) => v === picked : view.matcher();
  }
  view.before(() => {
    matching = variants.map(matcher());
  });

  /* Calls it now and whenever the filters or the colours change. */
  function listen(listener) {
    view.listen(listener);
    listener();
  }

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
    if (location.hash) return listen(listener);
    const section = node.closest("section") ?? node;
    const draw = () => {
      waiting.delete(draw);
      listener();
    };
    waiting.set(draw, section);
    watcher.observe(section);
    return view.listen(draw);
  }

  const whenIdle = (next) => (window.requestIdleCallback ? requestIdleCallback(next, { timeout: 100 }) : setTimeout(next));
  function drawNext() {
    const [draw] = waiting.keys();
    if (!draw) return;
    draw();
    whenIdle(drawNext);
  }
  addEventListener("load", () => whenIdle(drawNext));

  /* One variant alone; once more, all of them again. */
  function pick(v) {
    changed({ op: "", isa: "", cc: "", policy: "", text: picked === v ? "" : v.id });
  }

  /* Hides the blocks about an operation, or a compiler, that the filters leave out. */
  function filterBlocks() {
    const other = (axis, node) => {
      const value = node.dataset[axis];
      return state[axis] !== "" && value !== undefined && value !== state[axis];
    };
    for (const node of document.querySelectorAll("[data-op], [data-cc]"))
      node.hidden = other("op", node) || other("cc", node);
  }

  view.listen(filterBlocks);
  document.getElementById("filters").hidden = variants.length === 0;
  view.begin();

  const matches = (v) => matching[v.index];
  const pickedVariant = () => picked;
  const isDrawn = () => waiting.size === 0;
  const shared = { data, state, changed, flagBox, listen, listenLater, isDrawn, pick, pickedVariant, matches };
  return { ...shared, element, option, isaTitle, kernel };
})();
