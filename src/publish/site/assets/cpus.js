/* The page of several CPUs: its tables follow one state of filters, which the address holds after
 * its #, so that a view can be linked. */
"use strict";

const cpusPage = (() => {
  const { raw, rowsOf, from, element, option, isaTitle, kernel, textMatcher } = page;
  const { NONE, fixed, threeDigits, errorText, compare } = page;
  const { lists, units, cpus } = raw;

  /* ---- The data (src/publish/site/cpus_data.c says their shape) ---- */

  const variants = rowsOf(raw.variants, {
    op: from(lists.op),
    algorithm: from(lists.algorithm),
    dtype: from(lists.dtype),
    isa: from(lists.isa),
    cc: from(lists.cc),
    policy: from(lists.policy),
    errors: from(lists.errors),
  });
  for (const v of variants) {
    const [operation] = v.op.split(" "); // "softmax bf16" is softmax
    v.id = `${operation}/${v.algorithm}/dtype=${v.dtype}/isa=${v.isa}/cc=${v.cc}/policy=${v.policy}`;
  }
  const lines = rowsOf(raw.lines, {
    variant: (i) => variants[i],
    level: from(lists.level),
    family: from(lists.family),
  });
  const cells = rowsOf(raw.cells, { limit: from(lists.limit), flags: from(lists.flags) });
  for (const line of lines) line.cells = cpus.map(() => null);
  for (const cell of cells) lines[cell.line].cells[cell.cpu] = cell;

  const distinct = (values) => [...new Set(values)];
  for (const line of lines) {
    const { variant: v } = line;
    const rows = distinct(line.cells.filter(Boolean).map((cell) => cell.rows));
    line.shape = `${rows.sort((a, b) => a - b).join(" or ")}×${line.n}`;
    line.notes = [
      line.threads === 1 ? "" : `${line.threads} threads`,
      line.family === "normal" ? "" : line.family,
      v.hazard ? "hazard" : "",
      v.wrong ? "wrong" : "",
    ].filter(Boolean);
    line.id = `${v.id}/n=${line.n}/threads=${line.threads}/${line.level}/${line.family}`;
    const { op, algorithm, dtype, isa } = v;
    line.race = [op, algorithm, dtype, isa, line.n, line.level, line.threads, line.family, line.shape].join(" ");
  }

  /* ---- The state, and the address ---- */

  const METRICS = [
    { key: "ns", title: "ns", name: "ns/element", value: (c) => c.ns, text: (c) => fixed(c.ns, 3) },
    { key: "cycles", title: "cycles", name: "cycles/element", value: (c) => c.cycles, text: (c) => fixed(c.cycles, 3) },
    { key: "gb", title: "GB/s", name: "GB/s", value: (c) => c.gb, text: (c) => (c.gb === null ? NONE : threeDigits(c.gb)) },
    { key: "percent", title: "% limit", name: "% of limit", value: (c) => c.percent, text: (c) => fixed(c.percent, 0) },
    { key: "error", title: "max error", name: "max error", value: errorOf, text: (c) => errorText(errorOf(c)) },
  ];
  const AXES = {
    op: "all operations",
    level: "all levels",
    isa: "all ISAs",
    cc: "all compilers",
    policy: "all policies",
  };
  const STEP = 300; // rows of a table at once
  const START = {
    op: "",
    level: "",
    isa: "",
    cc: "",
    policy: "",
    text: "",
    all: "",
    unsure: "",
    every: "",
    hide: "",
    show: METRICS.map((m) => m.key).join(","),
    sort: "",
    down: "",
  };
  const state = { ...START };
  const listeners = [];
  let most = STEP;

  function errorOf(cell) {
    return lines[cell.line].variant.errors[cell.cpu] ?? null;
  }

  /* What differs from the start stands in the address; "#limits" is a place in the page. */
  function readAddress() {
    const text = location.hash.slice(1);
    if (text && !text.includes("=")) return false;
    const asked = new URLSearchParams(text);
    for (const key of Object.keys(START)) state[key] = asked.get(key) ?? START[key];
    return true;
  }

  function writeAddress() {
    const asked = new URLSearchParams();
    for (const [key, value] of Object.entries(state)) if (value !== START[key]) asked.set(key, value);
    const text = asked.toString();
    const address = text ? `#${text}` : location.href.split("#")[0];
    if (text !== location.hash.slice(1)) history.replaceState(null, "", address);
  }

  function redraw() {
    for (const listener of listeners) listener();
  }

  function changed(change) {
    Object.assign(state, change);
    most = STEP;
    writeAddress();
    redraw();
  }

  /* ---- What matches ---- */

  const onAxis = (axis, value) => state[axis] === "" || value === state[axis];
  const matchesVariant = (v) => ["op", "isa", "cc", "policy"].every((axis) => onAxis(axis, v[axis]));
  const isShown = (cell) => cell !== null && (state.all !== "" || !cell.beyond);
  const hidden = () => new Set(state.hide.split(",").filter(Boolean).map(decodeURIComponent));

  function matchingLines() {
    const matchesText = textMatcher(state.text.trim());
    return lines.filter(
      (line) =>
        (state.all !== "" || line.compared > 1) &&
        matchesVariant(line.variant) && onAxis("level", line.level) && matchesText(line),
    );
  }

  /* Which of two builds stands for a race: one that promises something, then the one that more CPUs
   * have, then the faster by the geometric mean. */
  function isBefore(a, b) {
    const { promises: x } = a.variant;
    const { promises: y } = b.variant;
    if (x !== y) return x > y;
    const [p, q] = [a, b].map((line) => line.cells.filter(isShown));
    if (p.length !== q.length) return p.length > q.length;
    const logs = (list) => list.reduce((sum, cell) => sum + Math.log(cell.ns), 0);
    return logs(p) < logs(q);
  }

  function onePerRace(list) {
    const best = new Map();
    for (const line of list)
      if (!best.has(line.race) || isBefore(line, best.get(line.race))) best.set(line.race, line);
    return list.filter((line) => best.get(line.race) === line);
  }

  /* ---- Columns ---- */

  const LEVELS = ["L1", "L2", "L3", "DRAM"];
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
      `error in ${units[line.variant.op]}`,
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

  function rowElement(columns, row) {
    const nodes = columns.map(({ content, value, fill }, i) => {
      const node = element(i ? "td" : "th");
      node.append(fill ? fill(row, node) : content ? content(row) : (value(row) ?? NONE));
      return node;
    });
    return element("tr", {}, ...nodes);
  }

  function sorted(rows, column, down) {
    if (!column) return rows;
    const keyed = rows.map((row) => ({ row, key: column.value(row) }));
    keyed.sort((a, b) => compare(a.key, b.key, down ? -1 : 1));
    return keyed.map((entry) => entry.row);
  }

  /* by: {key, down} of the sorted column; sort(key, down) asks for another. */
  function headCell(column, by, sort) {
    const head = element("th", { scope: "col", className: column.first ? "by first" : "by", tabIndex: 0, textContent: column.title });
    if (column.key === by.key) head.ariaSort = by.down ? "descending" : "ascending";
    const act = () => sort(column.key, column.key === by.key && !by.down);
    head.addEventListener("click", act);
    head.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act();
    });
    return head;
  }

  function countOf(table) {
    return table.parentElement.previousElementSibling;
  }

  /* A table that keeps its own order: rows() are those that match. */
  function smallTable(id, columns, rows, total, none) {
    const table = document.getElementById(id);
    const by = { key: "", down: false };
    function draw() {
      const list = sorted(rows(), columns.find((c) => c.key === by.key), by.down);
      const sort = (key, down) => {
        Object.assign(by, { key, down });
        draw();
      };
      const head = element("tr", {}, ...columns.map((column) => headCell(column, by, sort)));
      const body = list.map((row) => rowElement(columns, row));
      table.replaceChildren(element("thead", {}, head), element("tbody", {}, ...body));
      countOf(table).textContent = total ? `${list.length} of ${total} rows` : none;
    }
    listeners.push(draw);
  }

  /* ---- Cells ---- */

  function shownCpus(list) {
    const gone = hidden();
    return cpus.map((_, cpu) => cpu).filter((cpu) => !gone.has(cpus[cpu].name) && list.some((line) => isShown(line.cells[cpu])));
  }

  function cellTable() {
    const table = document.getElementById("cell-table");
    const more = document.getElementById("more");
    more.addEventListener("click", () => {
      most = Infinity;
      redraw();
    });
    listeners.push(() => {
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
      const head = element("tr", {}, ...columns.map((column) => headCell(column, by, sort)));
      const ordered = sorted(list, columns.find((c) => c.key === by.key), by.down);
      const body = ordered.slice(0, most).map((line) => rowElement(columns, line));
      table.replaceChildren(element("thead", {}, top, head), element("tbody", {}, ...body));
      const missing = cpus.filter((cpu, i) => !shown.includes(i)).map((cpu) => cpu.name);
      const nothing = missing.length ? `; nothing to show of ${missing.join(", ")}` : "";
      countOf(table).textContent = `${list.length} rows of ${all.length} builds that match, of ${lines.length}${nothing}`;
      more.hidden = ordered.length <= most;
      more.textContent = `Show all ${ordered.length} rows`;
    });
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

  /* ---- Controls ---- */

  function axisSelect(axis) {
    const select = element("select", { name: axis, ariaLabel: AXES[axis] }, option("", AXES[axis]));
    const values = axis === "level" ? LEVELS.filter((level) => lists.level.includes(level)) : lists[axis];
    for (const value of values) select.append(option(value, axis === "isa" ? isaTitle(value) : value));
    select.addEventListener("change", () => changed({ [axis]: select.value }));
    return select;
  }

  function buildFilters() {
    const form = document.getElementById("filters");
    const selects = Object.keys(AXES).map(axisSelect);
    const hint = "filter by id or regex";
    const search = element("input", { type: "search", name: "text", placeholder: hint });
    search.ariaLabel = hint;
    search.addEventListener("input", () => changed({ text: search.value }));
    const reset = element("button", { type: "button", textContent: "Reset" });
    reset.addEventListener("click", () => changed(START));
    form.append(...selects, search, reset);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    listeners.push(() => {
      for (const input of [...selects, search]) {
        if (input.value !== state[input.name]) input.value = state[input.name];
        input.classList.toggle("set", input.value !== "");
      }
    });
  }

  /* A box: isOn() says whether it is ticked, set(on) what follows. */
  function box(name, text, isOn, set) {
    const input = element("input", { type: "checkbox", name });
    input.addEventListener("change", () => set(input.checked));
    listeners.push(() => {
      input.checked = isOn();
    });
    return element("label", {}, input, ` ${text}`);
  }

  const flagBox = (key, text) => box(key, text, () => state[key] !== "", (on) => changed({ [key]: on ? "1" : "" }));

  /* Of a list in the state that is joined by commas. */
  function toggled(list, key, on) {
    return [...list.filter((other) => other !== key), ...(on ? [key] : [])];
  }

  function buildControls() {
    const shown = () => state.show.split(",").filter(Boolean);
    const inOrder = (keys) => METRICS.map((m) => m.key).filter((key) => keys.includes(key)).join(",");
    const metricBox = ({ key, name }) =>
      box(key, name, () => shown().includes(key), (on) => changed({ show: inOrder(toggled(shown(), key, on)) }));
    const cpuBox = ({ name }) =>
      box("cpu", name, () => !hidden().has(name), (on) => changed({ hide: toggled([...hidden()], name, !on).map(encodeURIComponent).join(",") }));
    const flags = [flagBox("every", "every build"), flagBox("all", "also what does not compare")];
    document.getElementById("shown").append(...METRICS.map(metricBox), ...cpus.map(cpuBox), ...flags);
  }

  function writeLead() {
    const compared = cpus.reduce((sum, cpu) => sum + cpu.compared, 0);
    const all = cpus.reduce((sum, cpu) => sum + cpu.cells, 0);
    const each = cpus.map((cpu) => `${cpu.name} ${cpu.compared} of ${cpu.cells}`).join(", ");
    document.getElementById("lead").textContent =
      `${compared} of ${all} cells compare: two CPUs or more ran the same machine code, or library, at the same length and level of memory (${each}).`;
  }

  /* The address keeps the filters when a reader goes to another place of the page. */
  function keepAddress() {
    for (const link of document.querySelectorAll(".bar a"))
      link.addEventListener("click", (event) => {
        event.preventDefault();
        document.querySelector(link.hash).scrollIntoView();
      });
  }

  writeLead();
  keepAddress();
  buildFilters();
  buildControls();
  cellTable();
  gainTable();
  differTable();
  speedTable();
  readAddress();
  redraw();
  addEventListener("hashchange", () => readAddress() && redraw());
  page.buildTheme(() => {});
  return { state, changed, lines, cpus, raw, METRICS };
})();
