/* Run inside a copy of vector-math.html by scripts/test-html, after the page's own script: does what a reader
 * does and writes what it found into <pre id="browser-check">, a line per check. */
"use strict";
(() => {
  const lines = [];
  const check = (name, holds, saw = "") => lines.push(`${holds ? "ok" : "FAILED"} ${name}${holds ? "" : `: ${saw}`}`);
  const attempt = (name, action) => { try { action(); } catch (error) { check(name, false, error.stack); } };
  const table = document.getElementById("vector-table");
  const heads = () => [...table.querySelectorAll("thead th")];
  const place = (name) => heads().findIndex((th) => th.textContent.trim().startsWith(name));
  const column = (name) => [...table.querySelectorAll("tbody tr")].map((row) => row.cells[place(name)].textContent.trim());
  const choose = (name, value) => {
    const input = document.querySelector(`#filters [name=${name}]`);
    input.value = value;
    input.dispatchEvent(new Event("change"));
  };

  attempt("lines", () => {
    /* Builds of equal machine code share a line. */
    check("a line per machine code", column("function").length === 5, column("function").length);
    check("the time is there", column("ns").some((ns) => Number(ns) === 1), column("ns"));
  });
  attempt("filter", () => {
    choose("library", "own");
    check("ours alone", column("library").length === 3 && column("library").every((name) => name.startsWith("own")), column("library"));
    check("the filter stands in the address", location.hash.includes("library=own"), location.hash);
    choose("library", "");
    check("all are back", column("library").length === 5, column("library").length);
  });
  attempt("sort", () => {
    const sorted = () => column("max ULP").map(Number);
    const click = () => (heads()[place("max ULP")].querySelector("button") ?? heads()[place("max ULP")]).click();
    click();
    const up = sorted();
    check("sorted by error", up.every((x, i) => !i || x >= up[i - 1]) || up.every((x, i) => !i || x <= up[i - 1]), up);
    click();
    check("and the other way round", `${sorted()}` === `${[...up].reverse()}` || sorted()[0] === up[up.length - 1], sorted());
  });
  attempt("text", () => check("no text became markup", !document.querySelector("main img, main script, [onerror]"), "an element out of a record"));
  check("no error and nothing loaded", window.seen.length === 0, window.seen.join("; "));
  const output = document.createElement("pre");
  output.id = "browser-check";
  output.textContent = `\n${lines.join("\n")}\nend of checks\n`;
  document.body.replaceChildren(output);
})();
