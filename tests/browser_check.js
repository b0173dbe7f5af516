// SPDX-License-Identifier: MIT
/* Run inside a copy of a report by scripts/test-html, after the report's own script: does what a
 * reader does and writes what it found into <pre id="browser-check">, a line per check. The part
 * that collects errors (window.seen) stands at the page's top. */
"use strict";
(async () => {
  const lines = [];
  const check = (name, holds, saw = "") => lines.push(`${holds ? "ok" : "FAILED"} ${name}${holds ? "" : `: ${saw}`}`);
  const attempt = async (name, action) => { try { await action(); } catch (error) { check(name, false, error.stack); } };
  const all = (selector) => [...document.querySelectorAll(selector)];
  const visible = (table) => [...table.tBodies[0].rows].filter((row) => row.getClientRects().length > 0);
  const click = (node) => node.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const choose = (select, value) => { select.value = value; select.dispatchEvent(new Event("change")); };
  const type = (text) => { const input = document.querySelector("#filters input"); input.value = text; input.dispatchEvent(new Event("input")); };
  const { data } = report; // app.js's data
  const table = document.getElementById("variant-table");
  const wanted = document.documentElement.dataset.check.split(" ");

  const pixelsOf = (canvas) => new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  const differing = (a, b) => (a.length === b.length ? a.reduce((sum, pixel, i) => sum + (pixel !== b[i]), 0) : a.length);

  /* How many pixels a chart's data have, apart from its axes and words. */
  function inkOfData(chart) {
    const whole = pixelsOf(chart.canvas);
    const hide = (hidden) => { for (const set of chart.data.datasets) set.hidden = hidden; chart.update("none"); };
    const scales = Object.fromEntries(Object.entries(chart.scales).map(([name, { min, max }]) => [name, [min, max]]));
    for (const [name, [min, max]] of Object.entries(scales)) if (chart.options.scales[name].type !== "category") Object.assign(chart.options.scales[name], { min, max });
    hide(true);
    const axes = pixelsOf(chart.canvas);
    hide(false);
    return differing(whole, axes);
  }

  function checkCharts() {
    for (const name of ["scatter", "speed", "errors"]) {
      const figure = document.getElementById(`chart-${name}`);
      const pixels = figure.hidden ? 0 : inkOfData(Chart.getChart(figure.querySelector("canvas")));
      check(`chart ${name} shows its data`, pixels > 500, `${pixels} pixels`);
    }
    data.cases.forEach((record, i) => (Array.isArray(record.curves) ? record.curves : []).forEach((curves, k) => {
      if (!Array.isArray(curves?.series)) return;
      const figure = document.getElementById(`chart-case-${i}-${k}`);
      const pixels = figure.hidden ? 0 : inkOfData(Chart.getChart(figure.querySelector("canvas")));
      check(`curve ${k} of case ${i} shows its data`, pixels > 50, `${pixels} pixels`);
    }));
    const scatter = Chart.getChart(document.querySelector("#chart-scatter canvas"));
    const front = scatter.data.datasets[0].data;
    check("the front descends", front.length > 0 && front.every((p, i) => !i || (p.x >= front[i - 1].x && p.error < front[i - 1].error)), JSON.stringify(front));
    const before = pixelsOf(document.querySelector("#chart-errors canvas"));
    choose(document.querySelector("#chart-errors select"), data.axes.op[1]);
    check("another operation is another picture", differing(before, pixelsOf(document.querySelector("#chart-errors canvas"))) > 500, "the same");
  }

  function checkFilters() {
    const rows = visible(table).length;
    check("every variant has a row", rows === data.variants.length, `${rows} of ${data.variants.length}`);
    const [op, isa] = [data.axes.op[0], data.axes.isa[0]];
    choose(document.querySelector("#filters select[name=op]"), op);
    choose(document.querySelector("#filters select[name=isa]"), isa);
    const expected = data.variants.filter((v) => v.op === op && v.isa === isa).length;
    check("two filters combine", visible(table).length === expected && expected > 0, `${visible(table).length}, want ${expected}`);
    check("filters reach the cards", all(".cards tbody tr").every((card) => card.hidden === (card.dataset.op !== op)), "a card of another operation");
    const timed = document.getElementById("time-table");
    const races = visible(timed).map((row) => [0, 1, 4, 5, 6].map((i) => row.cells[i].textContent).join());
    check("one time per race", races.length > 0 && new Set(races).size === races.length, races.length);
    click(timed.parentElement.previousElementSibling.querySelector("input"));
    check("every build shows more times", visible(timed).length > races.length, visible(timed).length);
    type("(no such");
    check("half a regex is no error", visible(table).length === 0, visible(table).length);
    click(document.querySelector("#filters button"));
    check("reset shows all", visible(table).length === rows, visible(table).length);
  }

  function checkSort() {
    const head = table.tHead.rows[0].cells[4];
    const column = () => visible(table).map((row) => row.cells[4].textContent).filter((text) => text !== "–").map(Number);
    const ordered = (list, sign) => list.length > 1 && list.every((x, i) => !i || sign * (x - list[i - 1]) >= 0);
    click(head);
    check("sorts up", ordered(column(), 1) && head.ariaSort === "ascending", column().slice(0, 9));
    click(head);
    check("sorts down", ordered(column(), -1) && head.ariaSort === "descending", column().slice(0, 9));
    check("what has no number is last", data.variants.every((v) => v.ns !== null) || visible(table).at(-1).cells[4].textContent === "–", "a number");
  }

  /* Chart.js handles a click only in the next frame. */
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)));

  async function checkClick() {
    const chart = Chart.getChart(document.querySelector("#chart-scatter canvas"));
    const dataset = chart.data.datasets.findIndex((d, i) => i > 0 && d.data.length);
    const point = chart.getDatasetMeta(dataset).data.at(-1); // the point that is drawn last: no other point of its data set covers it
    const box = chart.canvas.getBoundingClientRect();
    chart.canvas.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: box.left + point.x, clientY: box.top + point.y }));
    await frame();
    const rows = visible(table);
    check("a click on a point leaves one variant", rows.length === 1, `${rows.length} rows`);
    const kept = Chart.getChart(document.querySelector("#chart-scatter canvas")).data.datasets.reduce((sum, d, i) => sum + (i > 0 && d.data.length), 0);
    check("the picture keeps the others", kept > 1, kept);
    click(document.querySelector("#filters button"));
  }

  function checkTheme() {
    const paper = () => getComputedStyle(document.body).backgroundColor;
    const before = paper();
    click(document.getElementById("theme"));
    check("the theme changes", paper() !== before, before);
    click(document.getElementById("theme"));
    check("and changes back", paper() === before, paper());
  }

  async function checkFolds() {
    const folds = all("details");
    check("folds are empty until they are opened", folds.length > 0 && !all("details table").length, folds.length);
    const rows = all("details template").map(({ content }) => content.querySelectorAll("tbody tr").length);
    for (const fold of folds) fold.open = true;
    await frame();
    const tables = all("details table");
    check("what is folded is built", rows.length > 0 && tables.length === rows.length && tables.every((table, i) => table.tBodies[0].rows.length === rows[i]), tables.length);
  }

  function checkText() {
    check("no text became markup", !all("main img, main script, main i, main iframe, [onerror], [onmouseover]").length, "an element out of a record");
    check("no text became script", document.title !== "owned", document.title);
  }

  function checkWidth() {
    check("nothing sticks out sideways", document.documentElement.scrollWidth <= innerWidth, `${document.documentElement.scrollWidth} of ${innerWidth}`);
    check("the bar shows each place", document.querySelector("nav").scrollWidth <= document.querySelector("nav").clientWidth + 1);
  }

  const checks = { text: checkText, width: checkWidth, charts: checkCharts, filters: checkFilters, sort: checkSort, click: checkClick, folds: checkFolds, theme: checkTheme };
  check("what nobody sees waits", !report.isDrawn(), "all is drawn");
  report.changed({}); // draws all at once, as a filter does, without waiting for an idle page
  check("a filter draws all", report.isDrawn(), "something waits");
  for (const name of wanted) await attempt(name, checks[name]);
  check("no error and nothing loaded", window.seen.length === 0, window.seen.join("; "));
  const output = document.createElement("pre");
  output.id = "browser-check";
  output.textContent = `\n${lines.join("\n")}\nend of checks\n`;
  document.body.replaceChildren(output);
})();
