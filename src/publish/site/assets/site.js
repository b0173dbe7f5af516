// SPDX-License-Identifier: MIT
/* The pages of a site: dark and light, and on its index a table of all pages, searched here. */
"use strict";

(() => {
  const { raw, rowsOf, element, fixed, NONE } = page;
  const { column, longTable } = grid;
  if (!raw.pages) return page.buildTheme(() => {});
  const rows = rowsOf(raw.pages).map((row) => ({ ...row, id: [row.cpu, row.op, row.says].join(" ") }));
  const AXES = { cpu: "all CPUs", op: "all operations" };
  const valuesOf = (axis) => [...new Set(rows.map((row) => row[axis]).filter(Boolean))];
  const { listen, matcher, order, begin } = addressState({ axes: AXES, valuesOf });
  const link = (text, { address }) => element("a", { href: address, textContent: text });
  const columns = [
    column("page", (row) => row.op ?? row.says, link, { key: "page" }),
    column("CPU", "cpu"),
    column("fastest", (row) => (row.op ? row.says : null), undefined, { key: "says" }),
    column("ns/element", "ns", (x) => (x === null ? NONE : fixed(x, 3))),
    column("max error", "error"),
  ];
  longTable({
    id: "pages", what: "pages", some: 12, listen, ...order(), rows: () => rows.filter(matcher()),
    columns: () => columns,
    count: (list) => `${list.length} of ${rows.length} pages`,
  });
  begin();
})();
