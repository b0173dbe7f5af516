// SPDX-License-Identifier: MIT
/* The page over time: the changes, and the series of a cell. The view stands in the address. */
"use strict";

const historyPage = (() => {
  const { raw, rowsOf, element, svgNode, option, errorText } = page;
  const { column, longTable } = grid;

  /* ---- The data (src/publish/site/history_page.sql) ---- */

  const [counts] = rowsOf(raw.counts);
  const runs = rowsOf(raw.runs);
  const series = rowsOf(raw.series);
  const isWorse = (c) => (c.kind === "time" ? c.ratio > 1
    : c.kind === "error" ? c.new > c.old : c.kind !== "bits" || c.gates);
  const changes = rowsOf(raw.changes).map((c) => {
    const { started, machine, commit } = runs[c.run];
    const direction = isWorse(c) ? "worse" : "better";
    const change = c.kind === "bits" ? null : Math.abs(Math.log(c.ratio));
    return { ...c, started, machine, commit, direction, change,
      id: `${started} ${machine} ${commit} ${c.kind} ${c.with} ${c.cell}` };
  });
  const timeOf = (started) => started.slice(0, 16).replace("T", " ");
  const nameOf = (s) => `${s.variant}/${s.shape} on ${s.machine}`;

  /* ---- The state ---- */

  const AXES = { machine: "all machines", kind: "every kind", direction: "better and worse" };
  const valuesOf = (axis) => [...new Set((axis === "machine" ? runs : changes).map((row) => row[axis]))].sort();
  const { state, changed, listen, matcher, order, begin } = addressState({ axes: AXES, more: { series: "" },
    valuesOf });

  /* The chosen series; else that of the newest change that has one. */
  const shown = () => series[state.series] ?? series[changes.find((c) => c.series >= 0)?.series ?? 0];

  /* ---- What changed ---- */

  function sizeOf(change, c, cell) {
    cell.className = c.kind === "bits" && !c.gates ? "" : isWorse(c) ? "fail" : "ok";
    if (c.kind === "bits") return "other bits";
    if (c.kind === "lost") return `${c.manner}: ${c.old} to ${c.new}`;
    if (c.kind === "gone" || c.kind === "crashed") return `${c.kind}: ${c.old} cells`;
    if (c.kind === "error") return `${errorText(c.old)} to ${errorText(c.new)} ulp`;
    return `× ${c.ratio.toFixed(3)} [${c.low.toFixed(3)}, ${c.high.toFixed(3)}]`;
  }

  function cellOf(name, c) {
    if (c.series < 0) return name;
    const button = element("button", { type: "button", textContent: name });
    button.addEventListener("click", () => changed({ series: String(c.series) }));
    button.setAttribute("aria-pressed", series[c.series] === shown());
    return button;
  }

  const columns = [
    column("first run", "started", timeOf),
    column("machine", "machine"),
    column("commit", "commit"),
    column("what", "kind"),
    column("change", "change", sizeOf),
    column("with it", (c) => c.with || null, undefined, { key: "with" }),
    column("cell", "cell", cellOf),
  ];
  longTable({
    id: "changes", what: "changes", listen, ...order(),
    rows: () => changes.filter(matcher()), columns: () => columns,
    count: (rows) => `${rows.length} of ${changes.length} changes`,
  });

  /* ---- The series of a cell ---- */

  function levels(one) {
    const at = changes.filter((c) => series[c.series] === one).map((c) =>
      one.points.findIndex((p) => p[0] === c.run)).filter((i) => i > 0).sort((a, b) => a - b);
    const bounds = [0, ...at, one.points.length];
    return bounds.slice(1).map((end, i) => {
      const part = one.points.slice(bounds[i], end);
      return { from: bounds[i], to: end - 1,
        mean: Math.exp(part.reduce((sum, p) => sum + Math.log(p[1]), 0) / part.length) };
    });
  }

  function drawing(one) {
    /* The chart is as wide as the screen allows, and text keeps its size. */
    const width = Math.max(280, Math.min(1400, document.getElementById("figure").clientWidth || 1000));
    const [height, top, left, bottom] = [300, 26, 64, 40];
    const digits = (x) => x.toPrecision(4);
    const values = one.points.flatMap(([, ns, low, high]) => [ns, low || ns, high || ns]);
    const [low, high] = [Math.min(...values) * 0.98, Math.max(...values) * 1.02];
    const x = (i) => left + (i + 0.5) * (width - left - 10) / one.points.length;
    const y = (v) => top + (height - bottom - top) * (1 - (v - low) / (high - low));
    const svg = svgNode("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
    const add = (...words) => svg.appendChild(svgNode(...words));
    const line = (name, x1, y1, x2, y2) => add("line", { class: name, x1, y1, x2, y2 });
    add("title", {}, `${nameOf(one)}, ns per element`);
    for (const k of [0, 1, 2, 3, 4]) {
      const v = low + (high - low) * k / 4;
      add("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, digits(v));
    }
    levels(one).forEach(({ from, to, mean }, i) => {
      line("level", x(from - 0.4), y(mean), x(to + 0.4), y(mean));
      if (i) line("change", x(from - 0.5), top, x(from - 0.5), height - bottom);
    });
    one.points.forEach(([run, ns, least, most], i) => {
      if (least && most) line("reach", x(i), y(least), x(i), y(most));
      const { started, commit } = runs[run];
      add("circle", { class: "point", cx: x(i), cy: y(ns), r: 3 }).append(
        svgNode("title", {},
          `${started}, ${commit}: ${digits(ns)} ns [${digits(least ?? ns)}, ${digits(most ?? ns)}]`));
    });
    const last = one.points.length - 1;
    for (const [i, anchor] of last ? [[0, "start"], [last, "end"]] : [[0, "middle"]])
      add("text", { x: x(i), y: height - 14, "text-anchor": anchor }, timeOf(runs[one.points[i][0]].started));
    add("text", { x: 0, y: 12 }, "ns/element");
    return svg;
  }

  const select = document.getElementById("cell");
  series.forEach((one, i) => select.append(option(String(i), nameOf(one))));
  select.addEventListener("change", () => changed({ series: select.value }));
  if (!counts.all) select.before("Only series with a change are in this page. ");
  function drawSeries() {
    const one = shown();
    select.value = String(series.indexOf(one));
    document.getElementById("figure").replaceChildren(one ? drawing(one) : "No times in these runs.");
  }
  listen(drawSeries);
  addEventListener("resize", drawSeries);

  document.getElementById("rate").textContent =
    `${runs.length} runs, ${counts.series} series of times, ${changes.length} changes. ` +
    `${counts.unexplained} of them came with nothing known that changed (code, compiler, microcode, system, library): ` +
    `at most these are false alarms, ${(counts.series ? 1000 * counts.unexplained / counts.series : 0).toFixed(2)} per 1000 series.`;
  begin();
  return { changes, series };
})();
