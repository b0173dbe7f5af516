// SPDX-License-Identifier: MIT
/* The common part of all charts: colours, marks, axes, and drawing by Chart.js into the figure of a
 * name. */
"use strict";

const drawing = (() => {
  const { element } = page;
  const positive = (list) => list.filter((x) => x > 0);
  const isNumber = (x) => typeof x === "number";

  /* Three digits. */
  function short(x) {
    if (!isNumber(x)) return "–";
    if (x === Infinity) return "inf";
    if (x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e4)) return x.toExponential(1);
    return String(+x.toPrecision(3));
  }

  /* ---- Colours ---- */

  const HUES = ["blue", "orange", "green", "purple", "yellow", "sky", "grey"];

  /* A colour of the style sheet as this theme has it. */
  const probe = document.body.appendChild(element("i", { hidden: true }));
  function color(name) {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  }

  /* ---- Marks ---- */

  /* Marks in one colour: `more` is what Chart.js knows of a dataset. */
  const marks = (label, hue, data, more) =>
    ({ label, data, borderColor: color(hue), backgroundColor: color(hue), borderWidth: 2, ...more });

  /* Beyond these an error says no more: the oracle's own, and no digit right (2^24 ulp: 100%). */
  const [LEAST_ERROR, MOST_ERROR] = [1e-3, 1e8];
  const drawnError = (error) =>
    isNumber(error) ? Math.min(Math.max(error, LEAST_ERROR), MOST_ERROR) : null;

  /* ---- Axes ---- */

  /* 1, 2 and 5 are named, fewer over many decades, more within one. */
  function logTicks(x, index, ticks) {
    const decades = Math.log10(ticks[ticks.length - 1].value / ticks[0].value);
    if (Math.round(Math.log10(x)) % Math.ceil(decades / 7)) return "";
    const named = [[5, "1"], [2.5, "15"], [1.3, "125"], [0.6, "1235"]].find(([from]) => decades > from);
    const digits = String(+x.toPrecision(6)).replace(/^[0.]+|0+$|\.|e.*/g, "");
    return digits.length === 1 && (!named || named[1].includes(digits)) ? short(x) : "";
  }

  /* The last error that is drawn stands for all beyond it, and for lost results. */
  const errorTicks = (x, ...more) => (x === MOST_ERROR ? "lost or beyond" : logTicks(x, ...more));

  function axis(type, text, more) {
    const logarithmic = type === "logarithmic";
    const lineColor = color("line");
    const ticks = { color: color("soft"), padding: 6 };
    if (logarithmic) Object.assign(ticks, { callback: logTicks, autoSkip: false, maxRotation: 0 });
    const hasName = (context) => !logarithmic || Boolean(context.tick?.label);
    return {
      type,
      ticks,
      title: { display: text !== "", text, color: color("soft") },
      grid: {
        color: (context) => (hasName(context) ? lineColor : "transparent"),
        borderColor: color("strong-line"),
        drawTicks: false,
      },
      ...more,
    };
  }

  /* A logarithmic axis of what is drawn, and a little room. */
  function logAxis(text, values, room = 1.18) {
    const known = positive(values);
    const limits = { min: Math.min(...known) / room, max: Math.max(...known) * room };
    return axis("logarithmic", text, known.length ? limits : {});
  }

  /* ---- Drawing ---- */

  const charts = new Map();

  /* One mark per dataset, though its points may differ in shape. */
  function legendLabels(chart) {
    return Chart.defaults.plugins.legend.labels.generateLabels(chart).map((item) => {
      const { legendShape, borderColor } = chart.data.datasets[item.datasetIndex];
      return legendShape ? { ...item, pointStyle: legendShape, fillStyle: borderColor } : item;
    });
  }

  function legend() {
    const marks = { usePointStyle: true, boxWidth: 7, boxHeight: 7, padding: 14 };
    const filter = (item) => item.text !== "";
    return { labels: { ...marks, color: color("ink"), filter, generateLabels: legendLabels } };
  }

  function tooltip(own) {
    const [titleColor, backgroundColor] = [color("paper"), color("ink")];
    const colors = { backgroundColor, titleColor, bodyColor: titleColor, footerColor: titleColor };
    const footerFont = { weight: "normal", style: "italic" };
    return { ...colors, footerFont, padding: 10, usePointStyle: true, ...own };
  }

  function draw(name, { type, sets, labels, caption, plugins = [], tip = {}, ...more }) {
    const figure = document.getElementById(`chart-${name}`);
    charts.get(name)?.destroy();
    figure.hidden = false;
    figure.querySelector("figcaption").textContent = caption;
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    const options = {
      animation: false,
      maintainAspectRatio: false,
      plugins: { legend: legend(), tooltip: tooltip(tip) },
      ...more,
    };
    const canvas = figure.querySelector("canvas");
    charts.set(name, new Chart(canvas, { type, data: { labels, datasets: sets }, options, plugins }));
  }

  /* ---- Speed against error ---- */

  /* Points {row, x, y, hollow} of one colour. */
  function points(label, hue, data, more) {
    const inside = color(hue).replace("rgb(", "rgba(").replace(")", ", 0.45)");
    const backgroundColor = data.map(({ hollow }) => (hollow ? "transparent" : inside));
    const whole = { clip: false }; // a point on the edge is not cut
    return marks(label, hue, data, { backgroundColor, borderWidth: 1.5, hoverRadius: 8, ...whole, ...more });
  }

  /* x and y: what the axes say; callbacks: of the tooltip. */
  function drawPoints(name, { x, y, sets, callbacks, ...more }) {
    const all = sets.flatMap((set) => set.data);
    const errors = logAxis(y, all.map((point) => point.y));
    errors.ticks.callback = errorTicks;
    draw(name, {
      type: "scatter",
      sets,
      scales: {
        x: logAxis(x, all.map((point) => point.x)),
        y: errors,
      },
      tip: { callbacks },
      interaction: { mode: "nearest", intersect: true },
      ...more,
    });
  }

  const values = { HUES, LEAST_ERROR, isNumber, positive, short, color, drawnError };
  return { ...values, marks, points, axis, logAxis, draw, drawPoints };
})();
