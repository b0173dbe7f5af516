// SPDX-License-Identifier: MIT
/* The common part of the pages' scripts: reading the data, elements, numbers, sorting, a filter by
 * text, dark and light. Text goes into the page as text. */
"use strict";

const page = (() => {
  const NONE = "–";
  const raw = JSON.parse(document.getElementById("data").textContent);

  /* ---- The data ---- */

  /* A number as the data has it: JSON has no infinity. */
  const number = (value) => (value === "inf" ? Infinity : value);

  /* Texts that recur stand once, in a list (src/publish/render/rows.h). */
  const plain = (values) => (Array.isArray(values) ? values : values.at.map((at) =>
    (at === null ? null : values.list[at])));

  /* Columns as objects, one per row. */
  function rowsOf(columns) {
    const lists = Object.entries(columns).map(([key, values]) => [key, plain(values)]);
    const rowAt = (_, i) => Object.fromEntries(lists.map(([key, list]) => [key, number(list[i])]));
    return (lists[0]?.[1] ?? []).map(rowAt);
  }

  const ISA_TITLES = { avx2: "AVX2", avx512: "AVX-512", avx512fp16: "AVX-512 FP16" };
  const isaTitle = (name) => ISA_TITLES[name] || name;

  /* What a row's variant is called. "softmax bf16" is softmax. */
  function named(row) {
    const { algorithm, dtype, isa, cc, policy } = row;
    const [operation] = row.op.split(" ");
    const kernel = dtype === "f32" ? algorithm : `${algorithm} ${dtype}`;
    const build = [isaTitle(isa), cc, policy].join(", ");
    const id = `${operation}/${algorithm}/dtype=${dtype}/isa=${isa}/cc=${cc}/policy=${policy}`;
    return Object.assign(row, { operation, kernel, build, id });
  }

  function element(tag, properties = {}, ...children) {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  }

  const { namespaceURI } = element("div", { innerHTML: "<svg></svg>" }).firstChild; // an address that nobody loads
  function svgNode(name, attributes, text = "") {
    const node = document.createElementNS(namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.textContent = text;
    return node;
  }

  const option = (value, text) => element("option", { value, textContent: text });

  /* Returns a test whether a row's `id` contains the text or matches it, a regular expression. */
  function textMatcher(text) {
    const lower = text.toLowerCase();
    let pattern = null;
    try {
      pattern = new RegExp(text, "i");
    } catch {
      pattern = { test: () => false }; // half-typed
    }
    return (v) => v.id.toLowerCase().includes(lower) || pattern.test(v.id);
  }

  /* ---- Numbers as the reports write them ---- */

  const fixed = (x, digits) => (x === null ? NONE : x.toFixed(digits));

  /* printf's %.3g: an exponent has two digits at least. */
  function threeDigits(x) {
    if (x === 0) return "0";
    const [mantissa, exponent] = x.toExponential(2).split("e");
    const power = Number(exponent);
    if (power >= -4 && power < 3) return String(Number(x.toFixed(2 - power)));
    return `${Number(mantissa)}e${exponent.replace(/^([+-])(\d)$/, "$10$2")}`;
  }

  /* A text that stands for an error, marked where rounding has moved it onto or across a line that
   * people draw (src/base/number.h). */
  function marked(text, x) {
    const shown = Number(text);
    const lines = [0.5, 1];
    if (lines.some((line) => x > line && shown <= line)) return `>${text}`;
    return lines.some((line) => x < line && shown >= line) ? `<${text}` : text;
  }

  /* An error in ULP or in units of the input; infinite where results were lost. */
  function errorText(x) {
    if (x === null) return NONE;
    return x === Infinity ? "inf" : marked(threeDigits(x), x);
  }

  /* ---- Sorting ---- */

  /* Compares for sorting; a missing value comes last in either direction. */
  function compare(a, b, sign) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), "en", { numeric: true });
  }

  /* ---- Dark and light ---- */

  function buildTheme(changed) {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)");
    const button = document.getElementById("theme");
    let kept = {};
    try {
      kept = localStorage;
    } catch {
      /* some browsers keep no storage for files */
    }
    let chosen = kept.ulplabTheme || root.dataset.theme;
    const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
    function use(theme) {
      if (theme) root.dataset.theme = theme;
      else delete root.dataset.theme;
      button.textContent = isDark() ? "Light" : "Dark";
      changed();
    }
    button.hidden = false;
    button.addEventListener("click", () => {
      chosen = isDark() ? "light" : "dark";
      use(chosen);
      kept.ulplabTheme = chosen;
    });
    system.addEventListener("change", () => use(chosen));
    addEventListener("beforeprint", () => use("light"));
    addEventListener("afterprint", () => use(chosen));
    use(chosen);
  }

  const data = { raw, rowsOf, number, named };
  const elements = { element, svgNode, option, isaTitle, textMatcher, buildTheme };
  return { ...data, ...elements, NONE, fixed, threeDigits, marked, errorText, compare };
})();
