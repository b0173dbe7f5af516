// SPDX-License-Identifier: MIT
/* The charts, drawn by Chart.js over what app.js shares. Each is a function that sets up its
 * controls once and redraws whenever filters or colours change. */
"use strict";

(() => {
  const { data, state, listenLater, changed, matches, element, option, isaTitle, kernel } = report;
  const { HUES, short, color, faded, axis, around, draw, caption } = drawing;
  const { variants, axes } = data;
  const build = (v) => [isaTitle(v.isa), v.cc, v.policy].join(", ");
  const distinct = (list) => [...new Set(list)];
  const { isNumber, positive } = drawing;
  const figureOf = (name) => document.getElementById(`chart-${name}`);
  const NOTHING = "Nothing here matches the filters.";

  /* Beyond these an error says no more: the oracle's own, and no digit right (2^24 ulp: 100%). */
  const LEAST_ERROR = 1e-3;
  const MOST_ERROR = 1e8;
  const drawn = (error) =>
    isNumber(error) ? Math.min(Math.max(error, LEAST_ERROR), MOST_ERROR) : null;

  /* ---- Colours and shapes ---- */

  const ISA_HUES = { scalar: "grey", avx2: "orange", avx512: "blue", avx512fp16: "purple" };
  const POLICY_SHAPES = {
    off: ["circle", "●"],
    on: ["rectRot", "◆"],
    default: ["triangle", "▲"],
    fast: ["rect", "■"],
    reassoc: ["star", "✳"],
    fastmath: ["crossRot", "✕"],
  };
  const OWN_SHAPE = ["cross", "+"];
  const shapeOf = (policy) => POLICY_SHAPES[policy] || OWN_SHAPE;

  /* ---- Controls ---- */

  /* A row of buttons, one pressed. The filters' operation overrides a choice made here. */
  function opChooser(name, redraw, ops) {
    const chosen = { op: ops[0] };
    const segments = element("span", { className: "segments" });
    for (const op of ops) {
      const button = element("button", { type: "button", textContent: op });
      button.addEventListener("click", () => {
        chosen.op = op;
        if (report.pickedVariant()) changed({ text: "" });
        else if (state.op !== "" && state.op !== op) changed({ op });
        else redraw();
      });
      segments.append(button);
    }
    document.querySelector(`#chart-${name} .controls`).append(segments);
    chosen.update = () => {
      const asked = report.pickedVariant()?.op || state.op;
      if (ops.includes(asked)) chosen.op = asked;
      for (const button of segments.children)
        button.setAttribute("aria-pressed", button.textContent === chosen.op);
    };
    return chosen;
  }

  function chooser(name, label, redraw) {
    const select = element("select", { ariaLabel: label });
    const controls = document.querySelector(`#chart-${name} .controls`);
    controls.append(element("label", {}, `${label}: `, select));
    select.addEventListener("change", redraw);
    return select;
  }

  /* New options; a choice that is still among them is kept, one among one is not shown. */
  function fill(select, entries) {
    const before = select.value;
    select.replaceChildren(...entries.map(([value, text]) => option(value, text)));
    if (entries.some(([value]) => value === before)) select.value = before;
    select.parentElement.hidden = entries.length < 2;
  }

  const sameText = (values) => values.map((value) => [String(value), String(value)]);
  /* Known ISAs from the widest. */
  const widestFirst = (isas) =>
    [...isas].reverse().sort((a, b) => (b in ISA_HUES) - (a in ISA_HUES));

  /* ---- Speed against error ---- */

  const MEASURES = [
    ["error", "max error on normal"],
    ["scaled", "largest scaled error, all families"],
    ["worst", "max ULP, all families"],
    ["mean", "mean ULP on normal"],
  ];

  /* Returns the points, from the fastest on, that are more accurate than all before them. */
  function frontOf(points) {
    const candidates = points.filter((p) => p.variant.candidate);
    candidates.sort((a, b) => a.x - b.x || a.error - b.error);
    let least = Infinity;
    return candidates.filter(({ error }) => {
      const better = error < least;
      if (better) least = error;
      return better;
    });
  }

  /* Names what is on the front, where there is room. */
  const frontNames = {
    id: "frontNames",
    afterDatasetsDraw(chart) {
      const { ctx, chartArea } = chart;
      const taken = [];
      let last = "";
      ctx.font = `600 12px ${Chart.defaults.font.family}`;
      chart.getDatasetMeta(0).data.forEach((point, i) => {
        const name = kernel(chart.data.datasets[0].data[i].variant);
        const { width } = ctx.measureText(name);
        const x = Math.min(point.x + 9, chartArea.right - width - 2);
        const y = point.y - 9 < chartArea.top + 8 ? point.y + 14 : point.y - 9;
        const meets = (box) => x <= box.x + box.width && x + width >= box.x && Math.abs(y - box.y) < 15;
        if (name === last || taken.some(meets)) return;
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

  function frontSet(points) {
    return {
      type: "line",
      label: "Pareto front",
      data: frontOf(points),
      stepped: "before",
      borderColor: color("ink"),
      borderWidth: 1.5,
      pointStyle: "line",
      radius: 0,
      hitRadius: 0,
      hoverRadius: 0,
    };
  }

  /* The points of one ISA, what is no candidate under the others. */
  function isaSet(isa, points) {
    const own = points.filter((p) => p.variant.isa === isa);
    own.sort((a, b) => a.variant.candidate - b.variant.candidate);
    const hue = color(ISA_HUES[isa] || "green");
    const isPicked = (p) => p.variant === report.pickedVariant();
    return {
      label: isaTitle(isa),
      data: own,
      legendShape: "circle",
      pointStyle: own.map((p) => shapeOf(p.variant.policy)[0]),
      radius: own.map((p) => (isPicked(p) ? 10 : 5)),
      borderWidth: own.map((p) => (isPicked(p) ? 3 : 1.5)),
      borderColor: hue,
      backgroundColor: own.map((p) => (p.variant.hazard ? "transparent" : faded(hue))),
      hoverRadius: 8,
    };
  }

  function scatterLines({ variant: v, error }, measure) {
    const percent = isNumber(v.percent) ? `, ${Math.round(v.percent)}% of limit` : "";
    const lines = [`${short(v.ns)} ns/element [${short(v.low)}, ${short(v.high)}]${percent}`];
    lines.push(`${short(error)}: ${measure}`);
    if (v.hazard) lines.push("hazard: wrong by design on some inputs");
    if (v.wrong) lines.push("wrong: breaks a promise of its file");
    return lines;
  }

  function scatter() {
    const ops = axes.op.filter((op) => variants.some((v) => v.op === op && v.ns > 0));
    if (!ops.length) return;
    const chosen = opChooser("scatter", redraw, ops);
    const measure = chooser("scatter", "error", redraw);
    fill(measure, MEASURES);

    /* One that was picked is seen among the others. */
    const isShown = (v) => {
      const isMeasured = v.ns > 0 && isNumber(v[measure.value]);
      return v.op === chosen.op && isMeasured && (matches(v) || report.pickedVariant());
    };
    const point = (variant) => {
      const error = variant[measure.value];
      return { variant, error, x: variant.ns, y: drawn(error) };
    };

    function redraw() {
      chosen.update();
      const points = variants.filter(isShown).map(point);
      const isas = axes.isa.filter((isa) => points.some((p) => p.variant.isa === isa));
      const unit = measure.value === "error" ? `, ${data.units[chosen.op]}` : "";
      const name = measure.selectedOptions[0].textContent + unit;
      const xText = `ns/element at ${data.home.join("×")}, faster to the left`;
      draw("scatter", {
        type: "scatter",
        sets: [frontSet(points), ...isas.map((isa) => isaSet(isa, points))],
        scales: {
          x: axis("logarithmic", xText, around(points.map((p) => p.x))),
          y: axis("logarithmic", name, around(points.map((p) => p.y))),
        },
        plugins: [frontNames],
        tip: {
          callbacks: {
            title: ([item]) => item && `${kernel(item.raw.variant)}, ${build(item.raw.variant)}`,
            label: (item) => scatterLines(item.raw, name),
            footer: () => "click: this variant alone, in every table",
          },
        },
        interaction: { mode: "nearest", intersect: true },
        onHover: (event, hits) => {
          event.native.target.style.cursor = hits.length ? "pointer" : "";
        },
        onClick: (event, [hit], chart) => {
          if (!hit) return;
          const { variant } = chart.data.datasets[hit.datasetIndex].data[hit.index];
          setTimeout(report.pick, 0, variant); // it redraws: not while a chart handles its event
        },
      });
      const policies = axes.policy.filter((p) => points.some(({ variant }) => variant.policy === p));
      const key = policies.map((policy) => `${shapeOf(policy)[1]} ${policy}`).join("  ");
      caption("scatter", points.length ? `${points.length} variants. Policies: ${key}` : NOTHING);
    }
    listenLater(figureOf("scatter"), redraw);
  }

  /* ---- Speed by size ---- */

  /* Which level of memory each part of the axis lives in. */
  const residencyBands = {
    id: "residencyBands",
    beforeDatasetsDraw(chart) {
      const { ctx, chartArea, scales } = chart;
      const levels = chart.options.levels;
      const at = (index) => scales.x.getPixelForValue(index);
      const half = levels.length > 1 ? (at(1) - at(0)) / 2 : chartArea.width / 2;
      ctx.font = `600 11px ${Chart.defaults.font.family}`;
      for (let from = 0, to, band = 0; from < levels.length; from = to, band++) {
        for (to = from; to < levels.length && levels[to] === levels[from]; ) to++;
        const left = Math.max(at(from) - half, chartArea.left);
        const right = Math.min(at(to - 1) + half, chartArea.right);
        ctx.fillStyle = band % 2 ? "transparent" : color("shade");
        ctx.fillRect(left, chartArea.top, right - left, chartArea.height);
        ctx.fillStyle = color("soft");
        ctx.fillText(levels[from], left + 6, chartArea.top + 14);
      }
    },
  };

  const shapeName = (t) => `${t.rows}×${t.n}`;

  function kernelSet(name, i, cells, times) {
    const own = times.filter((t) => kernel(t.variant) === name);
    const fastest = (cell) =>
      own.filter((t) => shapeName(t) === cell).sort((a, b) => a.ns - b.ns)[0];
    const hue = color(HUES[i % HUES.length]);
    return {
      label: name,
      data: cells.map((cell) => ({ x: cell, y: fastest(cell)?.ns ?? null, time: fastest(cell) })),
      borderColor: hue,
      backgroundColor: hue,
      borderWidth: 2,
      borderDash: i < HUES.length ? [] : [6, 3],
      pointStyle: i < HUES.length ? "circle" : "rectRot",
      radius: 3.5,
      spanGaps: true,
    };
  }

  /* The least time that any of the kernels shown could take. */
  function limitSet(cells, times) {
    const leastOf = (cell) =>
      Math.min(...positive(times.filter((t) => shapeName(t) === cell).map((t) => t.least ?? 0)));
    const known = (y) => (Number.isFinite(y) ? y : null);
    return {
      label: "machine's limit",
      data: cells.map((cell) => ({ x: cell, y: known(leastOf(cell)) })),
      borderColor: color("ink"),
      backgroundColor: color("shade"),
      borderDash: [3, 4],
      borderWidth: 1.5,
      pointStyle: "line",
      radius: 0,
      hitRadius: 0,
      fill: "start",
      spanGaps: true,
    };
  }

  function timeLine({ dataset, raw }) {
    const { time } = raw;
    if (!time) return `${dataset.label} ${short(raw.y)}`;
    const share = time.least ? `, ${Math.round((100 * time.least) / time.ns)}% of its limit` : "";
    return `${dataset.label} ${short(time.ns)}${share}, ${time.variant.cc} ${time.variant.policy}`;
  }

  function speedBySize() {
    const { times } = data;
    if (!times.length) return;
    const ops = axes.op.filter((op) => times.some((t) => t.variant.op === op));
    const chosen = opChooser("speed", redraw, ops);
    const isa = chooser("speed", "ISA", redraw);
    const threads = chooser("speed", "threads", redraw);
    const family = chooser("speed", "family", redraw);

    /* Each choice is among what the choices before it leave. */
    function choose() {
      let left = times.filter((t) => t.variant.op === chosen.op);
      const isas = axes.isa.filter((value) => left.some((t) => t.variant.isa === value));
      fill(isa, widestFirst(isas).map((value) => [value, isaTitle(value)]));
      const asked = report.pickedVariant()?.isa || state.isa;
      if (isas.includes(asked)) isa.value = asked;
      left = left.filter((t) => t.variant.isa === isa.value);
      fill(threads, sameText(distinct(left.map((t) => t.threads)).sort((a, b) => a - b)));
      left = left.filter((t) => String(t.threads) === threads.value);
      const families = distinct(left.map((t) => t.family));
      fill(family, sameText(families.sort((a, b) => (b === "normal") - (a === "normal"))));
      return left.filter((t) => t.family === family.value && matches(t.variant));
    }

    function redraw() {
      chosen.update();
      const shown = choose();
      const bySize = [...shown].sort((a, b) => a.rows * a.n - b.rows * b.n || a.n - b.n);
      const cells = distinct(bySize.map(shapeName));
      const sets = distinct(shown.map((t) => kernel(t.variant)))
        .map((name, i) => kernelSet(name, i, cells, shown));
      const limit = limitSet(cells, shown);
      if (limit.data.some((p) => p.y)) sets.push(limit);
      const heights = sets.flatMap((set) => set.data.map((p) => p.y));
      draw("speed", {
        type: "line",
        labels: cells,
        sets,
        levels: cells.map((cell) => bySize.find((t) => shapeName(t) === cell).level),
        scales: {
          x: axis("category", "rows × row length, by size", { offset: true }),
          y: axis("logarithmic", "ns/element, faster is lower", around(heights)),
        },
        plugins: [residencyBands],
        tip: { callbacks: { label: timeLine } },
        interaction: { mode: "index", intersect: false },
      });
      const words =
        "Each point is the fastest matching build. Dotted: the least time that arithmetic or " +
        "bandwidth allows the least demanding kernel shown; no point can lie in the shade under it.";
      caption("speed", shown.length ? words : NOTHING);
    }
    listenLater(figureOf("speed"), redraw);
  }

  /* ---- The error distribution ---- */

  const SHARES = [
    ["p50", "sky", "circle"],
    ["p99", "blue", "rectRot"],
    ["p99.99", "orange", "triangle"],
    ["max", "ink", "rect"],
  ];
  const MAX = SHARES.length - 1;

  /* Returns, of several builds, that for the widest ISA under the most conservative policy. */
  function representative(rows) {
    const place = ({ variant: v }) => [
      -axes.isa.indexOf(v.isa),
      axes.policy.indexOf(v.policy),
      axes.cc.indexOf(v.cc),
    ];
    const before = (x, y) => {
      const i = x.findIndex((value, k) => value !== y[k]);
      return i < 0 ? 0 : x[i] - y[i];
    };
    return [...rows].sort((a, b) => before(place(a), place(b)))[0];
  }

  function shareSets(rows) {
    const points = SHARES.map(([label, hue, pointStyle], i) => ({
      type: "line",
      label,
      showLine: false,
      data: rows.map((row) => drawn(row.values[i])),
      borderColor: color(hue),
      backgroundColor: color(hue),
      pointStyle,
      radius: 5,
      hoverRadius: 7,
    }));
    const span = ({ values }) => [drawn(values[0] ?? values[MAX]), drawn(values[MAX])];
    const stems = { type: "bar", label: "", data: rows.map(span), barThickness: 4, order: 1 };
    return [...points, { ...stems, backgroundColor: color("line") }];
  }

  function errorDistribution() {
    const rows = data.errors.flatMap(({ variant, families }) =>
      families
        .map((values, i) => ({ variant, kernel: kernel(variant), family: axes.family[i], values }))
        .filter((row) => row.values)
    );
    if (!rows.length) return;
    const ops = axes.op.filter((op) => rows.some((row) => row.variant.op === op));
    const chosen = opChooser("errors", redraw, ops);
    const view = chooser("errors", "show", redraw);

    /* Every kernel on one family, or every family of one kernel: a row for each. */
    function choose() {
      const ofOp = rows.filter((row) => row.variant.op === chosen.op && matches(row.variant));
      const families = axes.family.filter((family) => ofOp.some((row) => row.family === family));
      const views = [
        ...families.map((name) => ({ from: "family", name, per: "kernel" })),
        ...distinct(ofOp.map((row) => row.kernel))
          .map((name) => ({ from: "kernel", name, per: "family" })),
      ];
      const words = ({ from, name }) =>
        from === "family" ? `every kernel on ${name}` : `${name} on every family`;
      fill(view, views.map((v) => [`${v.from} ${v.name}`, words(v)]));
      const { from, name, per } = views[view.selectedIndex] || {};
      const left = ofOp.filter((row) => row[from] === name);
      return distinct(left.map((row) => row[per]))
        .map((label) => ({ label, ...representative(left.filter((row) => row[per] === label)) }))
        .sort((a, b) => a.values[MAX] - b.values[MAX]);
    }

    function redraw() {
      chosen.update();
      const shown = choose();
      const heights = shown.flatMap((row) => row.values.map(drawn));
      const isPoint = ({ dataset }) => dataset.label !== "";
      const line = ({ dataset, dataIndex, datasetIndex }) =>
        `${dataset.label}: ${short(shown[dataIndex].values[datasetIndex])} ULP`;
      draw("errors", {
        type: "bar",
        labels: shown.map((row) => row.label),
        sets: shareSets(shown),
        scales: {
          x: axis("category", ""),
          y: axis("logarithmic", "error in ULP", around(heights, 1.4)),
        },
        tip: {
          filter: isPoint,
          callbacks: {
            label: line,
            footer: ([item]) => item && build(shown[item.dataIndex].variant),
          },
        },
        interaction: { mode: "index", intersect: false },
      });
      const builds = distinct(shown.map((row) => build(row.variant))).join("; ");
      const words = `Build shown: ${builds}. The filters choose another. `;
      caption("errors", shown.length ? `${words}Less than ${LEAST_ERROR} ULP is drawn there.` : NOTHING);
    }
    listenLater(figureOf("errors"), redraw);
  }

  /* ---- Case studies: what a record's "chart" names, or its numbers over the first of them ---- */

  const isObject = (x) => typeof x === "object" && x !== null && !Array.isArray(x);

  /* Returns whether the values need a logarithmic axis. */
  function spans(values) {
    const known = positive(values);
    return known.length >= Math.max(1, values.length / 2) && Math.max(...known) / Math.min(...known) > 50;
  }

  /* The rows of a record as curves; null where there is nothing to draw. */
  function curvesOfRows(record) {
    const rows = (Array.isArray(record.rows) ? record.rows : []).filter(isObject);
    const hint = isObject(record.chart) ? record.chart : {};
    const often = (key) => rows.filter((row) => isNumber(row[key])).length >= rows.length / 2;
    const keys = Object.keys(rows[0] || {}).filter(often);
    const x = keys.includes(hint.x) ? hint.x : keys[0];
    const wanted = Array.isArray(hint.y) ? hint.y : keys;
    const ys = wanted.filter((key) => key !== x && keys.includes(key)).slice(0, HUES.length);
    if (rows.length < 3 || !ys.length) return null;
    return {
      title: "",
      x_label: x,
      y_label: typeof hint.title === "string" ? hint.title : "",
      x_log: spans(rows.map((row) => row[x])),
      y_log: spans(rows.flatMap((row) => ys.map((key) => row[key]))),
      series: ys.map((name) => ({ name, points: rows.map((row) => [row[x], row[name]]) })),
    };
  }

  /* The curves of a record: {title, x_label, y_label, x_log, y_log, series: [{name, points}]}. */
  function drawCurves(curves, name) {
    const scale = (log) => (log === true ? "logarithmic" : "linear");
    const drawn = (value, log) => isNumber(value) && (log !== true || value > 0);
    const set = (series, k) => ({
      label: String(series.name),
      showLine: true,
      data: (Array.isArray(series.points) ? series.points : [])
        .filter((p) => Array.isArray(p) && drawn(p[0], curves.x_log) && drawn(p[1], curves.y_log))
        .map(([x, y]) => ({ x, y })),
      borderColor: color(HUES[k]),
      backgroundColor: color(HUES[k]),
      borderWidth: 2,
      radius: 2,
    });
    const series = (Array.isArray(curves.series) ? curves.series : []).filter(isObject);
    draw(name, {
      type: "scatter",
      sets: series.slice(0, HUES.length).map(set),
      scales: {
        x: axis(scale(curves.x_log), String(curves.x_label)),
        y: axis(scale(curves.y_log), String(curves.y_label)),
      },
      interaction: { mode: "nearest", axis: "x", intersect: false },
    });
    caption(name, String(curves.title));
  }

  function drawRecord(record, i) {
    const curves = Array.isArray(record.curves) ? record.curves : [];
    curves.forEach((c, k) => isObject(c) && drawCurves(c, `case-${i}-${k}`));
    const rows = document.getElementById(`chart-case-${i}`) && curvesOfRows(record);
    if (rows) drawCurves(rows, `case-${i}`);
  }

  scatter();
  speedBySize();
  errorDistribution();
  if (data.cases.length) listenLater(document.getElementById("cases"), () => data.cases.forEach(drawRecord));
})();
