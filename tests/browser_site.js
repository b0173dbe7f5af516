// SPDX-License-Identifier: MIT
/* Run inside a copy of a site's index.html by scripts/test-html, after the page's own script: looks for pages as a
 * reader does, and writes what it found, a line per check. */
"use strict";
(() => {
  const lines = [];
  const check = (name, holds, saw = "") => lines.push(`${holds ? "ok" : "FAILED"} ${name}${holds ? "" : `: ${saw}`}`);
  const rows = () => [...document.querySelectorAll("#pages tbody tr")];
  const enter = (name, value) => {
    const input = document.querySelector(`#filters [name=${name}]`);
    input.value = value;
    input.dispatchEvent(new Event(input.tagName === "SELECT" ? "change" : "input"));
  };
  const addresses = () => rows().map((row) => row.querySelector("a").getAttribute("href"));
  const all = rows().length;
  enter("op", "softmax");
  check("a page of softmax for each CPU", addresses().length === 2 && addresses().every((to) => to.endsWith("/softmax.html")), addresses());
  enter("text", "zen 3");
  check("one of that CPU", addresses().join() === "amd-25-1-1-e30850f3/softmax.html", addresses());
  check("the address says what is looked for", /op=softmax/.test(location.hash) && /text=zen/.test(location.hash), location.hash);
  document.querySelector("#filters button").click();
  check("all are back", rows().length === all && all > 4, rows().length);
  check("nothing sticks out sideways", document.documentElement.scrollWidth <= innerWidth, document.documentElement.scrollWidth);
  check("no text became markup", !document.querySelector("main img, main script, [onerror]") && document.title !== "owned");
  check("no error and nothing loaded", window.seen.length === 0, window.seen.join("; "));
  const output = document.createElement("pre");
  output.id = "browser-check";
  output.textContent = `\n${lines.join("\n")}\nend of checks\n`;
  document.body.replaceChildren(output);
})();
