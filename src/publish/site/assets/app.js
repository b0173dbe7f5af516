/* What the page's scripts share: its data as objects, the filters, and dark and light. tables.js
 * and charts.js draw from it. Text goes into the page as text. */
"use strict";

const report = (() => {
  const raw = JSON.parse(document.getElementById("data").textContent);
  const { lists, units, home, cases, folds } = raw;

  /* ---- The data (src/publish/site/data.c says their shape) ---- */

  /* Columns as objects, one per row; `decoders` say what a column's values stand for. */
  function rowsOf(columns, decoders) {
    const entries = Object.entries(columns);
    const count = entries.length ? entries[0][1].length : 0;
    const identity = (value) => value;
    const rows = Array.from({ length: count }, () => ({}));
    for (const [key, values] of entries) {
      const decode = decoders[key] || identity;
      values.forEach((value, i) => {
        rows[i][key] = decode(value);
      });
    }
    return rows;
  }

  const from = (list) => (place) => (place === null ? "" : list[place]);
  const { op, algorithm, dtype, isa, cc, policy, family, limit, vector } = lists;
  const variants = rowsOf(raw.variants, {
    op: from(op),
    algorithm: from(algorithm),
    dtype: from(dtype),
    isa: from(isa),
    cc: from(cc),
    policy: from(policy),
    family: from(family),
    hazard: Boolean,
    wrong: Boolean,
    candidate: Boolean,
    front: Boolean,
  });
  variants.forEach((v, index) => {
    const [operation] = v.op.split(" "); // "softmax bf16" is softmax
    const id = `${operation}/${v.algorithm}/dtype=${v.dtype}/isa=${v.isa}/cc=${v.cc}/policy=${v.policy}`;
    Object.assign(v, { index, operation, id });
  });

  const times = rowsOf(raw.times, {
    variant: (i) => variants[i],
    limit: from(limit),
    vector: from(vector),
  });
  for (const t of times) {
    const [rows, n, threads, inputs, level] = lists.shapes[t.shape];
    const least = t.percent === null ? null : (t.ns * t.percent) / 100;
    Object.assign(t, { rows, n, threads, family: inputs, level, least });
  }

  /* Per variant that was measured: {variant, families: [[p50, p99, p99.99, max] or null]}. */
  const errors = variants
    .map((variant, i) => ({ variant, families: raw.errors.rows[raw.errors.of[i]] }))
    .filter((row) => row.families);

  const axes = { op, isa, cc, policy, family };
  const data = { home, units, axes, variants, times, errors, cases, folds };

  const ISA_TITLES = { avx2: "AVX2", avx512: "AVX-512", avx512fp16: "AVX-512 FP16" };
  const isaTitle = (name) => ISA_TITLES[name] || name;
  const kernel = (v) => (v.dtype === "f32" ? v.algorithm : `${v.algorithm} ${v.dtype}`);

  function element(tag, properties = {}, ...children) {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  }

  const option = (value, text) => element("option", { value, textContent: text });

  /* ---- The filters: one state that every table and chart obeys ---- */

  const AXES = {
    op: "all operations",
    isa: "all ISAs",
    cc: "all compilers",
    policy: "all policies",
  };
  const NO_FILTER = { op: "", isa: "", cc: "", policy: "", text: "" };
  const state = { ...NO_FILTER, everyBuild: false };
  const listeners = [];
  let matching = []; // per variant
  let picked; // the variant whose whole id is the text: it alone, not those that begin like it

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

  function matcher() {
    const text = state.text.trim();
    picked = variants.find((v) => v.id === text);
    if (picked) return (v) => v === picked;
    const matchesText = textMatcher(text);
    const onAxis = (v) => (axis) => state[axis] === "" || v[axis] === state[axis];
    return (v) => Object.keys(AXES).every(onAxis(v)) && matchesText(v);
  }

  function changed(change) {
    Object.assign(state, change);
    matching = variants.map(matcher());
    for (const listener of listeners) listener();
  }

  /* Calls it now and whenever the filters or the colours change. */
  function listen(listener) {
    listeners.push(listener);
    listener();
  }

  /* One variant alone; once more, all of them again. */
  function pick(v) {
    changed({ ...NO_FILTER, text: picked === v ? "" : v.id });
  }

  function axisSelect(axis) {
    const select = element("select", { name: axis, ariaLabel: AXES[axis] }, option("", AXES[axis]));
    for (const value of axes[axis])
      select.append(option(value, axis === "isa" ? isaTitle(value) : value));
    select.addEventListener("change", () => changed({ [axis]: select.value }));
    return select;
  }

  function buildFilters() {
    const form = document.getElementById("filters");
    const selects = Object.keys(AXES).map(axisSelect);
    const hint = "filter by id or regex";
    const search = element("input", { type: "search", name: "text", placeholder: hint });
    search.ariaLabel = hint;
    search.addEventListener("input", () => changed({ text: search.value }));
    const reset = element("button", { type: "button", textContent: "Reset" });
    reset.addEventListener("click", () => changed(NO_FILTER));
    const count = element("output");
    form.append(...selects, search, reset, count);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = variants.length === 0;
    listen(() => {
      for (const input of [...selects, search]) {
        if (input.value !== state[input.name]) input.value = state[input.name];
        input.classList.toggle("set", input.value !== "");
      }
      count.textContent = `${matching.filter(Boolean).length} of ${variants.length} variants`;
    });
  }

  /* What is about one operation, or one compiler, as a whole. */
  function filterBlocks() {
    const other = (axis, node) => {
      const value = node.dataset[axis];
      return state[axis] !== "" && value !== undefined && value !== state[axis];
    };
    for (const node of document.querySelectorAll("[data-op], [data-cc]"))
      node.hidden = other("op", node) || other("cc", node);
  }

  /* ---- Dark and light ---- */

  function buildTheme() {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)");
    const button = document.getElementById("theme");
    const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
    function use(theme) {
      if (theme) root.dataset.theme = theme;
      else delete root.dataset.theme;
      button.textContent = isDark() ? "Light" : "Dark";
      changed({});
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

  buildFilters();
  listen(filterBlocks);
  buildTheme();

  const matches = (v) => matching[v.index];
  const pickedVariant = () => picked;
  const shared = { data, state, changed, listen, pick, pickedVariant, matches };
  return { ...shared, element, option, isaTitle, kernel };
})();
