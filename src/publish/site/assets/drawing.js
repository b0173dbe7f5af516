// SPDX-License-Identifier: MIT
/* The common part of all charts: colours, axes, and drawing by Chart.js into the figure of a name. */
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
  const faded = (rgb) => rgb.replace("rgb(", "rgba(").replace(")", ", 0.45)");

  /* ---- Axes ---- */

  /* 1, 2 and 5 are named, fewer over many decades, more within one. */
  function logTicks(x, index, ticks) {
    const decades = Math.log10(ticks[ticks.length - 1].value / ticks[0].value);
    if (Math.round(Math.log10(x)) % Math.ceil(decades / 7)) return "";
    const named = [
      [5, "1"],
      [2.5, "15"],
      [1.3, "125"],
      [0.6, "1235"],
    ].find(([from]) => decades > from);
    const digits = String(+x.toPrecision(6)).replace(/^[0.]+|0+$|\.|e.*/g, "");
    return digits.length === 1 && (!named || named[1].includes(digits)) ? short(x) : "";
  }

  function axis(type, text, more = {}) {
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

  /* Limits of an axis: what is drawn, and a little room. */
  function around(values, by = 1.18) {
    const known = positive(values);
    return known.length ? { min: Math.min(...known) / by, max: Math.max(...known) * by } : {};
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
    const labels = { color: color("ink"), usePointStyle: true, boxWidth: 7, boxHeight: 7 };
    const filter = (item) => item.text !== "";
    return { labels: { ...labels, padding: 14, filter, generateLabels: legendLabels } };
  }

  function tooltip(own) {
    const ink = color("paper");
    return {
      backgroundColor: color("ink"),
      titleColor: ink,
      bodyColor: ink,
      footerColor: ink,
      footerFont: { weight: "normal", style: "italic" },
      padding: 10,
      usePointStyle: true,
      ...own,
    };
  }

  function draw(name, { type, sets, labels, scales, plugins = [], tip = {}, ...events }) {
    const figure = document.getElementById(`chart-${name}`);
    charts.get(name)?.destroy();
    figure.hidden = false;
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    const options = {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      plugins: { legend: legend(), tooltip: tooltip(tip) },
      scales,
      ...events,
    };
    const canvas = figure.querySelector("canvas");
    charts.set(name, new Chart(canvas, { type, data: { labels, datasets: sets }, options, plugins }));
  }

  function caption(name, text) {
    document.querySelector(`#chart-${name} figcaption`).textContent = text;
  }

  return { HUES, isNumber, positive, short, color, faded, axis, around, draw, caption };
})();
