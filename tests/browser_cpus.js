/* Run inside a copy of performance.html by scripts/test-html, after the page's own script: does what a
 * reader does and writes what it found into <pre id="browser-check">, a line per check. The folders are
 * those of tests/test_cpus.c. */
"use strict";
(async () => {
  const found = [];
  const check = (name, holds, saw = "") => found.push(`${holds ? "ok" : "FAILED"} ${name}${holds ? "" : `: ${saw}`}`);
  const attempt = async (name, action) => { try { await action(); } catch (error) { check(name, false, error.stack); } };
  const { lines, cpus, raw, METRICS } = cpusPage;
  const table = document.getElementById("cell-table");
  const rows = () => [...table.tBodies[0].rows];
  const heads = () => [...table.tHead.rows[1].cells];
  const texts = (i) => rows().map((row) => row.cells[i].textContent);
  const choose = (name, value) => { const select = document.querySelector(`#filters [name=${name}]`); select.value = value; select.dispatchEvent(new Event("change")); };
  const tick = (name) => document.querySelector(`.controls [name=${name}]`).click();
  const asked = () => new URLSearchParams(location.hash.slice(1));
  const reset = () => document.querySelector("#filters button").click();
  const IDENTITY = 5; // columns before those of the CPUs

  await attempt("cells", () => {
    const compared = lines.filter((line) => line.compared > 1);
    const races = new Set(compared.map((line) => line.race));
    check("one row per race of builds", rows().length === races.size && races.size > 1, `${rows().length}, want ${races.size}`);
    tick("every");
    check("every build has a row", rows().length === compared.length && compared.length > races.size, rows().length);
    check("a column per CPU and figure", heads().length === IDENTITY + cpus.length * METRICS.length, heads().length);
    const third = rows().map((row) => row.cells[IDENTITY + 2 * METRICS.length].textContent);
    check("other machine code is not shown", third.filter((text) => text !== "–").length === 1, third);
    check("figures are those of the data", texts(IDENTITY).includes("2.000") && texts(IDENTITY + 1).includes("8.000"), texts(IDENTITY));
    check("the least of a row is bold", table.querySelectorAll("tbody td b").length > 1, table.querySelectorAll("tbody td b").length);
    tick("all");
    check("what does not compare can be shown", rows().length === lines.length && table.querySelectorAll(".beyond").length === 3 * METRICS.length, `${rows().length} rows, ${table.querySelectorAll(".beyond").length} cells`);
    check("the address says so", asked().get("all") === "1" && asked().get("every") === "1", location.hash);
    reset();
    check("reset clears the address", location.hash === "" && rows().length === races.size, location.hash);
  });

  await attempt("filters", () => {
    choose("isa", "avx512");
    check("one ISA", rows().length === 1 && texts(1)[0] === "AVX-512", texts(1));
    check("the filter is in the address", asked().get("isa") === "avx512", location.hash);
    reset();
    const search = document.querySelector("#filters input");
    search.value = "peer-.*n="; search.dispatchEvent(new Event("input"));
    check("a regular expression", rows().length === 1 && texts(2)[0] === "library", texts(2));
    search.value = "("; search.dispatchEvent(new Event("input"));
    check("half of one is no error", rows().length === 0, rows().length);
    reset();
  });

  await attempt("sort", () => {
    tick("every");
    const key = `ns.${cpus[1].name}`;
    const column = IDENTITY + METRICS.length;
    heads()[column].click();
    const numbers = texts(column).filter((text) => text !== "–").map(Number);
    check("sorts up", heads()[column].ariaSort === "ascending" && numbers.length > 2 && numbers.every((x, i) => !i || x >= numbers[i - 1]), numbers);
    check("the order is in the address", asked().get("sort") === key && !asked().get("down"), location.hash);
    heads()[column].click();
    const down = texts(column).filter((text) => text !== "–").map(Number);
    check("sorts down", heads()[column].ariaSort === "descending" && down.every((x, i) => !i || x <= down[i - 1]), down);
    reset();
  });

  await attempt("link", async () => {
    const followed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
    location.hash = `#isa=avx2&every=1&show=ns,error&hide=${cpus[2].name}`;
    await followed;
    const avx2 = lines.filter((line) => line.variant.isa === "avx2" && line.compared > 1).length;
    check("a link filters", rows().length === avx2 && avx2 > 1, `${rows().length}, want ${avx2}`);
    check("a link chooses columns", heads().length === IDENTITY + 2 * 2, heads().map((head) => head.textContent));
    check("the filters show it", document.querySelector("#filters [name=isa]").value === "avx2", "another value");
    const again = new Promise((done) => addEventListener("hashchange", done, { once: true }));
    location.hash = "#limits";
    await again;
    check("a place in the page is no filter", rows().length === avx2, rows().length);
    choose("isa", "avx512");
    document.querySelector("nav a").click();
    check("going to a place keeps the address", asked().get("isa") === "avx512", location.hash);
    reset();
  });

  await attempt("policies", () => {
    const differ = document.getElementById("differ-table").tBodies[0].rows;
    check("where the best policy differs", differ.length === raw.differ.filter((row) => row.known).length && differ.length === 1, differ.length);
    const text = differ[0].textContent;
    check("each has its own policy", text.includes("fast 1.000 ns 2.00") && text.includes("off 1.000 ns 2.00"), text);
    choose("isa", "avx512");
    check("it follows the filters", document.getElementById("differ-table").tBodies[0].rows.length === 0, "a row");
    reset();
    tick("unsure");
    check("what the intervals do not tell can be shown", document.getElementById("differ-table").tBodies[0].rows.length === raw.differ.length && raw.differ.length === 2, raw.differ.length);
    reset();
    check("what AVX-512 buys", document.getElementById("gain-table").tBodies[0].rows.length === raw.gains.length && raw.gains.length > 0, raw.gains.length);
    check("speeds of policies", document.getElementById("speed-table").tBodies[0].rows.length === raw.speeds.length && raw.speeds.length > 0, raw.speeds.length);
  });

  await attempt("page", () => {
    check("nothing sticks out sideways", document.documentElement.scrollWidth <= innerWidth, `${document.documentElement.scrollWidth} of ${innerWidth}`);
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
