/* Filters, sorting and themes over a page that is complete without them. The data come from the
 * JSON in #data (src/publish/html_data.c says its shape); text goes into the page as text. What
 * charts.js needs of this is what `report` has. */
"use strict";

const report = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { variants, axes } = data;
  for (const v of variants)
    v.id = `${v.op.split(" ")[0]}/${v.algorithm}/dtype=${v.dtype}/isa=${v.isa}/cc=${v.cc}/policy=${v.policy}`;

  const ISA_TITLES = { avx2: "AVX2", avx512: "AVX-512", avx512fp16: "AVX-512 FP16" };
  const isaTitle = (isa) => ISA_TITLES[isa] || isa;

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

  /* ---- Tables ---- */

  /* What is about one operation, or one compiler, as a whole. */
  function filterBlocks() {
    const other = (axis, node) => {
      const value = node.dataset[axis];
      return state[axis] !== "" && value !== undefined && value !== state[axis];
    };
    for (const node of document.querySelectorAll("[data-op], [data-cc]"))
      node.hidden = other("op", node) || other("cc", node);
  }

  /* The rows of a table by the filters; of times, the fastest matching build of each race. */
  function makeFilterable(table) {
    const rows = [...table.tBodies[0].rows];
    const races = rows.some((row) => row.dataset.race);
    const count = table.parentElement.previousElementSibling;
    const label = element("span");
    count.replaceChildren(label);
    count.hidden = rows.length === 0;
    if (races) {
      const every = element("input", { type: "checkbox" });
      every.addEventListener("change", () => changed({ everyBuild: every.checked }));
      count.append(" ", element("label", {}, every, " every build"));
    }
    table.classList.add("js");
    listen(() => {
      const seen = new Set();
      for (const row of rows) {
        const { v, race } = row.dataset;
        row.hidden = !matching[v] || (races && !state.everyBuild && seen.has(race));
        if (!row.hidden) seen.add(race);
      }
      const shown = rows.filter((row) => !row.hidden).length;
      label.textContent = `${shown} of ${rows.length} rows`;
    });
  }

  /* A number, a text, or null for what has no value. */
  function sortKey(cell) {
    const text = (cell.dataset.n || cell.textContent).trim();
    if (text === "" || text === "–") return null;
    const number = parseFloat(text.replace(/^\[/, ""));
    return Number.isNaN(number) ? text : number;
  }

  /* What has no value comes last either way. */
  function compare(a, b, sign) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), "en", { numeric: true });
  }

  function sortBy(table, column) {
    const heads = table.tHead.rows[0].cells;
    const sign = heads[column].ariaSort === "ascending" ? -1 : 1;
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[column].ariaSort = sign > 0 ? "ascending" : "descending";
    const rows = [...table.tBodies[0].rows];
    const keyed = rows.map((row) => ({ row, key: sortKey(row.cells[column]) }));
    keyed.sort((a, b) => compare(a.key, b.key, sign));
    table.tBodies[0].append(...keyed.map((entry) => entry.row));
  }

  function makeSortable(table) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      Object.assign(head, { className: "by", tabIndex: 0, title: "sort" });
      head.addEventListener("click", () => sortBy(table, column));
      head.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        sortBy(table, column);
      });
    });
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

  for (const table of document.querySelectorAll("table.sortable")) {
    makeSortable(table);
    if (table.id) makeFilterable(table);
  }
  buildFilters();
  listen(filterBlocks);
  for (const cell of document.querySelectorAll("td[data-v]"))
    cell.addEventListener("click", () => pick(variants[cell.dataset.v]));
  buildTheme();

  const matches = (index) => matching[index];
  const pickedVariant = () => picked;
  return { data, state, changed, listen, pick, pickedVariant, matches, element, option, isaTitle };
})();
