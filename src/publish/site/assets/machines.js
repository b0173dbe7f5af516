// SPDX-License-Identifier: MIT
/* The page of several machines: rows are kernels with their distribution over the machines that a
 * filter chooses, the first of which have columns. The view stands in the address. */
"use strict";

const machinesPage = (() => {
  const { raw, rowsOf, named, number, element, svgNode, fixed, threeDigits, errorText, isaTitle, textMatcher,
    NONE } = page;
  const { column, longTable, onePer } = grid;

  /* ---- The data (src/publish/sql/machines_page.sql) ---- */

  const machines = rowsOf(raw.machines);
  machines.forEach((machine, i) => Object.assign(machine, { i, id: `${machine.name} ${machine.brand}` }));
  const lines = rowsOf(raw.lines).map((line) => {
    const { id } = named(line);
    return Object.assign(line,
      { variant: id, id: `${id}/n=${line.n}/threads=${line.threads}/${line.level}/${line.family}` });
  });
  const isExact = lines.some((line) => line.lows !== null);

  /* Figures by machine are lists, or of many machines codes: of how many hexadecimal digits, the code of
   * 1, and how many codes an octave has. */
  const CODES = { times: [4, 2 ** 15, 2 ** 10], cycles: [2, 40, 79], shares: [2, 1] };
  function valuesOf(text, [digits, one, octave]) {
    return machines.map((_, i) => {
      const code = parseInt(text.substr(digits * i, digits), 16);
      return code === 0 ? null : octave ? 2 ** ((code - one) / octave) : code - one;
    });
  }
  function figureOf(line, name, machine) {
    if (typeof line[name] === "string") line[name] = valuesOf(line[name], CODES[name]);
    return number(line[name]?.[machine.i] ?? null);
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
  const AXES = { op: "all operations", level: "all levels", isa: "all ISAs", cc: "all compilers",
    policy: "all policies" };
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

  function nameOf(_, { line }) {
    const name = element("span", { title: line.variant }, `${line.op} `, element("b", {}, line.kernel));
    const notes = [line.threads !== 1 && `${line.threads} threads`, line.family !== "normal" && line.family,
      line.hazard && "hazard", line.wrong && "wrong"];
    for (const note of notes.filter(Boolean)) {
      name.append(" ", element("span", { className: `mark ${note}`, textContent: note }));
    }
    return name;
  }
  const unitOf = (line) => (line.unit === "ulp" ? "" : ` ${line.unit}`); // ULP goes without saying
  function errorsOf(high, { line }) {
    const span = line.low === high ? errorText(high) : `${errorText(line.low)} to ${errorText(high)}`;
    return high === null ? span : span + unitOf(line);
  }
  const ofLine = (title, key, value, text) => column(title, ({ line }) => value(line), text, { key });
  const identity = [
    ofLine("kernel", "kernel", (line) => `${line.op} ${line.kernel}`, nameOf),
    ofLine("ISA", "isa", (line) => line.isa, isaTitle),
    ofLine("build", "build", (line) => (line.cc === "lib" ? "library" : `${line.cc} ${line.policy}`)),
    ofLine("n", "n", (line) => line.n),
    ofLine("in", "level", (line) => LEVELS.indexOf(line.level), (_, { line }) => line.level),
  ];
  const ofOperation = [ofLine("operation", "kernel", (line) => line.op)];
  const last = [
    ofLine("max error", "error", (line) => line.high, errorsOf),
    ofLine("fastest policy", "policies", (line) => line.policies),
  ];
  const figures = (i, more) => ({ className: i ? "right" : "right first", ...more });

  function partColumn(title, i) {
    return column(title, ({ parts }) => parts[i][0], (x, { parts }, cell) => {
      cell.title = parts[i][1]?.name ?? "";
      return metric().text(x);
    }, figures(i));
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
    return `${machine.name}: ${fixed(timeOf(line, machine), 3)} ns${interval}${share === null ? "" : `, ${fixed(share, 0)}% of the limit`}`;
  }

  function machineColumn(machine, i) {
    return column(machine.name, ({ line }) => metric().of(line, machine), (x, { line }, cell) => {
      const text = metric().text(x);
      if (isGain() || timeOf(line, machine) === null) return text;
      cell.title = hoverText(line, machine);
      if (metric() === METRICS.error) return text + unitOf(line);
      return metric() === METRICS.ns && leads(line, machine) ? element("b", {}, text) : text;
    }, figures(i, { key: `m.${machine.name}`, hint: machine.brand }));
  }

  longTable({
    id: "cell-table", what: "rows", listen,
    ...view.order(),
    rows: () => {
      const list = chosen();
      return matching().map((line) => spread(line, list)).filter(({ count }) => count > 0);
    },
    columns: () => {
      const own = withColumns(chosen());
      const parts = chosen().length > own.length ? ["least", "25%", "median", "75%", "most"].map(partColumn) : [];
      return [...(isGain() ? ofOperation : identity), column("CPUs", "count"), ...parts, ...own.map(machineColumn),
        ...(isGain() ? [] : last)];
    },
    count: (rows) => `${rows.length} rows of ${(isGain() ? operations : lines).length}; ${chosen().length} machines of ${machines.length}, of which ${withColumns(chosen()).length} have columns; ${metric().name}`,
  });

  /* ---- What AVX-512 buys: a bar with its interval for each operation and machine ---- */

  const bars = rowsOf(raw.bars);
  /* What a style sheet knows, and what it is where a file of the picture alone is looked at. */
  const INKS = { ink: "#14181f", soft: "#5a6472", line: "#dfe3e9", blue: "#0072b2", orange: "#d55e00",
    green: "#00805c", purple: "#b0508a", yellow: "#b57f00", sky: "#2f93cf", grey: "#7a828e" };
  const HUES = ["blue", "orange", "green", "purple", "yellow", "sky", "grey"];
  const ink = (name) => `var(--${name}, ${INKS[name]})`;
  const barFigure = document.getElementById("bar-figure");

  function drawBars() {
    const shown = new Set(chosen().map(({ i }) => i));
    const rows = bars.filter(({ op, level, side }) => shown.has(side) && level === (state.level || null) &&
      (!state.op || op === state.op));
    document.getElementById("bars").hidden = !bars.length;
    const groups = [...new Set(rows.map(({ op }) => op))];
    const own = machines.filter(({ i }) => rows.some(({ side }) => side === i));
    const [left, right, bar, gap, top] = [104, 116, 15, 12, 28 + 18 * own.length];
    const width = Math.max(300, Math.min(1100, barFigure.clientWidth || 900));
    const groupHeight = own.length * bar + gap;
    const height = top + groups.length * groupHeight + 8;
    const most = Math.max(1.2, ...rows.map(({ speed, high }) => high ?? speed));
    const x = (v) => left + (width - left - right) * v / most;
    const svg = svgNode("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "font-family": "system-ui, sans-serif", "font-size": 12 });
    const add = (...words) => svg.appendChild(svgNode(...words));
    const text = (at, y, content, more) => add("text", { x: at, y, fill: ink("ink"), ...more }, content);
    const title = `AVX-512 over AVX2, the fastest kernel of each, ${state.level ? `rows in ${state.level}` : "all levels"}`;
    add("title", {}, title);
    text(0, 14, width < 500 ? "AVX-512 / AVX2, best over best" : title, { "font-weight": 600 });
    own.forEach(({ i, name, brand }, k) => {
      add("rect", { x: 0, y: 22 + 18 * k, width: 11, height: 11, fill: ink(HUES[i % HUES.length]) });
      text(17, 32 + 18 * k, width < 500 ? name : `${name}, ${brand}`, { fill: ink("soft") });
    });
    for (let v = 0; v <= most; v += most > 4 ? 1 : 0.5) add("line",
      { x1: x(v), x2: x(v), y1: top, y2: height, stroke: ink(v === 1 ? "ink" : "line"), "stroke-dasharray": v === 1
        ? "4 3" : "none" });
    groups.forEach((op, g) => {
      const y = top + g * groupHeight + gap / 2;
      text(left - 8, y + own.length * bar / 2 + 4, op ?? "all",
        { "text-anchor": "end", "font-weight": op === null ? 600 : 400 });
      own.forEach(({ i, name }, k) => {
        const row = rows.find((one) => one.op === op && one.side === i);
        if (!row) return;
        const { speed, low, high, lengths, same } = row, middle = y + k * bar + bar / 2;
        add("rect", { x: x(0), y: y + k * bar + 1, width: x(speed) - x(0), height: bar - 2,
          fill: ink(HUES[i % HUES.length]) }).append(
          svgNode("title", {},
            `${name}, ${op ?? "all operations"}, n ${lengths}: ${fixed(speed, 3)}${low === null ? "" : ` [${fixed(low, 3)}, ${fixed(high, 3)}]`}; ${same}`));
        if (low !== null) add("line", { x1: x(low), x2: x(high), y1: middle, y2: middle, stroke: ink("ink"),
          "stroke-width": 2 });
        text(x(Math.max(speed, high ?? speed)) + 5, middle + 4,
          `${fixed(speed, 2)}${low === null ? "" : ` [${fixed(low, 2)}, ${fixed(high, 2)}]`}`,
          { fill: ink("soft"), "font-size": 11 });
      });
    });
    barFigure.replaceChildren(rows.length ? svg : "No machine that is chosen has both ISAs here.");
  }
  document.getElementById("save-bars").addEventListener("click", () => {
    const source = new XMLSerializer().serializeToString(barFigure.querySelector("svg"))
      .replace(/var\(--\w+, (#\w+)\)/g, "$1");
    const url = URL.createObjectURL(new Blob([source], { type: "image/svg+xml" }));
    element("a", { href: url, download: "avx512.svg" }).click();
    URL.revokeObjectURL(url);
  });
  listen(drawBars);
  addEventListener("resize", drawBars);

  /* ---- Machines ---- */

  const right = { className: "right" };
  const machineColumns = [
    column("machine", "name"),
    column("CPU", "brand"),
    column("cores", "cores", (x) => fixed(x, 0), right),
    column("caches", "caches"),
    column("time", "pace", (x) => fixed(x, 3), right),
    column("AVX-512", "gain", (x) => fixed(x, 2), right),
    column("L1 read, GB/s", "load1", threeDigitsOr, right),
    column("DRAM read, GB/s", "dram", threeDigitsOr, right),
    column("GFLOP/s", "flops", threeDigitsOr, right),
    column("cells that compare", "compared", (count, { cells }) => `${count} of ${cells}`),
    column("commit", "commit"),
    column("run", (m) => m.started ?? "", (started) => started.slice(0, 16).replace("T", " ") || "unknown",
      { key: "started" }),
  ];
  longTable({
    id: "machine-table", what: "machines", some: 50, listen, rows: chosen, columns: () => machineColumns,
    ...view.order("order", "back"),
    count: (rows) => `${rows.length} of ${machines.length} machines`,
  });

  const sum = (key) => machines.reduce((total, machine) => total + machine[key], 0);
  const metrics = Object.entries(METRICS).map(([key, { name }]) => [key, name]);
  const fields = [field("cpu", "search", "machines (text or regex)"),
    field("columns", "number", "columns of their own"), view.choice("metric", "figure", metrics)];
  document.getElementById("shown").append(...fields, ...(isExact ? [flagBox("every", "every build")] : []));
  document.getElementById("lead").textContent =
    `${sum("compared")} of ${sum("cells")} cells compare: two machines or more ran the same machine code, or library, at the same length and level of memory. Machines were not measured side by side.`;
  /* What the tables of figures are over, where the filters ask for less. */
  listen(() => {
    const narrower = ["isa", "policy", "text"].filter((name) => state[name] !== "");
    document.getElementById("scope").textContent = narrower.length
      ? "The answer and the tables of figures follow the filters of operation and compiler, the picture those of operation, level and machines: they are over all ISAs and policies, whatever is filtered beyond." : "";
  });
  view.begin();
  return { machines, lines, operations, METRICS };
})();
