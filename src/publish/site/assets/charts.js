// SPDX-License-Identifier: MIT
/* The charts of a report, drawn by Chart.js over what app.js shares: each redraws whenever filters,
 * colours or its own choices change. */
"use strict";

(() => {
  const { data, state, listenLater, changed, matches, pick, pickedVariant } = report;
  const { element, option, isaTitle } = page;
  const { HUES, LEAST_ERROR, isNumber, positive, short, color, drawnError } = drawing;
  const { marks, points, axis, logAxis, draw, drawPoints } = drawing;
  const { variants, times, errors, axes } = data;
  const distinct = (list) => [...new Set(list)];
  const NOTHING = "Nothing here matches the filters.";

  /* ---- Choices ---- */

  /* A select of the values that a field has; one value alone is not offered. */
  function addSelect(controls, { field, label = field }, redraw) {
    const select = element("select", { ariaLabel: label });
    controls.append(element("label", {}, `${label}: `, select));
    select.addEventListener("change", () => {
      if (field in state && pickedVariant()) changed({ text: "" });
      else if (state[field]) changed({ [field]: select.value });
      else redraw();
    });
    return select;
  }

  /* A chart of rows, of which its choices leave some: {field, label, values (in their order), text}.
   * Each offers what the choices before it leave. What the filters have, too, follows them, and what
   * they do not have offers what they leave. show(rows, values) draws. */
  function addChart(name, rows, choices, show, isShown = matches) {
    if (!rows.length) return;
    const figure = document.getElementById(`chart-${name}`);
    const selects = choices.map((choice) => addSelect(figure.querySelector(".controls"), choice, redraw));

    function narrow(left, { field, values, text = String }, select) {
      const before = pickedVariant()?.[field] ?? (state[field] || select.value);
      const found = values.filter((value) => left.some((row) => row[field] === value)).map(String);
      select.replaceChildren(...found.map((value) => option(value, text(value))));
      if (found.includes(before)) select.value = before;
      select.parentElement.hidden = found.length < 2;
      return left.filter((row) => String(row[field]) === select.value);
    }

    function redraw() {
      const ofFilters = choices.filter(({ field }) => field in state).length;
      const left = choices.reduce((among, choice, i) =>
        narrow(i === ofFilters ? among.filter(isShown) : among, choice, selects[i]), rows);
      show(left.filter(isShown), selects.map((select) => select.value));
    }
    listenLater(figure, redraw);
  }
  const ofOperation = { field: "op", label: "operation", values: axes.op };

  /* ---- Speed against error ---- */

  const MEASURES = {
    error: "max error on normal",
    scaled: "largest scaled error, all families",
    worst: "max ULP, all families",
    mean: "mean ULP on normal",
  };
  const ISA_HUES = { scalar: "grey", avx2: "orange", avx512: "blue", avx512fp16: "purple" };
  const POLICY_SHAPES = {
    off: ["circle", "●"],
    on: ["rectRot", "◆"],
    default: ["triangle", "▲"],
    fast: ["rect", "■"],
    reassoc: ["star", "✳"],
    fastmath: ["crossRot", "✕"],
  };
  const shapeOf = (policy) => POLICY_SHAPES[policy] || ["cross", "+"];
  const isPicked = (row) => row.index === pickedVariant()?.index;

  /* Returns the points, from the fastest on, that are more accurate than all before them. */
  function frontOf(all) {
    let least = Infinity;
    const candidates = all.filter(({ row }) => row.candidate).sort((a, b) => a.x - b.x || a.error - b.error);
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
        const name = chart.data.datasets[0].data[i].row.kernel;
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

  const frontSet = (all) => marks("Pareto front", "ink", frontOf(all), {
    type: "line", stepped: "before", borderWidth: 1.5, pointStyle: "line", radius: 0, hitRadius: 0, hoverRadius: 0,
  });

  /* The points of one ISA, what is no candidate under the others. */
  function isaSet(isa, all) {
    const own = all.filter(({ row }) => row.isa === isa).sort((a, b) => a.row.candidate - b.row.candidate);
    return points(isaTitle(isa), ISA_HUES[isa] || "green", own, {
      legendShape: "circle",
      pointStyle: own.map(({ row }) => shapeOf(row.policy)[0]),
      radius: own.map(({ row }) => (isPicked(row) ? 10 : 5)),
      borderWidth: own.map(({ row }) => (isPicked(row) ? 3 : 1.5)),
    });
  }

  function pointLines({ row: v, error }, measure) {
    const percent = isNumber(v.percent) ? `, ${Math.round(v.percent)}% of limit` : "";
    const lines = [`${short(v.ns)} ns/element [${short(v.low)}, ${short(v.high)}]${percent}`];
    lines.push(`${short(error)}: ${measure}`);
    if (v.hazard) lines.push("hazard: wrong by design on some inputs");
    if (v.wrong) lines.push("wrong: breaks a promise of its file");
    return lines;
  }

  function showPoints(rows, [op, key]) {
    const all = rows.map((row) => ({ row, error: row[key], x: row.ns, y: drawnError(row[key]), hollow: row.hazard }));
    const has = (field) => (value) => rows.some((row) => row[field] === value);
    const measure = MEASURES[key] + (key === "error" ? `, ${data.units[op]}` : "");
    const policies = axes.policy.filter(has("policy")).map((policy) => `${shapeOf(policy)[1]} ${policy}`);
    drawPoints("scatter", {
      x: `ns/element at ${data.home}, faster to the left`,
      y: measure,
      sets: [frontSet(all), ...axes.isa.filter(has("isa")).map((isa) => isaSet(isa, all))],
      plugins: [frontNames],
      callbacks: {
        title: ([item]) => item && `${item.raw.row.kernel}, ${item.raw.row.build}`,
        label: ({ raw }) => pointLines(raw, measure),
        footer: () => "click: this variant alone, in every table",
      },
      onHover: (event, hits) => {
        event.native.target.style.cursor = hits.length ? "pointer" : "";
      },
      onClick: (event, [hit], chart) => {
        if (!hit) return;
        const { row } = chart.data.datasets[hit.datasetIndex].data[hit.index];
        setTimeout(pick, 0, row); // it redraws: not while a chart handles its event
      },
      caption: all.length ? `${all.length} variants. Policies: ${policies.join("  ")}` : NOTHING,
    });
  }

  /* A row for each measure of a variant. One that was picked is seen among the others. */
  const measured = Object.keys(MEASURES)
    .flatMap((measure) => variants.map((v) => ({ ...v, measure })))
    .filter((row) => row.ns > 0 && isNumber(row[row.measure]));
  const ofMeasure = { field: "measure", label: "error", values: Object.keys(MEASURES), text: (key) => MEASURES[key] };
  addChart("scatter", measured, [ofOperation, ofMeasure], showPoints, (row) => matches(row) || pickedVariant());

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

  const fastest = (list) => list.reduce((best, t) => (best && best.ns <= t.ns ? best : t), undefined);

  function kernelSet(name, i, sizes, shown) {
    const at = (size) => fastest(shown.filter((t) => t.kernel === name && t.size === size));
    const data = sizes.map((size) => ({ x: size, y: at(size)?.ns ?? null, time: at(size) }));
    const again = i >= HUES.length;
    return marks(name, HUES[i % HUES.length], data, {
      borderDash: again ? [6, 3] : [], pointStyle: again ? "rectRot" : "circle", radius: 3.5, spanGaps: true,
    });
  }

  /* The least time that any of the kernels shown could take. */
  function limitSet(sizes, shown) {
    const leastOf = (size) => positive(shown.filter((t) => t.size === size).map((t) => t.least));
    const data = sizes.map((size) => ({ x: size, y: leastOf(size).length ? Math.min(...leastOf(size)) : null }));
    return marks("machine's limit", "ink", data, {
      backgroundColor: color("shade"), borderDash: [3, 4], borderWidth: 1.5, pointStyle: "line", radius: 0,
      hitRadius: 0,
      fill: "start", spanGaps: true,
    });
  }

  function timeLine({ dataset: { label }, raw: { time, y } }) {
    if (!time) return `${label} ${short(y)}`;
    const share = time.least ? `, ${Math.round((100 * time.least) / time.ns)}% of its limit` : "";
    return `${label} ${short(time.ns)}${share}, ${time.cc} ${time.policy}`;
  }

  function showSpeed(shown) {
    const bySize = [...shown].sort((a, b) => a.elements - b.elements || a.n - b.n);
    const sizes = distinct(bySize.map((t) => t.size));
    const kernels = [...shown].sort((a, b) => a.index - b.index).map((t) => t.kernel);
    const sets = distinct(kernels).map((name, i) => kernelSet(name, i, sizes, shown));
    const limit = limitSet(sizes, shown);
    if (limit.data.some((p) => p.y)) sets.push(limit);
    draw("speed", {
      type: "line",
      labels: sizes,
      sets,
      levels: sizes.map((size) => bySize.find((t) => t.size === size).level),
      scales: {
        x: axis("category", "rows × row length, by size", { offset: true }),
        y: logAxis("ns/element, faster is lower", sets.flatMap((set) => set.data.map((p) => p.y))),
      },
      plugins: [residencyBands],
      tip: { callbacks: { label: timeLine } },
      interaction: { mode: "index", intersect: false },
      caption: !shown.length ? NOTHING
        : "Each point is the fastest matching build. Dotted: the least time that arithmetic or bandwidth allows " +
          "the least demanding kernel shown; no point can lie in the shade under it.",
    });
  }

  const widestFirst = [...axes.isa].reverse().sort((a, b) => (b in ISA_HUES) - (a in ISA_HUES)); // known ones first
  addChart("speed", times, [
    ofOperation,
    { field: "isa", label: "ISA", values: widestFirst, text: isaTitle },
    { field: "threads", values: distinct(times.map((t) => t.threads)).sort((a, b) => a - b) },
    { field: "family", values: distinct(["normal", ...times.map((t) => t.family)]) },
  ], showSpeed);

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
    const place = (v) => [-axes.isa.indexOf(v.isa), axes.policy.indexOf(v.policy), axes.cc.indexOf(v.cc)];
    const [x, y, z] = [0, 1, 2].map((i) => (a, b) => place(a)[i] - place(b)[i]);
    return [...rows].sort((a, b) => x(a, b) || y(a, b) || z(a, b))[0];
  }

  function showErrors(rows) {
    const shown = distinct(rows.map((row) => row.label))
      .map((label) => representative(rows.filter((row) => row.label === label)))
      .sort((a, b) => a.values[MAX] - b.values[MAX]);
    const sets = SHARES.map(([label, hue, pointStyle], i) =>
      marks(label, hue, shown.map(({ values }) => drawnError(values[i])), {
        type: "line", showLine: false, pointStyle, radius: 5, hoverRadius: 7,
      }));
    const spans = shown.map(({ values }) => [drawnError(values[0] ?? values[MAX]), drawnError(values[MAX])]);
    const builds = distinct(shown.map((row) => row.build)).join("; ");
    draw("errors", {
      type: "bar",
      labels: shown.map((row) => row.label),
      sets: [...sets, marks("", "line", spans, { barThickness: 4, order: 1, borderWidth: 0 })],
      scales: {
        x: axis("category", ""),
        y: logAxis("error in ULP", shown.flatMap((row) => row.values.map(drawnError)), 1.4),
      },
      tip: {
        filter: ({ dataset }) => dataset.label !== "",
        callbacks: {
          label: ({ dataset, dataIndex, datasetIndex }) =>
            `${dataset.label}: ${short(shown[dataIndex].values[datasetIndex])} ULP`,
          footer: ([item]) => item && shown[item.dataIndex].build,
        },
      },
      interaction: { mode: "index", intersect: false },
      caption: !shown.length ? NOTHING
        : `Build shown: ${builds}. The filters choose another. Less than ${LEAST_ERROR} ULP is drawn there.`,
    });
  }

  /* Every kernel on one family, and every family of one kernel. */
  const byFamily = axes.family.flatMap((family, i) =>
    errors.filter(({ families }) => families[i]).map((row) => ({ ...row, family, values: row.families[i] })));
  const views = [
    ...byFamily.map((row) => ({ ...row, view: `every kernel on ${row.family}`, label: row.kernel })),
    ...byFamily.map((row) => ({ ...row, view: `${row.kernel} on every family`, label: row.family })),
  ];
  const ofView = { field: "view", label: "show", values: distinct(views.map(({ view }) => view)) };
  addChart("errors", views, [ofOperation, ofView], showErrors);

  /* ---- Case studies: what a record's "chart" names, or its numbers over the first of them ---- */

  const isObject = (x) => typeof x === "object" && x !== null && !Array.isArray(x);
  const listOf = (x) => (Array.isArray(x) ? x : []);

  /* Returns whether the values need a logarithmic axis. */
  function spans(values) {
    const known = positive(values);
    return known.length >= Math.max(1, values.length / 2) && Math.max(...known) / Math.min(...known) > 50;
  }

  /* The rows of a record as curves; null where there is nothing to draw. */
  function curvesOfRows(record) {
    const rows = listOf(record.rows).filter(isObject);
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
    const scale = (log, label) => axis(log === true ? "logarithmic" : "linear", String(label));
    const isDrawn = (value, log) => isNumber(value) && (log !== true || value > 0);
    function set(series, k) {
      const points = listOf(series.points).filter(Array.isArray)
        .filter(([x, y]) => isDrawn(x, curves.x_log) && isDrawn(y, curves.y_log));
      return marks(String(series.name), HUES[k], points.map(([x, y]) => ({ x, y })), { showLine: true, radius: 2 });
    }
    draw(name, {
      type: "scatter",
      sets: listOf(curves.series).filter(isObject).slice(0, HUES.length).map(set),
      scales: { x: scale(curves.x_log, curves.x_label), y: scale(curves.y_log, curves.y_label) },
      interaction: { mode: "nearest", axis: "x", intersect: false },
      caption: String(curves.title),
    });
  }

  function drawRecord(record, i) {
    listOf(record.curves).forEach((curves, k) => isObject(curves) && drawCurves(curves, `case-${i}-${k}`));
    const rows = document.getElementById(`chart-case-${i}`) && curvesOfRows(record);
    if (rows) drawCurves(rows, `case-${i}`);
  }

  if (data.cases.length) listenLater(document.getElementById("cases"), () => data.cases.forEach(drawRecord));
})();
