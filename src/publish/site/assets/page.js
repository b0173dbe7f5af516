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
  const plain = (values) => (Array.isArray(values) ? values : values.at.map((at) => (at === null ? null : values.list[at])));

  /* Columns as objects, one per row; `decoders` say what a column's values stand for. */
  function rowsOf(columns, decoders = {}) {
    const entries = Object.entries(columns).map(([key, values]) => [key, plain(values)]);
    const count = entries.length ? entries[0][1].length : 0;
    const rows = Array.from({ length: count }, () => ({}));
    for (const [key, values] of entries) {
      const decode = decoders[key] || number;
      values.forEach((value, i) => {
        rows[i][key] = decode(value);
      });
    }
    return rows;
  }

  const ISA_TITLES = { avx2: "AVX2", avx512: "AVX-512", avx512fp16: "AVX-512 FP16" };
  const isaTitle = (name) => ISA_TITLES[name] || name;
  const kernel = (v) => (v.dtype === "f32" ? v.algorithm : `${v.algorithm} ${v.dtype}`);

  function element(tag, properties = {}, ...children) {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  }

  const option = (value, text) => element("option", { value, textContent: text });

  /* Returns a test whether a row's `id` contains the text, or matches it as a regular expression.
   */
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

  /* An exponent has two digits at least. */
  const exponential = (x, digits) =>
    x.toExponential(digits).replace(/e([+-])(\d)$/, "e$10$2");

  /* printf's %.3g. */
  function threeDigits(x) {
    if (x === 0) return "0";
    const [mantissa, exponent] = x.toExponential(2).split("e");
    const power = Number(exponent);
    if (power < -4 || power >= 3)
      return exponential(Number(`${Number(mantissa)}e${power}`), mantissa.replace(/0+$/, "").length - 2);
    return String(Number(x.toFixed(2 - power)));
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
    const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
    function use(theme) {
      if (theme) root.dataset.theme = theme;
      else delete root.dataset.theme;
      button.textContent = isDark() ? "Light" : "Dark";
      changed();
    }
    let chosen = root.dataset.theme;
    try {
      chosen = localStorage.ulplabTheme || chosen;
    } catch {
      /* some browsers keep no storage for files */
    }
    button.hidden = false;
    button.addEventListener("click", () => {
      chosen = isDark() ? "light" : "dark";
      use(chosen);
      try {
        localStorage.ulplabTheme = chosen;
      } catch {
        /* as above */
      }
    });
    system.addEventListener("change", () => use(chosen));
    addEventListener("beforeprint", () => use("light"));
    addEventListener("afterprint", () => use(chosen));
    use(chosen);
  }

  const data = { raw, rowsOf, number };
  const elements = { element, option, isaTitle, kernel, textMatcher, buildTheme };
  return { ...data, ...elements, NONE, fixed, threeDigits, marked, errorText, compare };
})();
