// SPDX-License-Identifier: MIT
/* A page whose view stands in its address, behind #, so that it can be linked: one state of filters,
 * order and boxes, which tables and charts follow. */
"use strict";

/* start: the state where the address asks for nothing; axes: {name: label}, a select each, of
 * valuesOf(axis). A text filter is the state's `text`. count(): what stands beside the filters. */
const addressState = ({ start, axes, valuesOf, count = () => "" }) => {
  const { element, option, isaTitle } = page;
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

  const onAxis = (axis, value) => state[axis] === "" || value === state[axis];

  function axisSelect(axis) {
    const select = element("select", { name: axis, ariaLabel: axes[axis] }, option("", axes[axis]));
    for (const value of valuesOf(axis)) select.append(option(value, axis === "isa" ? isaTitle(value) : value));
    select.addEventListener("change", () => changed({ [axis]: select.value }));
    return select;
  }

  function buildFilters() {
    const form = document.getElementById("filters");
    const selects = Object.keys(axes).map(axisSelect);
    const hint = "filter by id or regex";
    const search = element("input", { type: "search", name: "text", placeholder: hint });
    search.ariaLabel = hint;
    search.addEventListener("input", () => changed({ text: search.value }));
    const reset = element("button", { type: "button", textContent: "Reset" });
    reset.addEventListener("click", () => changed(start));
    const output = element("output");
    form.append(...selects, search, reset, output);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    listen(() => {
      for (const input of [...selects, search]) {
        if (input.value !== state[input.name]) input.value = state[input.name];
        input.classList.toggle("set", input.value !== "");
      }
      output.textContent = count();
    });
  }

  /* A box: isOn() says whether it is ticked, set(on) what follows. */
  function box(name, text, isOn, set) {
    const input = element("input", { type: "checkbox", name });
    input.addEventListener("change", () => set(input.checked));
    listen(() => {
      input.checked = isOn();
    });
    return element("label", {}, input, ` ${text}`);
  }

  /* Makes a field whose text is the part of the state with its name. */
  function field(name, type, label) {
    const input = element("input", { type, name });
    input.addEventListener("input", () => changed({ [name]: input.value }));
    listen(() => {
      if (input.value !== state[name]) input.value = state[name];
    });
    return element("label", {}, `${label} `, input);
  }

  const flagBox = (key, text) => box(key, text, () => state[key] !== "", (on) => changed({ [key]: on ? "1" : "" }));

  /* When everything listens. */
  function begin() {
    readAddress();
    page.buildTheme(redraw);
    addEventListener("hashchange", () => readAddress() && redraw());
  }

  keepAddress();
  buildFilters();
  return { state, changed, listen, before, onAxis, box, flagBox, field, begin };
};
