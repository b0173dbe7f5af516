// SPDX-License-Identifier: MIT
/* Tables that are drawn anew from rows of data whenever what they show changes, and the heads by
 * which any table is sorted. */
"use strict";

const grid = (() => {
  const { NONE, compare, element } = page;
  const STEP = 300; // rows of a long table at once

  /* A column is sorted by a row's value: a field, or what a function of the row returns. A cell shows
   * text(value, row, cell), a text or a node. more: className, style(value), hint, and key, the name
   * that the address has for the column, in place of the field's. */
  function column(title, of, text = (value) => value ?? NONE, more = {}) {
    const value = typeof of === "string" ? (row) => row[of] : of;
    return { title, key: typeof of === "string" ? of : title, value, text, className: "", ...more };
  }

  function rowElement(columns, row) {
    const cells = columns.map(({ title, value, text, className, style }, i) => {
      const cell = element(i ? "td" : "th", { className });
      if (i) cell.dataset.name = title;
      else cell.scope = "row";
      if (style) cell.style.cssText = style(value(row));
      cell.append(text(value(row), row, cell));
      return cell;
    });
    return element("tr", {}, ...cells);
  }

  /* Items in the order of their keys; what has none comes last. */
  function inOrder(items, keyOf, down) {
    const keyed = items.map((item) => ({ item, key: keyOf(item) }));
    keyed.sort((a, b) => compare(a.key, b.key, down ? -1 : 1));
    return keyed.map((entry) => entry.item);
  }

  /* Returns one row per key: the one that isBetter than the others, else the first. */
  function onePer(rows, keyOf, isBetter = () => false) {
    const best = new Map();
    for (const row of rows) {
      const known = best.get(keyOf(row));
      if (!known || isBetter(row, known)) best.set(keyOf(row), row);
    }
    return rows.filter((row) => best.get(keyOf(row)) === row);
  }

  /* A head that sorts: sort(down) where it is clicked, or Enter or the space bar pressed. */
  function makeSorting(head, sort) {
    head.tabIndex = 0;
    const act = () => sort(head.ariaSort === "ascending");
    head.addEventListener("click", act);
    head.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act();
    });
  }

  function showOrder(head, isSorted, down) {
    if (isSorted) head.ariaSort = down ? "descending" : "ascending";
    else head.removeAttribute("aria-sort");
  }

  function headRow(columns, sort) {
    const cells = columns.map(({ key, title, hint = "sort", className }) => {
      const head = element("th", { scope: "col", className, textContent: title, title: hint });
      makeSorting(head, (down) => sort(key, down));
      return head;
    });
    return element("thead", {}, element("tr", {}, ...cells));
  }

  /* The value of a cell that is in the page: a number, a shape's elements, a text, null for none. */
  function cellKey(cell) {
    const text = cell.textContent.trim();
    if (text === "" || text === NONE) return null;
    const shape = text.match(/^(\d+)x(\d+)$/);
    if (shape) return shape[1] * shape[2];
    const number = parseFloat(text);
    return Number.isNaN(number) ? text : number;
  }

  /* Lets a table that is in the page be sorted by its cells. */
  function sortCells(table) {
    const heads = [...table.tHead.rows[0].cells];
    const [body] = table.tBodies;
    for (const { cells } of body.rows)
      for (let i = 1; i < cells.length; i++) cells[i].dataset.name = heads[i]?.textContent ?? "";
    heads.forEach((head, i) => {
      head.title ||= "sort";
      makeSorting(head, (down) => {
        for (const other of heads) showOrder(other, other === head, down);
        body.append(...inOrder([...body.rows], (row) => cellKey(row.cells[i]), down));
      });
    });
  }

  /* A table that follows the page's state: rows(), columns() and by(), {key, down} of the sorted
   * column, say what it shows, sort(key, down) asks for another order, count(rows) is the text above
   * it, and a button below shows all of what is long. keeps: a row looks the same every time, and so
   * do the heads. */
  function longTable({ id, what, some = STEP, rows, columns, by, sort, count, listen, keeps, boxes = [] }) {
    const table = document.getElementById(id);
    const body = element("tbody");
    const label = element("span");
    const button = element("button", { type: "button", hidden: true });
    const known = new Map();
    let heads;
    function elementOf(row) {
      if (!known.has(row)) known.set(row, rowElement(heads, row));
      return known.get(row);
    }
    function draw(most) {
      const list = rows();
      if (!keeps || !heads) {
        known.clear();
        heads = columns();
        table.replaceChildren(headRow(heads, sort), body);
      }
      const { key, down } = by();
      const sorted = heads.find((head) => head.key === key);
      const ordered = sorted ? inOrder(list, sorted.value, down) : list;
      heads.forEach((head, i) => showOrder(table.tHead.rows[0].cells[i], head === sorted, down));
      body.replaceChildren(...ordered.slice(0, most).map(elementOf));
      label.textContent = count(list);
      button.hidden = list.length <= most;
      button.textContent = `Show all ${list.length} ${what}`;
    }
    table.parentElement.before(element("p", { className: "count" }, label, ...boxes));
    table.parentElement.after(element("p", {}, button));
    button.addEventListener("click", () => draw(Infinity));
    listen(() => draw(some));
  }

  /* A table that is folded away stands in a template until it is asked for. */
  function unfold(details) {
    for (const template of details.querySelectorAll("template")) {
      sortCells(template.content.firstElementChild);
      template.replaceWith(template.content);
    }
  }
  for (const table of document.querySelectorAll("table.sortable:not([id])")) sortCells(table);
  for (const details of document.querySelectorAll("details"))
    details.addEventListener("toggle", () => unfold(details));

  return { column, longTable, onePer };
})();
