// SPDX-License-Identifier: MIT
/* Run inside a copy of performance.html by scripts/test-html, after the page's own script: does what a
 * reader does and writes what it found into <pre id="browser-check">, a line per check. The pages are
 * those of tests/records/machines.txt: of a few machines, and of many. */
"use strict";
(async () => {
  const found = [];
  const check = (name, holds, saw = "") => found.push(`${holds ? "ok" : "FAILED"} ${name}${holds ? "" : `: ${saw}`}`);
  const attempt = async (name, action) => { try { await action(); } catch (error) { check(name, false, error.stack); } };
  const { machines, lines, operations, METRICS } = machinesPage;
  const few = "error" in METRICS;
  const cells = document.getElementById("cell-table");
  const list = document.getElementById("machine-table");
  const rows = (table) => [...table.tBodies[0].rows];
  const heads = (table) => [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const column = (title) => rows(cells).map((row) => row.cells[heads(cells).indexOf(title)].textContent);
  const type = (name, value) => { const input = document.querySelector(`[name=${name}]`); input.value = value; input.dispatchEvent(new Event("input")); };
  const choose = (name, value) => { const select = document.querySelector(`[name=${name}]`); select.value = value; select.dispatchEvent(new Event("change")); };
  const tick = (name) => document.querySelector(`.controls [name=${name}]`).click();
  const reset = () => document.querySelector("#filters button").click();
  const asked = () => new URLSearchParams(location.hash.slice(1));
  const races = new Set(lines.map((line) => line.race));
  const followed = (hash) => new Promise((done) => { addEventListener("hashchange", done, { once: true }); location.hash = hash; });

  await attempt("cells", () => {
    check("one row per race of builds", rows(cells).length === races.size && races.size > 1, `${rows(cells).length}, want ${races.size}`);
    const line = lines.find(({ place }) => place === 1), [machine] = machines;
    const shown = column(machine.name)[0];
    check("a time is that of the data", shown === METRICS.ns.of(line, machine).toFixed(3), shown);
    for (const name of ["cycles", "gb", "share"]) {
      choose("metric", name);
      const text = column(machine.name)[0];
      check(`${name} is that of the data`, text === METRICS[name].text(METRICS[name].of(line, machine)), text);
    }
    check("the address says so", asked().get("metric") === "share", location.hash);
    check("bandwidth is bytes over time", line.bytes === null || Math.abs(METRICS.gb.of(line, machine) * METRICS.ns.of(line, machine) / line.bytes - 1) < 1e-9, line.bytes);
    choose("metric", "gain");
    check("AVX-512 has a row for each operation", rows(cells).length === operations.length && heads(cells)[0] === "operation", heads(cells));
    reset();
    check("reset clears the address", location.hash === "" && rows(cells).length === races.size, location.hash);
  });

  await attempt("every build", () => {
    if (!few) return check("of many machines one build stands for all", !document.querySelector("[name=every]"));
    tick("every");
    check("every build has a row", rows(cells).length === lines.length && lines.length > races.size, rows(cells).length);
    const [first, , third] = machines.map((machine) => column(machine.name));
    check("figures are those of the runs", first.includes("2.000") && first.includes("1.000"), first);
    check("other machine code is not shown", !third || third.filter((text) => text !== "–").length === 1, third);
    check("the least of a row is bold", cells.querySelectorAll("tbody td b").length > 1, cells.querySelectorAll("tbody td b").length);
    choose("metric", "error");
    check("errors by machine", column(machines[1].name).includes("3"), column(machines[1].name));
    reset();
  });

  await attempt("machines", () => {
    const last = machines.at(-1);
    if (few) check("all machines have columns", machines.every(({ name }) => heads(cells).includes(name)), heads(cells));
    else check("quartiles are in order", ["least", "25%", "median", "75%", "most"].map((title) => Number(column(title)[0])).every((x, i, all) => !i || x >= all[i - 1]));
    check("the first machines are shown", rows(list).length === Math.min(machines.length, 50), rows(list).length);
    type("cpu", `^${last.name} `);
    check("one machine chosen", rows(list).length === 1 && heads(cells).includes(last.name) && !heads(cells).includes(machines[0].name), heads(cells));
    check("the address says which", asked().get("cpu") === `^${last.name} `, location.hash);
    type("columns", "0");
    check("no columns of machines", !heads(cells).includes(last.name) && heads(cells).includes("median"), heads(cells));
    reset();
  });

  await attempt("the picture and the answer", async () => {
    const svg = () => document.querySelector("#bar-figure svg");
    const answer = () => [...document.querySelectorAll("#answer [data-op]")].filter((row) => !row.hidden).map((row) => row.dataset.op.replace("+", "")).filter((op, i, all) => all.indexOf(op) === i);
    const policiesOfOne = [...document.querySelectorAll("#answer [data-op^='+']")];
    if (!few) return check("many machines have no picture", document.getElementById("bars").hidden);
    check("a bar for each machine and operation that has both ISAs", svg().querySelectorAll("rect title").length === 2, svg().outerHTML);
    check("a bar says its figure", svg().textContent.includes("2.00 [2.00, 2.00]"), svg().textContent);
    let saved = "";
    const { Blob } = window;
    window.Blob = class extends Blob { constructor(parts, type) { super(parts, type); [saved] = parts; } };
    document.getElementById("save-bars").click();
    window.Blob = Blob;
    check("what is saved needs no style sheet", saved.startsWith("<svg") && !saved.includes("var("), saved.slice(0, 80));
    check("policies of one operation wait for its filter", policiesOfOne.every((row) => row.hidden));
    check("the answer has all operations", answer().join() === ",softmax", answer().join());
    choose("op", "softmax");
    check("the answer follows the filter", answer().join() === "softmax" && svg().querySelectorAll("rect title").length === 1, answer().join());
    choose("isa", "avx2");
    check("what does not follow is said", document.getElementById("scope").textContent !== "", "");
    reset();
  });

  await attempt("filters", async () => {
    choose("isa", "avx512");
    check("one ISA", column("ISA").every((text) => text === "AVX-512") && rows(cells).length > 0, column("ISA"));
    check("the filter is in the address", asked().get("isa") === "avx512", location.hash);
    document.querySelector("nav a").click();
    check("going to a place keeps the address", asked().get("isa") === "avx512", location.hash);
    reset();
    type("text", "isa=avx2.*n=");
    check("a regular expression", column("ISA").every((text) => text === "AVX2") && rows(cells).length > 0, column("ISA"));
    type("text", "(");
    check("half of one is no error", rows(cells).length === 0, rows(cells).length);
    reset();
    const { name } = machines[0];
    const head = () => [...cells.tHead.rows[0].cells].find((cell) => cell.textContent === name);
    head().click();
    const up = column(name).filter((text) => text !== "–").map(Number);
    check("sorts up", head().ariaSort === "ascending" && up.every((x, i) => !i || x >= up[i - 1]), up);
    check("the order is in the address", asked().get("sort") === `m.${name}` && !asked().get("down"), location.hash);
    head().click();
    check("sorts down", head().ariaSort === "descending" && asked().get("down") === "1", location.hash);
    reset();
    await followed(`#isa=avx2&metric=share&cpu=${machines[1].name}`);
    check("a link filters", column("ISA").every((text) => text === "AVX2") && document.querySelector("[name=metric]").value === "share", location.hash);
    const { length } = rows(cells);
    await followed("#list");
    check("a place in the page is no filter", rows(cells).length === length, rows(cells).length);
    reset();
  });

  await attempt("page", () => {
    check("nothing sticks out sideways", document.documentElement.scrollWidth <= innerWidth, `${document.documentElement.scrollWidth} of ${innerWidth}`);
    check("the bar shows each place", document.querySelector("nav").scrollWidth <= document.querySelector("nav").clientWidth + 1);
    check("no text became markup", !document.querySelector("main img, main script, [onerror]") && document.title !== "owned", document.title);
    const paper = () => getComputedStyle(document.body).backgroundColor;
    const before = paper();
    document.getElementById("theme").click();
    check("the theme changes", paper() !== before, before);
  });
  check("no error and nothing loaded", window.seen.length === 0, window.seen.join("; "));
  const output = document.createElement("pre");
  output.id = "browser-check";
  output.textContent = `\n${found.join("\n")}\nend of checks\n`;
  document.body.replaceChildren(output);
})();
