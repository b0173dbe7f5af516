// SPDX-License-Identifier: MIT
/* Tables that are drawn anew from rows of data whenever what they show changes. A column: {key,
 * title, value(row) to sort by, content(row) or fill(row, cell): a text or a node}. */
"use strict";

const grid = (() => {
  const { NONE, compare, element } = page;
  const STEP = 300; // rows of a long table at once

  function rowElement(columns, row) {
    const nodes = columns.map(({ content, value, fill }, i) => {
      const node = element(i ? "td" : "th");
      node.append(fill ? fill(row, node) : content ? content(row) : (value(row) ?? NONE));
      return node;
    });
    return element("tr", {}, ...nodes);
  }

  function sorted(rows, column, down) {
    if (!column) return rows;
    const keyed = rows.map((row) => ({ row, key: column.value(row) }));
    keyed.sort((a, b) => compare(a.key, b.key, down ? -1 : 1));
    return keyed.map((entry) => entry.row);
  }

  /* by: {key, down} of the sorted column; sort(key, down) asks for another. */
  function headCell(column, by, sort) {
    const head = element("th", { scope: "col", className: column.first ? "by first" : "by", tabIndex: 0, textContent: column.title });
    if (column.hint) head.title = column.hint;
    if (column.key === by.key) head.ariaSort = by.down ? "descending" : "ascending";
    const act = () => sort(column.key, column.key === by.key && !by.down);
    head.addEventListener("click", act);
    head.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act();
    });
    return head;
  }

  function countOf(table) {
    return table.parentElement.previousElementSibling;
  }

  /* Rows in order, under heads: `top`, rows of heads above those that sort. */
  function fillTable(table, columns, rows, by, sort, top = []) {
    const head = element("tr", {}, ...columns.map((column) => headCell(column, by, sort)));
    const body = rows.map((row) => rowElement(columns, row));
    table.replaceChildren(element("thead", {}, ...top, head), element("tbody", {}, ...body));
  }

  const ordered = (columns, rows, by) => sorted(rows, columns.find((c) => c.key === by.key), by.down);

  /* A table that follows the page's state: rows(), columns() and by() say what it shows, count(rows)
   * what stands above it, and the button `more` shows all of what is long. */
  function longTable({ id, more, what, some = STEP, rows, columns, by, sort, count, listen }) {
    const table = document.getElementById(id);
    const button = document.getElementById(more);
    function draw(most) {
      const list = rows();
      const heads = columns();
      fillTable(table, heads, ordered(heads, list, by()).slice(0, most), by(), sort);
      countOf(table).textContent = count(list);
      button.hidden = list.length <= most;
      button.textContent = `Show all ${list.length} ${what}`;
    }
    button.addEventListener("click", () => draw(Infinity));
    listen(() => draw(some));
  }

  return { longTable };
})();
