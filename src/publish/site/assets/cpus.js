/* The page of several CPUs: its data as objects, and the state that cpus_tables.js follows. */
"use strict";

const cpusPage = (() => {
  const { raw, rowsOf, from, textMatcher } = page;
  const { NONE, fixed, threeDigits, errorText } = page;
  const { lists, units, cpus } = raw;

  /* ---- The data (src/publish/site/cpus_data.c says their shape) ---- */

  const variants = rowsOf(raw.variants, {
    op: from(lists.op),
    algorithm: from(lists.algorithm),
    dtype: from(lists.dtype),
    isa: from(lists.isa),
    cc: from(lists.cc),
    policy: from(lists.policy),
    errors: (place) => lists.errors[place].map(page.number),
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

  /* ---- The state ---- */

  const LEVELS = ["L1", "L2", "L3", "DRAM"];
  const METRICS = [
    { key: "ns", title: "ns", name: "ns/element", value: (c) => c.ns, text: (c) => fixed(c.ns, 3) },
    { key: "cycles", title: "cycles", name: "cycles/element", value: (c) => c.cycles, text: (c) => fixed(c.cycles, 3) },
    { key: "gb", title: "GB/s", name: "GB/s", value: (c) => c.gb, text: (c) => (c.gb === null ? NONE : threeDigits(c.gb)) },
    { key: "percent", title: "% limit", name: "% of limit", value: (c) => c.percent, text: (c) => fixed(c.percent, 0) },
    { key: "error", title: "max error", name: "max error", value: errorOf, text: errorAndUnit },
  ];
  const AXES = {
    op: "all operations",
    level: "all levels",
    isa: "all ISAs",
    cc: "all compilers",
    policy: "all policies",
  };
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
  const valuesOf = (axis) => (axis === "level" ? LEVELS.filter((level) => lists.level.includes(level)) : lists[axis]);
  const { state, changed, listen, onAxis, box, flagBox, begin: start } = addressState({ start: START, axes: AXES, valuesOf });

  function errorOf(cell) {
    return lines[cell.line].variant.errors[cell.cpu] ?? null;
  }

  /* ULP goes without saying. */
  function errorAndUnit(cell) {
    const unit = units[lines[cell.line].variant.op];
    return errorText(errorOf(cell)) + (unit === "ulp" || errorOf(cell) === null ? "" : ` ${unit}`);
  }

  /* Somebody may have typed the address. */
  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  /* ---- What matches ---- */

  const matchesVariant = (v) => ["op", "isa", "cc", "policy"].every((axis) => onAxis(axis, v[axis]));
  const isShown = (cell) => cell !== null && (state.all !== "" || !cell.beyond);
  const hidden = () => new Set(state.hide.split(",").filter(Boolean).map(decoded));

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

  /* ---- Controls ---- */

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

  writeLead();
  buildControls();
  const data = { raw, cpus, lines, LEVELS, METRICS };
  const filters = { state, changed, listen, start, onAxis, isShown, hidden, flagBox };
  return { ...data, ...filters, matchingLines, onePerRace };
})();
