// SPDX-License-Identifier: MIT
/* A page whose view stands in its address, behind #, so that it can be linked: one state of filters,
 * order and boxes, which tables and charts follow. */
"use strict";

/* axes: {name: label}, a select each, of valuesOf(axis). A text filter is the state's `text`. more:
 * what else the state has where the address asks for nothing. count(): what stands beside the filters. */
const addressState = ({ axes, more = {}, valuesOf, count = () => "" }) => {
  const { element, option, isaTitle, textMatcher } = page;
  const names = Object.keys(axes);
  const start = { ...Object.fromEntries(names.map((axis) => [axis, ""])), text: "", sort: "", down: "", ...more };
  const state = { ...start };
  const listeners = [];
  const listen = (listener) => listeners.push(listener);
  const before = (listener) => listeners.unshift(listener);

  /* ---- The address ---- */

  /* Reads the state from the address, which holds what differs from the start; "#limits" is a place
   * in the page. */
  function readAddress() {
    const text = location.hash.slice(1);
    if (text && !text.includes("=")) return false;
    const asked = new URLSearchParams(text);
    for (const key of Object.keys(start)) state[key] = asked.get(key) ?? start[key];
    return true;
  }

  function writeAddress() {
    const asked = new URLSearchParams();
    for (const [key, value] of Object.entries(state)) if (value !== start[key]) asked.set(key, value);
    const text = asked.toString();
    const address = text ? `#${text}` : location.href.split("#")[0];
    if (text !== location.hash.slice(1)) history.replaceState(null, "", address);
  }

  /* The address keeps the filters when a reader goes to another place of the page. */
  function keepAddress() {
    for (const link of document.querySelectorAll('.bar a[href^="#"]'))
      link.addEventListener("click", (event) => {
        event.preventDefault();
        document.querySelector(link.hash).scrollIntoView();
      });
  }

  function redraw() {
    for (const listener of listeners) listener();
  }

  function changed(change) {
    Object.assign(state, change);
    writeAddress();
    redraw();
  }

  /* ---- Controls ---- */

  /* Returns a test whether a row is on the chosen axes and its `id` matches the text. */
  function matcher(among = names) {
    const matchesText = textMatcher(state.text.trim());
    const asked = among.filter((axis) => state[axis] !== "");
    return (row) => asked.every((axis) => row[axis] === state[axis]) && matchesText(row);
  }

  /* The order of a table, kept under these names. */
  const order = (sort = "sort", back = "down") => ({
    by: () => ({ key: state[sort], down: state[back] !== "" }),
    sort: (key, down) => changed({ [sort]: key, [back]: down ? "1" : "" }),
  });

  /* A control shows the part of the state with its name, and changes it; a box is ticked where it is
   * not empty. */
  function follow(control) {
    const { name, type } = control;
    const isBox = type === "checkbox";
    const asked = () => (isBox ? (control.checked ? "1" : "") : control.value);
    control.addEventListener(type === "search" || type === "number" ? "input" : "change", () =>
      changed({ [name]: asked() }));
    listen(() => {
      if (isBox) control.checked = state[name] !== "";
      else if (control.value !== state[name]) control.value = state[name];
    });
    return control;
  }

  const choice = (name, label, entries) =>
    follow(element("select", { name, ariaLabel: label }, ...entries.map(([value, text]) => option(value, text))));
  const textInput = (name, type) => follow(element("input", { name, type }));
  const flagBox = (name, text) => element("label", {}, follow(element("input", { name, type: "checkbox" })),
    ` ${text}`);
  const field = (name, type, label) => element("label", {}, `${label} `, textInput(name, type));

  const axisSelect = (axis) =>
    choice(axis, axes[axis], [["", axes[axis]], ...valuesOf(axis).map((value) =>
      [value, axis === "isa" ? isaTitle(value) : value])]);

  function buildFilters() {
    const form = document.getElementById("filters");
    const hint = "filter by id or regex";
    const search = Object.assign(textInput("text", "search"), { placeholder: hint, ariaLabel: hint });
    const inputs = [...names.map(axisSelect), search];
    const reset = element("button", { type: "button", textContent: "Reset" });
    reset.addEventListener("click", () => changed(start));
    const output = element("output");
    form.append(...inputs, reset, output);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    listen(() => {
      for (const input of inputs) input.classList.toggle("set", input.value !== "");
      output.textContent = count();
    });
  }

  /* Hides the blocks about an operation, or a compiler, that the filters leave out; those with an empty
   * name are about all of them, and those with a + before it show where it is chosen alone. */
  function filterBlocks() {
    const other = (axis, { dataset: { [axis]: of } }) =>
      of?.startsWith("+") ? of.slice(1) !== state[axis] : state[axis] && of !== undefined && of !== state[axis];
    for (const node of document.querySelectorAll("[data-op], [data-cc]"))
      node.hidden = Boolean(other("op", node) || other("cc", node));
  }

  /* When everything listens. */
  function begin() {
    listen(filterBlocks);
    readAddress();
    page.buildTheme(redraw);
    addEventListener("hashchange", () => readAddress() && redraw());
  }

  keepAddress();
  buildFilters();
  return { state, changed, listen, before, matcher, order, choice, flagBox, field, begin };
};
