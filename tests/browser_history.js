// SPDX-License-Identifier: MIT
/* Run inside a copy of history.html by scripts/test-html, after the page's own script: does what a reader
 * does and writes what it found into <pre id="browser-check">, a line per check. */
"use strict";
(() => {
  const lines = [];
  const check = (name, holds, saw = "") => lines.push(`${holds ? "ok" : "FAILED"} ${name}${holds ? "" : `: ${saw}`}`);
  const attempt = (name, action) => { try { action(); } catch (error) { check(name, false, error.stack); } };
  const { changes, series } = historyPage;
  const data = { changes, series };
  const rows = () => [...document.querySelectorAll("#changes tbody tr")];
  const enter = (input, value) => { input.value = value; input.dispatchEvent(new Event(input.tagName === "SELECT" ? "change" : "input")); };
  const filter = (name) => document.querySelector(`#filters [name=${name}]`);

  attempt("list", () => {
    check("every change has a row", rows().length === data.changes.length && rows().length > 0, rows().length);
    const dates = rows().map((row) => row.cells[0].textContent);
    check("the newest first", dates.every((date, i) => !i || date <= dates[i - 1]), dates);
    check("the rate of alarms is said first", /per 1000 series/.test(document.getElementById("rate").textContent), document.getElementById("rate").textContent);
  });
  attempt("series", () => {
    const change = data.changes.findIndex((c) => c.series >= 0);
    rows()[change].querySelector("button").click();
    const series = data.series[data.changes[change].series];
    const svg = document.querySelector("#figure svg");
    check("a point per run", svg.querySelectorAll(".point").length === series.points.length, svg.querySelectorAll(".point").length);
    const found = data.changes.filter((c) => c.series === data.changes[change].series).length;
    check("a line per change", svg.querySelectorAll(".change").length === found, svg.querySelectorAll(".change").length);
    check("a level before and behind", svg.querySelectorAll(".level").length === found + 1, svg.querySelectorAll(".level").length);
    const inside = [...svg.querySelectorAll(".point")].every((p) => p.cx.baseVal.value > 0 && p.cx.baseVal.value < svg.viewBox.baseVal.width && p.cy.baseVal.value >= 0 && p.cy.baseVal.value <= 300);
    check("the points are inside", inside, svg.outerHTML.slice(0, 300));
    const times = [...svg.querySelectorAll("text")].filter((text) => /^\d{4}-\d\d-\d\d \d\d:\d\d$/.test(text.textContent));
    check("the first and the last run have a time of day", times.length === 2, svg.textContent);
    check("its cell is marked", rows()[change].querySelector("button").getAttribute("aria-pressed") === "true", "");
    check("the address says which", new URLSearchParams(location.hash.slice(1)).get("series") === String(data.changes[change].series), location.hash);
  });
  attempt("filters", () => {
    for (const kind of ["time", "error", "bits"]) {
      enter(filter("kind"), kind);
      const want = data.changes.filter((c) => c.kind === kind).length;
      check(`${kind} alone`, rows().length === want && want > 0, `${rows().length}, want ${want}`);
    }
    enter(filter("kind"), "");
    enter(filter("direction"), "worse");
    const worse = rows().length;
    enter(filter("direction"), "better");
    check("worse and better are all", worse > 0 && worse + rows().length === data.changes.length, `${worse} + ${rows().length}`);
    enter(filter("direction"), "");
    enter(document.querySelector("#filters [name=text]"), "no such words");
    check("no row matches", rows().length === 0, rows().length);
    enter(document.querySelector("#filters [name=text]"), "");
    check("all are back", rows().length === data.changes.length, rows().length);
  });
  attempt("width", () => check("nothing sticks out sideways", document.documentElement.scrollWidth <= innerWidth, document.documentElement.scrollWidth));
  attempt("text", () => check("no text became markup", !document.querySelector("main img, main script, [onerror]"), "an element out of a record"));
  check("no error and nothing loaded", window.seen.length === 0, window.seen.join("; "));
  const output = document.createElement("pre");
  output.id = "browser-check";
  output.textContent = `\n${lines.join("\n")}\nend of checks\n`;
  document.body.replaceChildren(output);
})();
