// SPDX-License-Identifier: MIT
/* The vector-math table: its rows, its filters, and what draws them. */
"use strict";

const vectorPage = (() => {
  const { raw, rowsOf, named, element, isaTitle, NONE, fixed, marked, errorText } = page;
  const { column, longTable, onePer } = grid;
  document.getElementById("bar").textContent = String(raw.bar.bar[0]);

  /* ---- The data (src/publish/site/vector_page.sql says their shape) ---- */

  const rows = rowsOf(raw.rows).map((row, index) => {
    const specials = row.nan === null ? null : row.nan + row.inf + row.sign;
    return named({ ...row, index, specials, algorithm: row.library, dtype: "f32" });
  });
  const valuesOf = (axis) => [...new Set(rows.map((row) => row[axis]))];
  const libraries = valuesOf("library");
  rows.sort((a, b) => page.compare(a.op, b.op, 1) || page.compare(a.ns, b.ns, 1) || a.index - b.index);

  /* ---- What matches ---- */

  const AXES = { op: "all functions", library: "all libraries", isa: "all ISAs", cc: "all compilers",
    policy: "all policies" };
  const { state, listen, matcher, order, flagBox, begin } = addressState({ axes: AXES, more: { every: "", front: "" },
    valuesOf });

  /* Returns the rows to show: one of the builds with equal machine code stands for all, one with a
   * promise or, if none has one, the first. */
  function shownRows() {
    const matching = rows.filter(matcher()).filter((row) => state.front === "" || row.front);
    return state.every ? matching : onePer(matching, (row) => row.same,
      (row, known) => row.candidate && !known.candidate);
  }

  /* ---- Columns ---- */

  const mark = (name, text = name) => element("span", { className: `mark ${name}`, textContent: text });

  function libraryOf(library, row) {
    const name = element("span", {}, element("b", {}, library));
    for (const flag of ["front", "hazard", "wrong"]) if (row[flag]) name.append(" ", mark(flag));
    if (row.ahead !== null) name.append(" ", mark("warn", `behind ${row.ahead}`));
    return name;
  }

  const ulpText = (x) => (x === null || x >= 1e4 ? errorText(x) : marked(fixed(x, 6), x));

  function specialsText(count, row) {
    if (!count) return count === null ? NONE : "right";
    const kinds = ["nan", "inf", "sign"].filter((kind) => row[kind] > 0);
    return kinds.map((kind) => `${kind} ${row[kind]}`).join(", ");
  }

  /* Names the axes on which the bits depend, such as "policy, ISA?": on the policy, and perhaps on
   * the ISA. */
  function dependsText(row) {
    const axes = [["policy", row.policies], ["compiler", row.compilers], ["ISA", row.isas]];
    const said = axes.filter(([, depends]) => depends !== 0).map(([name, depends]) => (depends ? name : `${name}?`));
    return said.length ? said.join(", ") : "nothing";
  }

  /* The other builds of its machine code, by what differs. */
  const byCode = new Map(rows.map((row) => [row.same, []]));
  for (const row of rows) byCode.get(row.same).push(row);
  function sameText(row) {
    const others = byCode.get(row.same).filter((other) => other !== row);
    return others.map((other) => (other.cc === row.cc ? other.policy
      : `${other.cc} ${other.policy}`)).join(", ") || null;
  }

  const hint = (hint) => ({ hint });
  const words = (key) => ({ key, className: "text" });
  const inCache = hint("per element, in L1, one thread");
  const columns = [
    column("function", "op"),
    column("library", "library", libraryOf),
    column("ISA", "isa", isaTitle),
    column("compiler", "cc"),
    column("policy", "policy", undefined, words("policy")),
    column("cycles", "cycles", (x) => fixed(x, 3), inCache),
    column("ns", "ns", (x) => fixed(x, 3), inCache),
    column("max ULP", "max", ulpText, hint("over all 2^32 inputs")),
    column("lost", "lost", undefined, hint("results without a distance to the exact value")),
    column("at", "at", undefined, hint("the input with the largest error")),
    column("misrounded %", "misrounded", (x) => (x === null ? NONE : fixed(100 * x, 4))),
    column("mean ULP", "mean", errorText),
    column("specials", "specials", specialsText),
    column("flushed", "flushed"),
    column("bits depend on", dependsText, undefined, words("depends")),
    column("version", (row) => row.version || null, undefined, words("version")),
    column("same code", sameText, undefined, { ...words("same"), hint: "other builds of equal machine code" }),
  ];

  /* ---- The table ---- */

  longTable({
    id: "vector-table", what: "lines", listen, ...order(), rows: shownRows, columns: () => columns,
    count: (list) => `${list.length} lines of ${rows.length} builds`,
  });

  document.getElementById("shown").append(flagBox("every", "every build"),
    flagBox("front", "only the front: no other is as fast and as accurate"));
  begin();
  return { shownRows, listen, libraries };
})();
