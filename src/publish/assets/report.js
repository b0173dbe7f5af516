/* Filters, sorting and charts over a page that is complete without them. What is drawn comes from
 * the JSON in #data (src/publish/html_data.c says its shape); text goes into the page as text. */
"use strict";
(() => {
  const root = document.documentElement;
  const data = JSON.parse(document.getElementById("data").textContent);
  const { variants, axes } = data;
  const AXES = ["op", "isa", "cc", "policy"];
  const ISA_TITLES = { avx2: "AVX2", avx512: "AVX-512", avx512fp16: "AVX-512 FP16" };
  const title = (axis, value) => (axis === "isa" && ISA_TITLES[value]) || value;
  const kernel = (v) => (v.dtype === "f32" ? v.algorithm : `${v.algorithm} ${v.dtype}`);
  const describe = (v) => [kernel(v), title("isa", v.isa), v.cc, v.policy].join(", ");
  for (const v of variants) v.id = `${v.op}/${v.algorithm}/dtype=${v.dtype}/isa=${v.isa}/cc=${v.cc}/policy=${v.policy}`;

  const element = (tag, properties = {}, ...children) => {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  };
  const option = (value, text) => element("option", { value, textContent: text });
  const short = (x) => (x === null || x === undefined ? "–" : x !== 0 && (x < 1e-3 || x >= 1e4) ? x.toExponential(1) : String(+x.toPrecision(3)));

  /* ---- Filters: one state that every table and chart obeys ---- */

  const state = { op: "", isa: "", cc: "", policy: "", text: "", everyBuild: false };
  const listeners = [];
  let matching = [];
  let picked; // the variant whose whole id is the text: it alone, not those that begin like it

  function matcher() {
    const text = state.text.trim();
    picked = variants.find((v) => v.id === text);
    if (picked) return (v) => v === picked;
    let pattern = null;
    try { pattern = text && new RegExp(text, "i"); } catch { pattern = null; } // half-typed
    const contains = (id) => !text || id.toLowerCase().includes(text.toLowerCase()) || (pattern && pattern.test(id));
    return (v) => AXES.every((axis) => !state[axis] || v[axis] === state[axis]) && contains(v.id);
  }

  function changed(change) {
    Object.assign(state, change);
    matching = variants.map(matcher());
    for (const listener of listeners) listener();
  }

  function buildFilters() {
    const form = document.getElementById("filters");
    const selects = AXES.map((axis) => {
      const names = { op: "all operations", isa: "all ISAs", cc: "all compilers", policy: "all policies" };
      const select = element("select", { name: axis, ariaLabel: names[axis] }, option("", names[axis]));
      for (const value of axes[axis]) select.append(option(value, title(axis, value)));
      select.addEventListener("change", () => changed({ [axis]: select.value }));
      return select;
    });
    const search = element("input", { type: "search", name: "text", placeholder: "filter by id or regex", ariaLabel: "filter by id or regex" });
    search.addEventListener("input", () => changed({ text: search.value }));
    const reset = element("button", { type: "button", textContent: "Reset" });
    reset.addEventListener("click", () => changed({ op: "", isa: "", cc: "", policy: "", text: "" }));
    const count = element("output");
    form.append(...selects, search, reset, count);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = !variants.length;
    listeners.push(() => {
      for (const input of [...selects, search]) {
        if (input.value !== state[input.name]) input.value = state[input.name];
        input.classList.toggle("set", input.value !== "");
      }
      count.textContent = `${matching.filter(Boolean).length} of ${variants.length} variants`;
    });
  }

  /* ---- Tables ---- */

  function filterTables() {
    for (const node of document.querySelectorAll("[data-op]")) node.hidden = state.op !== "" && node.dataset.op !== state.op;
    for (const row of document.querySelectorAll("tr[data-cc]")) row.hidden = row.hidden || (state.cc !== "" && row.dataset.cc !== state.cc);
  }

  /* The rows of one table by the filters; of times, the fastest matching build of each race. */
  function makeFilterable(table) {
    const rows = [...table.tBodies[0].rows].filter((row) => row.dataset.v);
    const count = table.parentElement.previousElementSibling;
    const races = rows.some((row) => row.dataset.race);
    table.classList.add("js");
    const label = element("span");
    count.replaceChildren(label);
    if (races) {
      const every = element("input", { type: "checkbox" });
      every.addEventListener("change", () => changed({ everyBuild: every.checked }));
      count.append(" ", element("label", {}, every, " every build"));
    }
    count.hidden = !rows.length;
    listeners.push(() => {
      const seen = new Set();
      let shown = 0;
      for (const row of rows) {
        const { v, race } = row.dataset;
        row.hidden = !matching[v] || (races && !state.everyBuild && seen.has(race));
        if (!row.hidden) { seen.add(race); shown++; }
      }
      label.textContent = `${shown} of ${rows.length} rows`;
    });
  }

  /* Numbers by value, text by text, what has no value last either way. */
  function sortKey(cell) {
    const text = (cell.dataset.n || cell.textContent).trim();
    if (text === "" || text === "–") return null;
    const number = parseFloat(text.replace(/^\[/, ""));
    return Number.isNaN(number) ? text : number;
  }

  function compare(a, b, sign) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), "en", { numeric: true });
  }

  function sortBy(table, column) {
    const head = table.tHead.rows[0].cells[column];
    const sign = head.ariaSort === "ascending" ? -1 : 1;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.ariaSort = sign > 0 ? "ascending" : "descending";
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, key: sortKey(row.cells[column]) }));
    rows.sort((a, b) => compare(a.key, b.key, sign));
    table.tBodies[0].append(...rows.map((entry) => entry.row));
  }

  function makeSortable(table) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      head.classList.add("by");
      head.tabIndex = 0;
      head.title = "sort";
      head.addEventListener("click", () => sortBy(table, column));
      head.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        sortBy(table, column);
      });
    });
  }

  function pickVariant(v) {
    changed({ op: "", isa: "", cc: "", policy: "", text: state.text === v.id ? "" : v.id });
  }

  /* ---- Charts: what they share ---- */

  const NOTHING = "Nothing here matches the filters.";
  const HUES = ["blue", "orange", "green", "purple", "yellow", "sky", "grey"];
  const ISA_HUES = { scalar: "grey", avx2: "orange", avx512: "blue", avx512fp16: "purple" };
  const SHAPES = { off: ["circle", "●"], on: ["rectRot", "◆"], default: ["triangle", "▲"], fast: ["rect", "■"], reassoc: ["star", "✳"], fastmath: ["crossRot", "✕"] };
  const shape = (policy) => (SHAPES[policy] || ["cross", "+"])[0];
  const probe = document.body.appendChild(element("i", { hidden: true }));
  const color = (name) => { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color; };
  const faded = (rgb, alpha) => rgb.replace("rgb(", "rgba(").replace(")", `, ${alpha})`);
  /* Beyond these an error says no more: the oracle's own, and no digit right (2^24 ulp is 100%). */
  const LEAST_ERROR = 1e-3, MOST_ERROR = 1e8;
  const drawn = (error) => (error === null ? null : Math.min(Math.max(error, LEAST_ERROR), MOST_ERROR));
  const positive = (values) => values.filter((x) => x > 0);
  const charts = new Map();

  /* Of a logarithmic axis 1, 2 and 5 are named, fewer over many decades, every tick within one. */
  function logTicks(x, index, ticks) {
    const decades = Math.log10(ticks[ticks.length - 1].value / ticks[0].value);
    const every = Math.ceil(decades / 7);
    if (Math.round(Math.log10(x)) % every) return "";
    const named = decades > 5 ? "1" : decades > 2.5 ? "15" : decades > 0.5 ? "125" : "123456789";
    const [digits] = x.toExponential(6).replace(/\.?0*e/, "e").split("e");
    return digits.length === 1 && named.includes(digits) ? short(x) : "";
  }

  function axis(kind, text, more = {}) {
    const ticks = { color: color("soft"), ...(kind === "logarithmic" && { callback: logTicks, autoSkip: false, maxRotation: 0 }) };
    const grid = { color: (context) => (kind === "logarithmic" && !context.tick?.label ? "transparent" : color("line")), borderColor: color("strong-line"), drawTicks: false };
    return { type: kind, title: { display: Boolean(text), text, color: color("soft") }, ticks: { ...ticks, padding: 6 }, grid, ...more };
  }

  /* Limits of an axis: what is drawn, and a little room. */
  function around(values, by = 1.18) {
    const p = positive(values);
    return p.length ? { min: Math.min(...p) / by, max: Math.max(...p) * by } : {};
  }

  function draw(name, config) {
    const figure = document.getElementById(`chart-${name}`);
    charts.get(name)?.destroy();
    figure.hidden = false;
    const font = { family: getComputedStyle(document.body).fontFamily };
    const plugins = {
      legend: { labels: { color: color("ink"), usePointStyle: true, boxWidth: 7, boxHeight: 7, padding: 14, filter: (item) => item.text !== "", generateLabels: legendLabels } },
      tooltip: { backgroundColor: color("ink"), titleColor: color("paper"), bodyColor: color("paper"), footerColor: color("paper"), footerFont: { weight: "normal", style: "italic" }, padding: 10, usePointStyle: true, ...config.tooltip },
    };
    const options = { animation: false, responsive: true, maintainAspectRatio: false, font, plugins, scales: config.scales, onClick: config.onClick, onHover: config.onHover, interaction: config.interaction };
    Chart.defaults.font.family = font.family;
    charts.set(name, new Chart(figure.querySelector("canvas"), { type: config.type, data: config.data, options, plugins: config.plugins || [] }));
  }

  /* One mark per dataset, though its points differ in shape. */
  function legendLabels(chart) {
    return Chart.defaults.plugins.legend.labels.generateLabels(chart).map((item) => {
      const { legendShape, borderColor } = chart.data.datasets[item.datasetIndex];
      return legendShape ? { ...item, pointStyle: legendShape, fillStyle: borderColor } : item;
    });
  }

  /* A row of buttons, one pressed. The filter's operation overrides a choice made here. */
  function opChooser(figure, redraw, ops) {
    const chosen = { op: ops[0] };
    const segments = element("span", { className: "segments" });
    for (const op of ops) {
      const button = element("button", { type: "button", textContent: op });
      button.addEventListener("click", () => { chosen.op = op; if (picked) changed({ text: "" }); else if (state.op && state.op !== op) changed({ op }); else redraw(); });
      segments.append(button);
    }
    figure.querySelector(".controls").append(segments);
    chosen.show = () => {
      const asked = picked ? picked.op : state.op;
      if (ops.includes(asked)) chosen.op = asked;
      for (const button of segments.children) button.setAttribute("aria-pressed", button.textContent === chosen.op);
    };
    return chosen;
  }

  function chooser(figure, label, redraw) {
    const select = element("select", { ariaLabel: label });
    figure.querySelector(".controls").append(element("label", {}, `${label} `, select));
    select.addEventListener("change", redraw);
    return select;
  }

  /* Keeps a choice that is still there. */
  function fill(select, entries) {
    const before = select.value;
    select.replaceChildren(...entries.map(([value, text]) => option(value, text)));
    if (entries.some(([value]) => value === before)) select.value = before;
  }

  /* ---- Speed against error ---- */

  const MEASURES = [["ulp", "max ULP on normal"], ["scaled", "largest scaled error, all families"], ["worst", "max ULP, all families"], ["mean", "mean ULP on normal"]];

  function frontOf(points) {
    let least = Infinity;
    return points.filter((p) => p.variant.candidate).sort((a, b) => a.x - b.x || a.error - b.error)
      .filter((p) => p.error < least && ((least = p.error), true));
  }

  /* Names what is on the front, where there is room. */
  const frontNames = {
    id: "frontNames",
    afterDatasetsDraw(chart) {
      const { ctx, chartArea } = chart;
      const taken = [];
      let last = "";
      chart.getDatasetMeta(0).data.forEach((point, i) => {
        const name = kernel(chart.data.datasets[0].data[i].variant);
        ctx.font = `600 12px ${Chart.defaults.font.family}`;
        const width = ctx.measureText(name).width;
        const x = Math.min(point.x + 9, chartArea.right - width - 2);
        const y = point.y - 9 < chartArea.top + 8 ? point.y + 14 : point.y - 9;
        const free = taken.every((box) => x > box.x + box.width || x + width < box.x || Math.abs(y - box.y) > 14);
        if (name === last || !free) return;
        last = name;
        taken.push({ x, y, width });
        ctx.lineWidth = 4;
        ctx.strokeStyle = color("paper");
        ctx.strokeText(name, x, y);
        ctx.fillStyle = color("ink");
        ctx.fillText(name, x, y);
      });
    },
  };

  function scatter() {
    const timed = axes.op.filter((op) => variants.some((v) => v.op === op && v.ns > 0));
    const figure = document.getElementById("chart-scatter");
    if (!timed.length) return;
    const chosen = opChooser(figure, redraw, timed);
    const measure = chooser(figure, "error:", redraw);
    fill(measure, MEASURES);
    const rank = (v) => (v.hazard || v.wrong ? 0 : 1);

    function pointsOf() {
      const shown = variants.filter((v, i) => v.op === chosen.op && v.ns > 0 && v[measure.value] !== null && (matching[i] || picked));
      return shown.map((variant) => ({ variant, x: variant.ns, error: variant[measure.value], y: drawn(variant[measure.value]) }));
    }
    function dataset(isa, points) {
      const own = points.filter((p) => p.variant.isa === isa).sort((a, b) => rank(a.variant) - rank(b.variant));
      const hue = color(ISA_HUES[isa] || "green");
      return {
        label: title("isa", isa), legendShape: "circle", data: own, borderColor: hue, pointStyle: own.map((p) => shape(p.variant.policy)), hoverRadius: 8,
        radius: own.map((p) => (p.variant === picked ? 10 : 5)), borderWidth: own.map((p) => (p.variant === picked ? 3 : 1.5)),
        backgroundColor: own.map((p) => (p.variant.hazard ? "transparent" : faded(hue, 0.45))),
      };
    }
    function redraw() {
      chosen.show();
      const points = pointsOf();
      const front = frontOf(points);
      const isas = axes.isa.filter((isa) => points.some((p) => p.variant.isa === isa));
      const line = { type: "line", label: "Pareto front", data: front, stepped: "before", borderColor: color("ink"), borderWidth: 1.5, pointStyle: "line", radius: 0, hitRadius: 0, hoverRadius: 0, fill: false };
      draw("scatter", {
        type: "scatter", data: { datasets: [line, ...isas.map((isa) => dataset(isa, points))] }, plugins: [frontNames],
        scales: { x: axis("logarithmic", `ns/element at ${data.home.join("×")}, faster to the left`, around(points.map((p) => p.x))), y: axis("logarithmic", measure.selectedOptions[0].textContent, around(points.map((p) => p.y))) },
        tooltip: {
          callbacks: {
            title: (items) => items.slice(0, 1).map((item) => describe(item.raw.variant)),
            label: ({ raw: { variant: v, error } }) => [`${short(v.ns)} ns/element [${short(v.low)}, ${short(v.high)}]${v.percent === null ? "" : `, ${Math.round(v.percent)}% of limit`}`, `${short(error)} ${measure.selectedOptions[0].textContent}`, ...(v.hazard ? ["hazard: wrong by design on some inputs"] : []), ...(v.wrong ? ["wrong: breaks a promise of its file"] : [])],
            footer: () => "click: this variant alone, in every table",
          },
        },
        interaction: { mode: "nearest", intersect: true },
        onHover: (event, hits) => { event.native.target.style.cursor = hits.length ? "pointer" : ""; },
        onClick: (event, hits, chart) => { if (!hits.length) return;
          const { variant } = chart.data.datasets[hits[0].datasetIndex].data[hits[0].index];
          setTimeout(pickVariant, 0, variant); // it redraws: not while this chart handles its event
        },
      });
      const policies = axes.policy.filter((policy) => points.some((p) => p.variant.policy === policy));
      figure.querySelector("figcaption").textContent = !points.length ? NOTHING : `${points.length} variants. Policies: ${policies.map((policy) => `${(SHAPES[policy] || ["", "+"])[1]} ${policy}`).join("  ")}`;
    }
    listeners.push(redraw);
  }

  /* ---- Speed by size ---- */

  /* Which level of memory each part of the axis lives in. */
  const residencyBands = {
    id: "residencyBands",
    beforeDatasetsDraw(chart) {
      const { ctx, chartArea, scales: { x } } = chart;
      const levels = chart.config.data.levels;
      const half = levels.length > 1 ? (x.getPixelForValue(1) - x.getPixelForValue(0)) / 2 : chartArea.width / 2;
      let band = 0;
      ctx.font = `600 11px ${Chart.defaults.font.family}`;
      for (let from = 0, to; from < levels.length; from = to, band++) {
        for (to = from; to < levels.length && levels[to] === levels[from];) to++;
        const left = Math.max(x.getPixelForValue(from) - half, chartArea.left);
        const right = Math.min(x.getPixelForValue(to - 1) + half, chartArea.right);
        ctx.fillStyle = band % 2 ? "transparent" : color("shade");
        ctx.fillRect(left, chartArea.top, right - left, chartArea.height);
        ctx.fillStyle = color("soft");
        ctx.fillText(levels[from], left + 6, chartArea.top + 14);
      }
    },
  };

  function speedBySize() {
    const times = data.times.map(([v, rows, n, threads, family, level, ns, least]) => ({ v, variant: variants[v], rows, n, threads, family, level, ns, least }));
    const figure = document.getElementById("chart-speed");
    if (!times.length) return;
    const chosen = opChooser(figure, redraw, axes.op.filter((op) => times.some((t) => t.variant.op === op)));
    const isa = chooser(figure, "ISA:", redraw), threads = chooser(figure, "threads:", redraw), family = chooser(figure, "family:", redraw);
    const distinct = (list) => [...new Set(list)];

    function redraw() {
      chosen.show();
      const ofOp = times.filter((t) => t.variant.op === chosen.op);
      const isas = axes.isa.filter((value) => ofOp.some((t) => t.variant.isa === value)).reverse().sort((a, b) => (b in ISA_HUES) - (a in ISA_HUES));
      fill(isa, isas.map((value) => [value, title("isa", value)]));
      if (isas.includes(state.isa)) isa.value = state.isa;
      const ofIsa = ofOp.filter((t) => t.variant.isa === isa.value);
      fill(threads, distinct(ofIsa.map((t) => t.threads)).sort((a, b) => a - b).map((x) => [String(x), String(x)]));
      fill(family, distinct(ofIsa.filter((t) => String(t.threads) === threads.value).map((t) => t.family)).sort((a, b) => (b === "normal") - (a === "normal")).map((x) => [x, x]));
      for (const select of [threads, family]) select.parentElement.hidden = select.length < 2;
      const shown = ofIsa.filter((t) => matching[t.v] && String(t.threads) === threads.value && t.family === family.value);
      const cells = [...new Map(shown.map((t) => [`${t.rows}×${t.n}`, t])).values()].sort((a, b) => a.rows * a.n - b.rows * b.n || a.n - b.n);
      const kernels = distinct(shown.map((t) => kernel(t.variant)));
      const best = (name, cell) => shown.filter((t) => (!name || kernel(t.variant) === name) && t.rows === cell.rows && t.n === cell.n).reduce((a, b) => (a && a.ns <= b.ns ? a : b), null);
      const lines = kernels.map((name, i) => ({
        label: name, data: cells.map((cell) => { const t = best(name, cell); return t ? { x: `${cell.rows}×${cell.n}`, y: t.ns, time: t } : { x: `${cell.rows}×${cell.n}`, y: null }; }),
        borderColor: color(HUES[i % HUES.length]), backgroundColor: color(HUES[i % HUES.length]), borderWidth: 2, borderDash: i < HUES.length ? [] : [6, 3], pointStyle: i < HUES.length ? "circle" : "rectRot", radius: 3.5, spanGaps: true, tension: 0,
      }));
      const least = cells.map((cell) => Math.min(...positive(shown.filter((t) => t.rows === cell.rows && t.n === cell.n).map((t) => t.least ?? 0))));
      if (least.some(Number.isFinite)) lines.push({ label: "machine's limit", data: least.map((y, i) => ({ x: `${cells[i].rows}×${cells[i].n}`, y: Number.isFinite(y) ? y : null })), borderColor: color("ink"), borderDash: [3, 4], borderWidth: 1.5, pointStyle: "line", radius: 0, hitRadius: 0, fill: "start", backgroundColor: color("shade"), spanGaps: true });
      draw("speed", {
        type: "line", plugins: [residencyBands],
        data: { labels: cells.map((cell) => `${cell.rows}×${cell.n}`), levels: cells.map((cell) => cell.level), datasets: lines },
        scales: { x: axis("category", "rows × row length, by size", { offset: true }), y: axis("logarithmic", "ns/element, faster is lower", around([...shown.map((t) => t.ns), ...least.filter(Number.isFinite)])) },
        tooltip: { callbacks: { label: ({ dataset, raw }) => (raw.time ? `${dataset.label} ${short(raw.y)} ns/element${raw.time.least ? `, ${Math.round((100 * raw.time.least) / raw.y)}% of its limit` : ""}, ${raw.time.variant.cc} ${raw.time.variant.policy}` : `${dataset.label} ${short(raw.y)}`) } },
        interaction: { mode: "index", intersect: false },
      });
      figure.querySelector("figcaption").textContent = !shown.length ? NOTHING : "Each point is the fastest matching build. Dotted: the least time that arithmetic or bandwidth allows the least demanding kernel shown; no point can lie in the shade under it.";
    }
    listeners.push(redraw);
  }

  /* ---- The error distribution ---- */

  const SHARES = [["p50", "sky", "circle"], ["p99", "blue", "rectRot"], ["p99.99", "orange", "triangle"], ["max", "ink", "rect"]];

  function errorDistribution() {
    const figure = document.getElementById("chart-errors");
    if (!data.errors.length) return;
    const rows = data.errors.map(([v, family, ...values]) => ({ v, variant: variants[v], family: axes.family[family], values }));
    const chosen = opChooser(figure, redraw, axes.op.filter((op) => rows.some((r) => r.variant.op === op)));
    const view = chooser(figure, "show:", redraw);
    const last = (list) => list[list.length - 1];

    /* The filters' build, or else the widest ISA under the most conservative policy. */
    function representative(list) {
      const place = (v) => [-axes.isa.indexOf(v.isa), axes.policy.indexOf(v.policy), axes.cc.indexOf(v.cc)];
      return list.reduce((a, b) => {
        const x = place(a.variant), y = place(b.variant), i = x.findIndex((value, k) => value !== y[k]);
        return i < 0 || x[i] <= y[i] ? a : b;
      });
    }
    function redraw() {
      chosen.show();
      const ofOp = rows.filter((r) => r.variant.op === chosen.op && matching[r.v]);
      const kernels = [...new Set(ofOp.map((r) => kernel(r.variant)))], families = axes.family.filter((f) => ofOp.some((r) => r.family === f));
      fill(view, [...families.map((f) => [`f:${f}`, `every kernel on ${f}`]), ...kernels.map((k) => [`k:${k}`, `${k} on every family`])]);
      const name = view.value.slice(2), byFamily = view.value.startsWith("k:");
      const shown = ofOp.filter((r) => (byFamily ? kernel(r.variant) === name : r.family === name));
      const groups = (byFamily ? families : kernels).map((label) => ({ label, list: shown.filter((r) => (byFamily ? r.family : kernel(r.variant)) === label) })).filter((g) => g.list.length)
        .map((g) => ({ label: g.label, ...representative(g.list) })).sort((a, b) => last(a.values) - last(b.values));
      const points = SHARES.map(([label, hue, pointStyle], i) => ({ type: "line", label, showLine: false, data: groups.map((g) => drawn(g.values[i])), borderColor: color(hue), backgroundColor: color(hue), pointStyle, radius: 5, hoverRadius: 7 }));
      const spans = { type: "bar", label: "", data: groups.map((g) => [drawn(g.values[0] ?? last(g.values)), drawn(last(g.values))]), backgroundColor: color("line"), barThickness: 4, order: 1 };
      draw("errors", {
        type: "bar", data: { labels: groups.map((g) => g.label), datasets: [...points, spans] },
        scales: { x: axis("category", ""), y: axis("logarithmic", "error in ULP", around(groups.flatMap((g) => g.values.map(drawn)), 1.4)) },
        tooltip: { filter: (item) => item.dataset.label !== "", callbacks: { label: ({ dataset, dataIndex, datasetIndex }) => `${dataset.label}: ${short(groups[dataIndex].values[datasetIndex])} ULP`, footer: (items) => (items.length ? describe(groups[items[0].dataIndex].variant) : "") } },
        interaction: { mode: "index", intersect: false },
      });
      const builds = [...new Set(groups.map((g) => [title("isa", g.variant.isa), g.variant.cc, g.variant.policy].join(", ")))];
      figure.querySelector("figcaption").textContent = !groups.length ? NOTHING : `Build shown: ${builds.join("; ")}. The filters choose another. Errors below ${LEAST_ERROR} ULP are drawn there.`;
    }
    listeners.push(redraw);
  }

  /* ---- Case studies: what a record's "chart" names, or its numeric columns over the first ---- */

  function drawCase(record, i) {
    const rows = (Array.isArray(record.rows) ? record.rows : []).filter((row) => row && typeof row === "object" && !Array.isArray(row));
    const numeric = (key) => rows.filter((row) => typeof row[key] === "number").length;
    const hint = record.chart && typeof record.chart === "object" ? record.chart : {};
    const keys = rows.length ? Object.keys(rows[0]).filter((key) => numeric(key) >= Math.max(3, rows.length / 2)) : [];
    const x = keys.includes(hint.x) ? hint.x : keys[0];
    const ys = (Array.isArray(hint.y) ? hint.y : keys).filter((key) => key !== x && keys.includes(key)).slice(0, HUES.length);
    if (rows.length < 3 || x === undefined || !ys.length) return;
    const scaleOf = (list) => { const p = positive(list); return p.length && p.length >= list.length / 2 && Math.max(...p) / Math.min(...p) > 50 ? "logarithmic" : "linear"; };
    const xs = scaleOf(rows.map((row) => row[x])), yScale = scaleOf(rows.flatMap((row) => ys.map((key) => row[key])));
    draw(`case-${i}`, {
      type: "scatter", interaction: { mode: "nearest", axis: "x", intersect: false }, tooltip: {},
      data: { datasets: ys.map((key, k) => ({ label: key, showLine: true, data: rows.filter((row) => typeof row[key] === "number" && typeof row[x] === "number" && (yScale === "linear" || row[key] > 0) && (xs === "linear" || row[x] > 0)).map((row) => ({ x: row[x], y: row[key] })), borderColor: color(HUES[k]), backgroundColor: color(HUES[k]), borderWidth: 2, radius: 2.5 })) },
      scales: { x: axis(xs, x), y: axis(yScale, typeof hint.title === "string" ? hint.title : "") },
    });
  }

  /* ---- Dark and light ---- */

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function buildTheme() {
    const button = document.getElementById("theme");
    const show = () => { button.textContent = isDark() ? "Light" : "Dark"; };
    const redrawAll = () => { show(); changed({}); };
    try { if (["dark", "light"].includes(localStorage.ulplabTheme)) root.dataset.theme = localStorage.ulplabTheme; } catch { /* no storage for files here */ }
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try { localStorage.ulplabTheme = root.dataset.theme; } catch { /* as above */ }
      redrawAll();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
    let before;
    addEventListener("beforeprint", () => { before = root.dataset.theme; root.dataset.theme = "light"; redrawAll(); });
    addEventListener("afterprint", () => { if (before) root.dataset.theme = before; else delete root.dataset.theme; redrawAll(); });
    show();
  }

  buildFilters();
  buildTheme();
  for (const table of document.querySelectorAll("table.sortable")) {
    makeSortable(table);
    if (table.id) makeFilterable(table);
  }
  listeners.push(filterTables);
  for (const cell of document.querySelectorAll("td[data-v]")) cell.addEventListener("click", () => pickVariant(variants[cell.dataset.v]));
  if (typeof Chart === "function") {
    scatter();
    speedBySize();
    errorDistribution();
    listeners.push(() => data.cases.forEach(drawCase));
  }
  changed({});
})();
