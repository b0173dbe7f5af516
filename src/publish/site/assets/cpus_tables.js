/* The tables of the page of several CPUs: cells, what AVX-512 buys, policies. They follow cpus.js's
 * state. */
"use strict";

(() => {
  const { NONE, fixed, element, isaTitle, kernel } = page;
  const { STEP, countOf, fillTable, ordered } = grid;
  const { raw, cpus, lines, LEVELS, METRICS } = cpusPage;
  const { state, changed, listen, onAxis, isShown, hidden, matchingLines, onePerRace, flagBox } = cpusPage;

  /* ---- Columns ---- */

  const title = (line) => `${line.variant.op} ${kernel(line.variant)}`;

  function nameOf(line) {
    const name = element("span", {}, `${line.variant.op} `, element("b", {}, kernel(line.variant)));
    for (const note of line.notes) name.append(" ", element("span", { className: `mark ${note}`, textContent: note }));
    return name;
  }

  const identity = [
    { key: "kernel", title: "kernel", value: title, content: nameOf },
    { key: "isa", title: "ISA", value: (l) => isaTitle(l.variant.isa) },
    { key: "build", title: "build", value: (l) => (l.variant.cc === "lib" ? "library" : `${l.variant.cc} ${l.variant.policy}`) },
    { key: "shape", title: "rows×n", value: (l) => l.n, content: (l) => l.shape },
    { key: "level", title: "in", value: (l) => LEVELS.indexOf(l.level), content: (l) => l.level },
  ];

  const isBelow = (a, b) => a.high !== null && b.low !== null && a.high < b.low;

  /* Is its interval below those of all others? */
  function leads(line, cell) {
    const others = line.cells.filter((other) => isShown(other) && other !== cell && !other.beyond);
    return !cell.beyond && others.length > 0 && others.every((other) => isBelow(cell, other));
  }

  function hoverText(line, cell) {
    const { name } = cpus[cell.cpu];
    const interval = cell.low === null ? "" : ` [${fixed(cell.low, 3)}, ${fixed(cell.high, 3)}]`;
    const parts = [
      `${name}, ${cell.rows}×${line.n}: ${fixed(cell.ns, 3)} ns${interval}`,
      cell.limit ? `limit ${cell.limit}` : "",
      cell.flags,
      cell.beyond ? "beyond the comparison: other machine code, or version of the library" : "",
      `machine code by CPU: ${line.variant.codes} (equal letters, equal code)`,
    ];
    return parts.filter(Boolean).join("\n");
  }

  function cpuColumn(cpu, metric, first) {
    const cellOf = (line) => (isShown(line.cells[cpu]) ? line.cells[cpu] : null);
    return {
      key: `${metric.key}.${cpus[cpu].name}`,
      title: metric.title,
      value: (line) => (cellOf(line) ? metric.value(cellOf(line)) : null),
      fill: (line, td) => {
        const cell = cellOf(line);
        td.className = `right${first ? " first" : ""}${cell?.beyond ? " beyond" : ""}`;
        if (!cell) return NONE;
        td.title = hoverText(line, cell);
        const text = metric.text(cell);
        return metric.key === "ns" && leads(line, cell) ? element("b", {}, text) : text;
      },
    };
  }

  /* ---- Tables ---- */

  /* A table that keeps its own order: rows() are those that match. */
  function smallTable(id, columns, rows, total, none) {
    const table = document.getElementById(id);
    const by = { key: "", down: false };
    function draw() {
      const list = ordered(columns, rows(), by);
      fillTable(table, columns, list, by, (key, down) => {
        Object.assign(by, { key, down });
        draw();
      });
      countOf(table).textContent = total ? `${list.length} of ${total} rows` : none;
    }
    listen(draw);
  }

  /* ---- Cells ---- */

  function shownCpus(list) {
    const gone = hidden();
    return cpus.map((_, cpu) => cpu).filter((cpu) => !gone.has(cpus[cpu].name) && list.some((line) => isShown(line.cells[cpu])));
  }

  function cellTable() {
    const table = document.getElementById("cell-table");
    const more = document.getElementById("more");
    function draw(most) {
      const all = matchingLines();
      const list = state.every ? all : onePerRace(all);
      const shown = shownCpus(list);
      const wanted = state.show.split(",");
      const metrics = METRICS.filter((m) => wanted.includes(m.key));
      const columns = [...identity];
      for (const cpu of shown) metrics.forEach((metric, i) => columns.push({ ...cpuColumn(cpu, metric, !i), first: !i }));
      const by = { key: state.sort, down: state.down !== "" };
      const sort = (key, down) => changed({ sort: key, down: down ? "1" : "" });
      const groups = shown.map((cpu) => element("th", { className: "group", colSpan: metrics.length, textContent: cpus[cpu].name, title: cpus[cpu].brand }));
      const top = element("tr", {}, element("th", { colSpan: identity.length }), ...(metrics.length ? groups : []));
      const inOrder = ordered(columns, list, by);
      fillTable(table, columns, inOrder.slice(0, most), by, sort, [top]);
      const missing = cpus.filter((cpu, i) => !shown.includes(i)).map((cpu) => cpu.name);
      const nothing = missing.length ? `; nothing to show of ${missing.join(", ")}` : "";
      countOf(table).textContent = `${list.length} rows of ${all.length} builds that match, of ${lines.length}${nothing}`;
      more.hidden = inOrder.length <= most;
      more.textContent = `Show all ${inOrder.length} rows`;
    }
    more.addEventListener("click", () => draw(Infinity));
    listen(() => draw(STEP));
  }

  /* Paper is as wide as it is: all CPUs, each with as many metrics as there is room for. */
  function fitPaper() {
    const ROOM = 16; // columns
    const wanted = ["ns", "percent", "error", "cycles", "gb"].slice(0, Math.max(1, Math.floor(ROOM / cpus.length)));
    let onScreen = state.show;
    addEventListener("beforeprint", () => {
      onScreen = state.show;
      const fitting = onScreen.split(",").filter((key) => wanted.includes(key));
      changed({ show: fitting.join(",") || "ns" });
    });
    addEventListener("afterprint", () => changed({ show: onScreen }));
  }

  /* ---- What AVX-512 buys, policies ---- */

  const interval = (low, high) => (low === null || high === null ? "" : ` [${fixed(low, 2)}, ${fixed(high, 2)}]`);
  const small = (text) => element("small", { textContent: text });

  function perCpu(content) {
    return cpus.map((_, cpu) => ({
      key: cpus[cpu].name,
      title: cpus[cpu].name,
      value: (row) => row.cpus[cpu]?.[0] ?? null,
      fill: (row, td) => {
        td.className = "right";
        return row.cpus[cpu] ? content(row.cpus[cpu]) : NONE;
      },
    }));
  }

  function gainTable() {
    const percent = (x) => (x === null ? NONE : `${fixed(x, 0)}%`);
    const columns = [
      { key: "op", title: "operation", value: (g) => g.op },
      { key: "level", title: "in", value: (g) => LEVELS.indexOf(g.level), content: (g) => g.level },
      ...perCpu(([ratio, low, high, pairs, avx2, avx512]) =>
        element("span", {}, `${fixed(ratio, 2)}${interval(low, high)} `, small(`${pairs} pairs; ${percent(avx2)}, ${percent(avx512)}`))),
    ];
    const rows = () => raw.gains.filter((g) => onAxis("op", g.op) && onAxis("level", g.level));
    smallTable("gain-table", columns, rows, raw.gains.length, "No CPU timed AVX-512 beside AVX2.");
  }

  function differTable() {
    const lineOf = (row) => lines[row.line];
    const columns = [
      ...identity
        .filter((c) => c.key !== "build")
        .map((c) => ({ ...c, value: (row) => c.value(lineOf(row)), content: c.content && ((row) => c.content(lineOf(row))) })),
      { key: "cc", title: "compiler", value: (row) => lineOf(row).variant.cc },
      ...perCpu(([policy, gain, low, high, ns]) =>
        element("span", {}, element("code", {}, policy), ` ${fixed(ns, 3)} ns `, small(gain === null ? "" : `${fixed(gain, 2)}${interval(low, high)}`))),
    ];
    const matchesLine = ({ variant: v, level }) =>
      ["op", "isa", "cc"].every((axis) => onAxis(axis, v[axis])) && onAxis("level", level);
    const isWanted = (row) => (row.known || state.unsure !== "") && matchesLine(lineOf(row));
    const rows = () => raw.differ.filter(isWanted);
    const none = "Nowhere: no build that compares is faster under one policy here and under another there.";
    smallTable("differ-table", columns, rows, raw.differ.length, none);
    const label = "also where the intervals do not tell";
    document.getElementById("unsure").append(flagBox("unsure", label));
  }

  function speedTable() {
    const columns = [
      { key: "cc", title: "compiler", value: (s) => s.cc },
      { key: "policy", title: "policy", value: (s) => s.policy },
      ...perCpu(([ratio, low, high, recommended]) =>
        element("span", {}, element(recommended ? "b" : "span", {}, fixed(ratio, 3)), interval(low, high))),
    ];
    const rows = () => raw.speeds.filter((s) => onAxis("cc", s.cc) && onAxis("policy", s.policy));
    smallTable("speed-table", columns, rows, raw.speeds.length, "No run has policies to compare.");
  }

  cellTable();
  fitPaper();
  gainTable();
  differTable();
  speedTable();
  cpusPage.start();
})();
