// SPDX-License-Identifier: MIT
/* The page of several machines: rows are kernels with their distribution over the machines that a
 * filter chooses, the first of which have columns. The view stands in the address. */
"use strict";

const machinesPage = (() => {
  const { raw, rowsOf, number, element, fixed, threeDigits, errorText, isaTitle, kernel, textMatcher, NONE } = page;
  const { longTable, onePer } = grid;

  /* ---- The data (src/publish/sql/machines_page.sql) ---- */

  const machines = rowsOf(raw.machines);
  machines.forEach((machine, i) => Object.assign(machine, { i, id: `${machine.name} ${machine.brand}` }));
  const lines = rowsOf(raw.lines);
  const isExact = lines.some((line) => line.errors !== null || line.lows !== null);
  for (const line of lines) {
    const [operation] = line.op.split(" "); // "softmax bf16" is softmax
    line.variant = `${operation}/${line.algorithm}/dtype=${line.dtype}/isa=${line.isa}/cc=${line.cc}/policy=${line.policy}`;
    line.id = `${line.variant}/n=${line.n}/threads=${line.threads}/${line.level}/${line.family}`;
  }

  /* Figures by machine are codes in base64 (src/publish/site/lines.c). */
  const CODES = { 1: [40, 79], 2: [2 ** 15, 2 ** 10], 3: [2 ** 23, 2 ** 17] };
  function codesOf(text, bytes) {
    const list = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return machines.map((_, i) => {
      let code = 0;
      for (let k = bytes; k-- > 0;) code = 256 * code + (list[i * bytes + k] ?? 0);
      return code;
    });
  }
  function valuesOf(text, bytes) {
    const [one, octave] = CODES[bytes];
    const value = (code) => (code === 0 ? null : code === 1 ? 0 : code === 256 ** bytes - 1 ? Infinity : 2 ** ((code - one) / octave));
    return codesOf(text, bytes).map(value);
  }
  const WAYS = {
    times: (text) => valuesOf(text, isExact ? 3 : 2),
    cycles: (text) => valuesOf(text, isExact ? 3 : 1),
    shares: (text) => codesOf(text, 1).map((code) => (code ? code - 1 : null)),
    lows: (text) => valuesOf(text, 3),
    highs: (text) => valuesOf(text, 3),
    errors: (text) => valuesOf(text, 3),
  };
  function figureOf(line, name, machine) {
    if (typeof line[name] === "string") line[name] = WAYS[name](line[name]);
    return line[name]?.[machine.i] ?? null;
  }

  const timeOf = (line, machine) => figureOf(line, "times", machine);
  const shareOf = (line, machine) => figureOf(line, "shares", machine);
  const errorOf = (line, machine) => (timeOf(line, machine) === null ? null : figureOf(line, "errors", machine));
  function cyclesOf(line, machine) {
    const cycles = figureOf(line, "cycles", machine);
    return cycles === null || isExact ? cycles : cycles * timeOf(line, machine);
  }
  function bandwidthOf(line, machine) {
    const time = timeOf(line, machine);
    return time === null || line.bytes === null ? null : line.bytes / time;
  }

  /* An operation with what AVX-512 buys on each machine, over all builds and shapes. */
  const operations = rowsOf(raw.gains).map(({ op, gains }) => ({ op, id: op, gains }));
  const gainOf = (operation, machine) => operation.gains[machine.i];

  /* ---- The state ---- */

  const threeDigitsOr = (x) => (x === null ? NONE : threeDigits(x));
  const LEVELS = ["L1", "L2", "L3", "DRAM"];
  const METRICS = {
    ns: { name: "ns per element", of: timeOf, text: (x) => fixed(x, 3) },
    cycles: { name: "cycles per element", of: cyclesOf, text: (x) => fixed(x, 3) },
    gb: { name: "GB/s", of: bandwidthOf, text: threeDigitsOr },
    share: { name: "% of limit", of: shareOf, text: (x) => fixed(x, 0) },
    error: { name: "max error", of: errorOf, text: errorText },
    gain: { name: "AVX-512 over AVX2, of an operation", of: gainOf, text: (x) => fixed(x, 2) },
  };
  if (!isExact) delete METRICS.error;
  if (!operations.length) delete METRICS.gain;
  const AXES = { op: "all operations", level: "all levels", isa: "all ISAs", cc: "all compilers", policy: "all policies" };
  const more = { every: "", cpu: "", order: "", back: "", columns: isExact ? "8" : "4", metric: "ns" };
  const valuesOfAxis = (axis) => {
    const found = [...new Set(lines.map((line) => line[axis]))];
    return axis === "level" ? LEVELS.filter((level) => found.includes(level)) : found;
  };
  const view = addressState({ axes: AXES, more, valuesOf: valuesOfAxis });
  const { state, listen, flagBox, field } = view;
  const metric = () => METRICS[state.metric] ?? METRICS.ns;
  const isGain = () => metric() === METRICS.gain;
  const chosen = () => machines.filter(textMatcher(state.cpu.trim()));
  const withColumns = (list) => list.slice(0, Math.max(0, Math.min(24, Number(state.columns) || 0)));

  /* Lines, one of each race unless every build is asked for; or operations. */
  function matching() {
    if (isGain()) return operations.filter(view.matcher(["op"]));
    const list = lines.filter(view.matcher());
    return state.every ? list : onePer(list, (line) => line.race, (line, known) => line.place < known.place);
  }

  /* ---- Cells ---- */

  /* Least, quartiles and most of the chosen machines, and which have the ends. */
  function spread(line, list) {
    const found = list.map((machine) => [metric().of(line, machine), machine]).filter(([x]) => x !== null);
    found.sort(([a], [b]) => a - b);
    const part = (share) => found[Math.min(found.length - 1, Math.floor(share * found.length))] ?? [null, null];
    return { line, count: found.length, parts: [0, 0.25, 0.5, 0.75, 1].map(part) };
  }

  function nameOf(line) {
    const name = element("span", { title: line.variant }, `${line.op} `, element("b", {}, kernel(line)));
    const notes = [line.threads === 1 ? "" : `${line.threads} threads`, line.family === "normal" ? "" : line.family, line.hazard ? "hazard" : "", line.wrong ? "wrong" : ""];
    for (const note of notes.filter(Boolean)) name.append(" ", element("span", { className: `mark ${note}`, textContent: note }));
    return name;
  }
  const identity = [
    { key: "kernel", title: "kernel", value: ({ line }) => `${line.op} ${kernel(line)}`, content: ({ line }) => nameOf(line) },
    { key: "isa", title: "ISA", value: ({ line }) => isaTitle(line.isa) },
    { key: "build", title: "build", value: ({ line }) => (line.cc === "lib" ? "library" : `${line.cc} ${line.policy}`) },
    { key: "n", title: "n", value: ({ line }) => line.n },
    { key: "level", title: "in", value: ({ line }) => LEVELS.indexOf(line.level), content: ({ line }) => line.level },
  ];
  const ofOperation = [{ key: "kernel", title: "operation", value: ({ line }) => line.op }];
  const unitOf = (line) => (line.unit === "ulp" ? "" : ` ${line.unit}`); // ULP goes without saying
  const errors = ({ low, high, unit }) => (low === high ? errorText(high) : `${errorText(low)} to ${errorText(high)}`) + (high === null ? "" : unitOf({ unit }));
  const last = [
    { key: "error", title: "max error", value: ({ line }) => line.high, content: ({ line }) => errors(line) },
    { key: "policies", title: "fastest policy", value: ({ line }) => line.policies },
  ];

  const numberColumn = (key, title, value, hint, first) => ({
    key, title, hint, first, value,
    fill: (row, td) => {
      td.className = first ? "right first" : "right";
      return metric().text(value(row));
    },
  });
  function partColumn(title, i) {
    const column = numberColumn(title, title, ({ parts }) => parts[i][0], "", i === 0);
    return { ...column, fill: (row, td) => {
      td.title = row.parts[i][1]?.name ?? "";
      return column.fill(row, td);
    } };
  }

  /* Returns whether the machine's interval is below those of all others. */
  function leads(line, machine) {
    const high = figureOf(line, "highs", machine);
    const others = machines.filter((other) => other !== machine && timeOf(line, other) !== null);
    return high !== null && others.length > 0 && others.every((other) => high < (figureOf(line, "lows", other) ?? 0));
  }

  function hoverText(line, machine) {
    const [low, high, share] = ["lows", "highs", "shares"].map((name) => figureOf(line, name, machine));
    const interval = low === null ? "" : ` [${fixed(low, 3)}, ${fixed(high, 3)}]`;
    return `${machine.name}: ${fixed(timeOf(line, machine), 3)} ns${interval}${share === null ? "" : `, ${share}% of the limit`}`;
  }

  function machineColumn(machine, i) {
    const column = numberColumn(`m.${machine.name}`, machine.name, ({ line }) => metric().of(line, machine), machine.brand, i === 0);
    return { ...column, fill: ({ line }, td) => {
      const text = column.fill({ line }, td);
      if (isGain() || timeOf(line, machine) === null) return text;
      td.title = hoverText(line, machine);
      if (metric() === METRICS.error) return text + unitOf(line);
      return metric() === METRICS.ns && leads(line, machine) ? element("b", {}, text) : text;
    } };
  }

  longTable({
    id: "cell-table", more: "more", what: "rows", listen,
    ...view.order(),
    rows: () => {
      const list = chosen();
      return matching().map((line) => spread(line, list)).filter(({ count }) => count > 0);
    },
    columns: () => {
      const own = withColumns(chosen());
      const parts = chosen().length > own.length ? ["least", "25%", "median", "75%", "most"].map(partColumn) : [];
      return [...(isGain() ? ofOperation : identity), { key: "count", title: "CPUs", value: ({ count }) => count }, ...parts, ...own.map(machineColumn), ...(isGain() ? [] : last)];
    },
    count: (rows) => `${rows.length} rows of ${(isGain() ? operations : lines).length}; ${chosen().length} machines of ${machines.length}, of which ${withColumns(chosen()).length} have columns; ${metric().name}`,
  });

  /* ---- Machines ---- */

  const figure = (key, title, digits) => ({
    key, title, value: (machine) => machine[key],
    fill: (machine, td) => {
      td.className = "right";
      return digits === null ? threeDigitsOr(machine[key]) : fixed(machine[key], digits);
    },
  });
  const machineColumns = [
    { key: "name", title: "machine", value: (m) => m.name },
    { key: "brand", title: "CPU", value: (m) => m.brand },
    figure("cores", "cores", 0),
    { key: "caches", title: "caches", value: (m) => m.caches },
    figure("pace", "time", 3),
    figure("gain", "AVX-512", 2),
    figure("load1", "L1 read, GB/s", null),
    figure("dram", "DRAM read, GB/s", null),
    figure("flops", "GFLOP/s", null),
    { key: "compared", title: "cells that compare", value: (m) => m.compared, content: (m) => `${m.compared} of ${m.cells}` },
    { key: "commit", title: "commit", value: (m) => m.commit },
    { key: "started", title: "run", value: (m) => m.started ?? "", content: (m) => m.started?.slice(0, 10) ?? "unknown" },
  ];
  longTable({
    id: "machine-table", more: "more-machines", what: "machines", some: 50, listen, rows: chosen, columns: () => machineColumns,
    ...view.order("order", "back"),
    count: (rows) => `${rows.length} of ${machines.length} machines`,
  });

  const sum = (key) => machines.reduce((total, machine) => total + machine[key], 0);
  const metrics = Object.entries(METRICS).map(([key, { name }]) => [key, name]);
  const fields = [field("cpu", "search", "machines (text or regex)"), field("columns", "number", "columns of their own"), view.choice("metric", "figure", metrics)];
  document.getElementById("shown").append(...fields, ...(isExact ? [flagBox("every", "every build")] : []));
  document.getElementById("lead").textContent =
    `${sum("compared")} of ${sum("cells")} cells compare: two machines or more ran the same machine code, or library, at the same length and level of memory. Machines were not measured side by side.`;
  view.begin();
  return { machines, lines, operations, METRICS };
})();
