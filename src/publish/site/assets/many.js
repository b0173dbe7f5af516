/* The page of many machines: rows are kernels with their distribution over the machines that a filter
 * chooses, the first of which have columns. The view stands in the address. */
"use strict";

const manyPage = (() => {
  const { raw, rowsOf, element, fixed, threeDigits, errorText, isaTitle, kernel, textMatcher } = page;
  const { STEP, countOf, fillTable, ordered } = grid;

  /* ---- The data (src/publish/site/many_page.c) ---- */

  const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const machines = rowsOf(raw.machines, {});
  machines.forEach((machine, i) => Object.assign(machine, { i, id: `${machine.name} ${machine.brand}` }));
  const races = rowsOf(raw.races, {});
  const shares = bytesOf(raw.shares);
  const codes = bytesOf(raw.times);
  const clocks = bytesOf(raw.clocks);
  const far = new Map(raw.far);
  const at = (race, machine) => race * machines.length + machine;
  races.forEach((race, i) => Object.assign(race, { i, variant: race.id, id: `${race.id}/n=${race.n}/threads=${race.threads}/${race.level}/${race.family}` }));

  function timeOf(race, machine) {
    const code = codes[2 * at(race.i, machine.i)] + 256 * codes[2 * at(race.i, machine.i) + 1];
    return code ? 2 ** ((code - 32768) / 1024) : null;
  }

  function shareOf(race, machine) {
    const share = shares[at(race.i, machine.i)];
    return timeOf(race, machine) === null || share === 255 ? null : share;
  }

  function cyclesOf(race, machine) {
    const place = at(race.i, machine.i);
    if (far.has(place)) return far.get(place);
    return clocks[place] ? timeOf(race, machine) * machine.clock * 2 ** ((clocks[place] - 128) / 200) : null;
  }

  function bandwidthOf(race, machine) {
    const time = timeOf(race, machine);
    return time === null || race.bytes === null ? null : race.bytes / time;
  }

  /* An operation with what AVX-512 buys on each machine, over all builds and shapes. */
  const operations = Object.entries(raw.gains).map(([op, gains]) => ({ op, id: op, gains }));
  const gainOf = (operation, machine) => operation.gains[machine.i];

  /* ---- The state ---- */

  const threeDigitsOr = (x) => (x === null ? page.NONE : threeDigits(x));
  const LEVELS = ["L1", "L2", "L3", "DRAM"];
  const METRICS = {
    ns: { name: "ns per element", of: timeOf, text: (x) => fixed(x, 3) },
    cycles: { name: "cycles per element", of: cyclesOf, text: (x) => fixed(x, 3) },
    gb: { name: "GB/s", of: bandwidthOf, text: threeDigitsOr },
    share: { name: "% of limit", of: shareOf, text: (x) => fixed(x, 0) },
    gain: { name: "AVX-512 over AVX2, of an operation", of: gainOf, text: (x) => fixed(x, 2) },
  };
  const AXES = { op: "all operations", level: "all levels", isa: "all ISAs" };
  const START = { op: "", level: "", isa: "", text: "", cpu: "", columns: "4", metric: "ns", sort: "", down: "", order: "", back: "" };
  const valuesOf = (axis) => {
    const found = [...new Set(races.map((race) => race[axis]))];
    return axis === "level" ? LEVELS.filter((level) => found.includes(level)) : found;
  };
  const { state, changed, listen, onAxis, begin } = addressState({ start: START, axes: AXES, valuesOf });
  const metric = () => METRICS[state.metric] || METRICS.ns;
  const isGain = () => metric() === METRICS.gain;

  const chosen = () => machines.filter(textMatcher(state.cpu.trim()));
  const withColumns = (list) => list.slice(0, Math.max(0, Math.min(24, Number(state.columns) || 0)));

  /* Races; or operations, which are over all levels and ISAs. */
  function matching() {
    const matchesText = textMatcher(state.text.trim());
    const axes = isGain() ? ["op"] : ["op", "level", "isa"];
    return (isGain() ? operations : races).filter((row) => axes.every((axis) => onAxis(axis, row[axis])) && matchesText(row));
  }

  /* ---- Controls ---- */

  function field(name, type, label) {
    const input = element("input", { type, name });
    input.addEventListener("input", () => changed({ [name]: input.value }));
    listen(() => {
      if (input.value !== state[name]) input.value = state[name];
    });
    return element("label", {}, `${label} `, input);
  }

  function metricSelect() {
    const options = Object.entries(METRICS).map(([key, { name }]) => page.option(key, name));
    const select = element("select", { name: "metric", ariaLabel: "figure" }, ...options);
    select.addEventListener("change", () => changed({ metric: select.value }));
    listen(() => {
      select.value = METRICS[state.metric] ? state.metric : "ns";
    });
    return select;
  }

  /* ---- Cells ---- */

  /* Least, quartiles and most of the chosen machines, and which have the ends. */
  function spread(race, list) {
    const found = list.map((machine) => [metric().of(race, machine), machine]).filter(([x]) => x !== null);
    found.sort(([a], [b]) => a - b);
    const part = (share) => found[Math.min(found.length - 1, Math.floor(share * found.length))] ?? [null, null];
    return { race, count: found.length, parts: [0, 0.25, 0.5, 0.75, 1].map(part) };
  }

  const identity = [
    { key: "kernel", title: "kernel", value: ({ race }) => `${race.op} ${kernel(race)}`, content: ({ race }) => element("span", { title: race.variant }, `${race.op} `, element("b", {}, kernel(race)), race.threads === 1 ? "" : ` ${race.threads} threads`, race.family === "normal" ? "" : ` ${race.family}`) },
    { key: "isa", title: "ISA", value: ({ race }) => isaTitle(race.isa) },
    { key: "build", title: "build", value: ({ race }) => (race.cc === "lib" ? "library" : `${race.cc} ${race.policy}`) },
    { key: "n", title: "n", value: ({ race }) => race.n },
    { key: "level", title: "in", value: ({ race }) => LEVELS.indexOf(race.level), content: ({ race }) => race.level },
  ];
  const ofOperation = [{ key: "kernel", title: "operation", value: ({ race }) => race.op }];
  const cpuCount = { key: "count", title: "CPUs", value: ({ count }) => count };
  const errors = ({ low, high, unit }) => (low === high ? errorText(high) : `${errorText(low)} to ${errorText(high)}`) + (unit === "ulp" || high === null ? "" : ` ${unit}`);
  const last = [
    { key: "error", title: "max error", value: ({ race }) => race.high, content: ({ race }) => errors(race) },
    { key: "policies", title: "fastest policy", value: ({ race }) => race.policies },
  ];

  const number = (key, title, value, hint, first) => ({
    key, title, hint, first, value,
    fill: (row, td) => {
      td.className = first ? "right first" : "right";
      return metric().text(value(row));
    },
  });

  function partColumn(title, i) {
    const column = number(title, title, ({ parts }) => parts[i][0], "", i === 0);
    return { ...column, fill: (row, td) => {
      td.title = row.parts[i][1] ? row.parts[i][1].name : "";
      return column.fill(row, td);
    } };
  }

  function drawCells(most) {
    const table = document.getElementById("cell-table");
    const more = document.getElementById("more");
    const list = chosen();
    const own = withColumns(list);
    const rows = matching().map((race) => spread(race, list)).filter(({ count }) => count > 0);
    const columns = [
      ...(isGain() ? ofOperation : identity),
      cpuCount,
      ...["least", "25%", "median", "75%", "most"].map(partColumn),
      ...own.map((machine, i) => number(`m.${machine.name}`, machine.name, ({ race }) => metric().of(race, machine), machine.brand, i === 0)),
      ...(isGain() ? [] : last),
    ];
    const by = { key: state.sort, down: state.down !== "" };
    const inOrder = ordered(columns, rows, by);
    fillTable(table, columns, inOrder.slice(0, most), by, (key, down) => changed({ sort: key, down: down ? "1" : "" }));
    countOf(table).textContent = `${rows.length} rows of ${(isGain() ? operations : races).length}; ${list.length} machines of ${machines.length}, of which ${own.length} have columns; ${metric().name}`;
    more.hidden = inOrder.length <= most;
    more.textContent = `Show all ${inOrder.length} rows`;
  }

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

  function drawMachines(most) {
    const table = document.getElementById("machine-table");
    const more = document.getElementById("more-machines");
    const list = chosen();
    const by = { key: state.order, down: state.back !== "" };
    const inOrder = ordered(machineColumns, list, by);
    fillTable(table, machineColumns, inOrder.slice(0, most), by, (key, down) => changed({ order: key, back: down ? "1" : "" }));
    countOf(table).textContent = `${list.length} of ${machines.length} machines`;
    more.hidden = inOrder.length <= most;
    more.textContent = `Show all ${inOrder.length} machines`;
  }

  const SOME = 50; // machines at first
  document.getElementById("more").addEventListener("click", () => drawCells(Infinity));
  document.getElementById("more-machines").addEventListener("click", () => drawMachines(Infinity));
  listen(() => drawCells(STEP));
  listen(() => drawMachines(SOME));
  document.getElementById("shown").append(
    field("cpu", "search", "machines (text or regex)"), field("columns", "number", "columns of their own"), metricSelect());
  const compared = machines.reduce((sum, m) => sum + m.compared, 0);
  const cells = machines.reduce((sum, m) => sum + m.cells, 0);
  document.getElementById("lead").textContent =
    `${compared} of ${cells} cells are of the machine code, or version of a library, that most machines ran. Machines were not measured side by side.`;
  begin();
  return { machines, races, operations, timeOf, cyclesOf, bandwidthOf, shareOf, gainOf };
})();
