// SPDX-License-Identifier: MIT
/* Run inside a copy of vector-math.html by scripts/test-html, after the page's own scripts: does
 * what a reader does and writes what it found, a line per check. tests/records/vectors.txt has the
 * folder that it reads. */
"use strict";
(async () => {
  const found = [];
  const check = (name, holds, saw = "") => found.push(`${holds ? "ok" : "FAILED"} ${name}${holds ? "" : `: ${saw}`}`);
  const attempt = async (name, action) => { try { await action(); } catch (error) { check(name, false, error.stack); } };
  const table = document.getElementById("vector-table");
  const lines = () => [...table.tBodies[0].rows];
  const heads = () => [...table.tHead.rows[0].cells];
  const head = (title) => heads().find((cell) => cell.textContent === title);
  const texts = (title) => lines().map((line) => line.cells[head(title).cellIndex].textContent);
  const choose = (name, value) => { const select = document.querySelector(`#filters [name=${name}]`); select.value = value; select.dispatchEvent(new Event("change")); };
  const type = (text) => { const search = document.querySelector("#filters input"); search.value = text; search.dispatchEvent(new Event("input")); };
  const tick = (name) => document.querySelector(`#shown [name=${name}]`).click();
  const asked = () => new URLSearchParams(location.hash.slice(1));
  const reset = () => document.querySelector("#filters button").click();
  const points = () => Chart.getChart(document.querySelector("#chart-vectors canvas")).data.datasets.flatMap((set) => set.data);

  await attempt("table", () => {
    check("a line per machine code", lines().length === 7, lines().length);
    check("the fastest stands first", Number(texts("cycles")[0]) === 0.25, texts("cycles"));
    check("figures are those of the data", texts("max ULP")[0] === "inf" && texts("lost")[0] === "3" && texts("misrounded %")[0] === "1.2346" && texts("at")[0] === "0x1.921fb6p+1", texts("max ULP"));
    check("what was not timed has a dash", texts("cycles").filter((text) => text === "–").length === 2, texts("cycles"));
    check("specials", texts("specials")[0] === "nan 3" && texts("specials")[1] === "right", texts("specials"));
    check("bits", texts("bits depend on").includes("policy") && texts("bits depend on").includes("policy?, compiler?"), texts("bits depend on"));
    check("other builds of equal code", texts("same code").includes("on"), texts("same code"));
    check("a hazard is marked", table.querySelectorAll(".mark.hazard").length === 1 && lines()[0].querySelector(".mark.hazard") !== null, "none");
    check("who is behind", table.textContent.includes("behind sleef"), "nobody");
    tick("every");
    check("every build", lines().length === 8 && asked().get("every") === "1", lines().length);
    tick("front");
    check("only the front", lines().length === 3 && lines().every((line) => line.querySelector(".mark.front")), texts("library"));
    reset();
    check("reset clears the address", location.hash === "" && lines().length === 7, location.hash);
  });

  await attempt("filters", () => {
    choose("isa", "avx2");
    check("one ISA", lines().length === 1 && texts("ISA")[0] === "AVX2", texts("ISA"));
    check("the filter is in the address", asked().get("isa") === "avx2", location.hash);
    check("the chart follows", points().length === 1 && points()[0].x === 2 && points()[0].y === 0.75, JSON.stringify(points()));
    reset();
    check("the chart has what was timed", points().length === 5, points().length);
    choose("library", "own");
    choose("cc", "gcc-12");
    check("filters combine", lines().length === 3, lines().length);
    choose("policy", "on");
    check("a build of equal code is found by its own policy", lines().length === 1 && texts("policy")[0] === "on", texts("policy"));
    reset();
    type("sleef.*policy=off");
    check("a regular expression", lines().length === 1, texts("library"));
    type("(");
    check("half of one is no error", lines().length === 0, lines().length);
    reset();
  });

  await attempt("sort", () => {
    const ordered = (list, sign) => list.length > 3 && list.every((x, i) => !i || sign * (x - list[i - 1]) >= 0);
    for (const title of ["cycles", "ns", "max ULP", "mean ULP", "flushed"]) {
      const numbers = () => texts(title).filter((text) => text !== "–").map((text) => (text === "inf" ? Infinity : Number(text)));
      head(title).click();
      check(`${title} sorts up`, head(title).ariaSort === "ascending" && ordered(numbers(), 1), numbers());
      head(title).click();
      check(`${title} sorts down`, head(title).ariaSort === "descending" && ordered(numbers(), -1), numbers());
    }
    check("the order is in the address", asked().get("sort") === "flushed" && asked().get("down") === "1", location.hash);
    for (let i = 0; i < heads().length; i++) {
      heads()[i].click();
      check(`column ${i} sorts`, heads()[i].ariaSort === "ascending" && lines().length === 7, heads()[i].textContent);
    }
    reset();
  });

  await attempt("link", async () => {
    const followed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
    location.hash = "#isa=avx512&every=1&sort=max&down=1";
    await followed;
    check("a link filters and sorts", lines().length === 7 && texts("max ULP")[0] === "inf", texts("max ULP"));
    check("the filters show it", document.querySelector("#filters [name=isa]").value === "avx512", "another value");
    document.querySelector('nav a[href="#legend"]').click();
    check("going to a place keeps the address", asked().get("isa") === "avx512", location.hash);
    reset();
  });

  await attempt("page", () => {
    const named = [...document.querySelectorAll("#legend dt")].map((dt) => dt.textContent).join(", ");
    const missing = heads().map((cell) => cell.textContent.replace(/ %$/, "")).filter((title) => !named.includes(title));
    check("the legend explains each column", missing.length === 0, missing);
    check("nothing sticks out sideways", document.documentElement.scrollWidth <= innerWidth, `${document.documentElement.scrollWidth} of ${innerWidth}`);
    check("no text became markup", !document.querySelector("main img, main script, [onerror]") && document.title !== "1", document.title);
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
