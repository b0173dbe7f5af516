/* Run inside a copy of performance.html of many machines by scripts/test-html, after the page's own
 * script: does what a reader does and writes what it found into <pre id="browser-check">, a line per
 * check. Any archive of more machines than columns will do. */
"use strict";
(async () => {
  const found = [];
  const check = (name, holds, saw = "") => found.push(`${holds ? "ok" : "FAILED"} ${name}${holds ? "" : `: ${saw}`}`);
  const attempt = async (name, action) => { try { await action(); } catch (error) { check(name, false, error.stack); } };
  const { machines, races, operations, timeOf, cyclesOf, bandwidthOf, gainOf } = manyPage;
  const cells = document.getElementById("cell-table");
  const list = document.getElementById("machine-table");
  const rows = (table) => [...table.tBodies[0].rows];
  const heads = (table) => [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const column = (table, title) => rows(table).map((row) => row.cells[heads(table).indexOf(title)].textContent);
  const type = (name, value) => { const input = document.querySelector(`[name=${name}]`); input.value = value; input.dispatchEvent(new Event("input")); };
  const choose = (name, value) => { const select = document.querySelector(`[name=${name}]`); select.value = value; select.dispatchEvent(new Event("change")); };
  const reset = () => document.querySelector("#filters button").click();
  const asked = () => new URLSearchParams(location.hash.slice(1));

  await attempt("cells", () => {
    check("a row per race", rows(cells).length === Math.min(races.length, 300) && races.length > 0, rows(cells).length);
    const race = races[0];
    const times = machines.map((machine) => timeOf(race, machine)).filter((x) => x !== null).sort((a, b) => a - b);
    check("least and most are those of the data", column(cells, "least")[0] === times[0].toFixed(3) && column(cells, "most")[0] === times.at(-1).toFixed(3), `${column(cells, "least")[0]} ${column(cells, "most")[0]}`);
    check("quartiles are in order", ["least", "25%", "median", "75%", "most"].map((title) => Number(column(cells, title)[0])).every((x, i, all) => !i || x >= all[i - 1]));
    check("the first machines have columns", heads(cells).includes(machines[3].name) && !heads(cells).includes(machines[4].name), heads(cells));
  });

  await attempt("machines", () => {
    check("the first machines are shown", rows(list).length === Math.min(machines.length, 50), rows(list).length);
    const last = machines.at(-1);
    type("cpu", `^${last.name} `);
    check("one machine chosen", rows(list).length === 1 && heads(cells).includes(last.name) && !heads(cells).includes(machines[0].name), rows(list).length);
    check("the address says which", asked().get("cpu") === `^${last.name} `, location.hash);
    check("the distribution is of that one", column(cells, "least").join() === column(cells, "most").join(), "");
    type("columns", "0");
    check("no columns of machines", !heads(cells).includes(last.name), heads(cells));
    reset();
    check("reset clears the address", location.hash === "" && rows(list).length > 1, location.hash);
  });

  await attempt("filters", () => {
    const { op } = races.at(-1);
    choose("op", op);
    check("one operation", rows(cells).length === races.filter((race) => race.op === op).length, rows(cells).length);
    choose("metric", "share");
    check("shares of limits", column(cells, "most").every((text) => /^(–|\d+)$/.test(text)) && asked().get("metric") === "share", location.hash);
    reset();
    check("reset goes back to times", column(cells, "most")[0].includes("."), column(cells, "most")[0]);
    [...cells.tHead.rows[0].cells].find((cell) => cell.textContent === "median").click();
    const medians = column(cells, "median").map(Number);
    check("sorts", medians.every((x, i) => !i || x >= medians[i - 1]) && asked().get("sort") === "median", location.hash);
  });

  /* Each figure: what the table says of the first row and the first machine is what the data say. */
  await attempt("figures", () => {
    reset();
    const digits = { cycles: 3, gb: 0, gain: 2 };
    const of = { cycles: cyclesOf, gb: bandwidthOf, gain: gainOf };
    for (const [metric, figure] of Object.entries(of)) {
      choose("metric", metric);
      const row = metric === "gain" ? operations[0] : races[0];
      const shown = column(cells, machines[0].name)[0], wanted = figure(row, machines[0]);
      check(`${metric} is that of the data`, wanted > 0 && Math.abs(Number(shown) / wanted - 1) < (digits[metric] ? 10 ** -digits[metric] / wanted : 0.01), `${shown}, not ${wanted}`);
      check(`the address says ${metric}`, asked().get("metric") === metric, location.hash);
    }
    check("AVX-512 has a row for each operation", rows(cells).length === operations.length && heads(cells)[0] === "operation" && !heads(cells).includes("fastest policy"), heads(cells));
    const [race] = races, [machine] = machines;
    check("cycles are near the clock", Math.abs(cyclesOf(race, machine) / timeOf(race, machine) / machine.clock - 1) < 0.6, machine.clock);
    check("bandwidth is bytes over time", Math.abs(bandwidthOf(race, machine) * timeOf(race, machine) / race.bytes - 1) < 1e-9, race.bytes);
    choose("metric", "ns");
    check("the start is not in the address", !asked().has("metric"), location.hash);
    location.hash = "metric=cycles&cpu=" + machines[1].name;
  });
  await new Promise((done) => setTimeout(done, 50));
  check("an address is followed", document.querySelector("[name=metric]").value === "cycles" && rows(list).length === machines.filter((m) => m.name.includes(machines[1].name)).length, location.hash);

  check("nothing went wrong", seen.length === 0, seen.join("; "));
  document.body.append(Object.assign(document.createElement("pre"), { id: "browser-check", textContent: `\n${found.join("\n")}\nend of checks` }));
})();
