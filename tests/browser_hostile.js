// SPDX-License-Identifier: MIT
/* Run inside a copy of any page by scripts/test-html: opens, clicks and points at everything, and
 * looks for what only a record's text can have brought. */
"use strict";
(async () => {
  const lines = [];
  const check = (name, holds, saw = "") => lines.push(`${holds ? "ok" : "FAILED"} ${name}${holds ? "" : `: ${saw}`}`);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const frame = () => new Promise((done) => setTimeout(done, 100)); // a timer instead of a frame: on a busy machine requestAnimationFrame() may never fire
  for (const name of ["alert", "confirm", "prompt", "open"]) window[name] = () => seen.push(`${name}()`);
  if (typeof report !== "undefined" && report.changed) report.changed({}); // draws every chart
  for (const fold of all("details")) fold.open = true;
  for (const box of all("input[type=checkbox]")) box.click();
  await frame();
  for (const node of all("body *").slice(0, 5000)) node.dispatchEvent(new MouseEvent("mouseover", { bubbles: false }));
  await frame();
  const foreign = all("img, iframe, object, embed, base, link, form:not(#filters), svg[onload], main script, main style, template, textarea, [srcdoc], [autofocus]");
  check("no element out of a record", foreign.length === 0, foreign.map((node) => node.outerHTML.slice(0, 80)));
  const handlers = all("*").filter((node) => [...node.attributes].some((a) => a.name.startsWith("on")));
  check("no handler out of a record", handlers.length === 0, handlers.map((node) => node.outerHTML.slice(0, 80)));
  const links = all("a[href]").filter((a) => !["#", "./"].some((start) => a.getAttribute("href").startsWith(start)) && !/^[\w.-]+\.html(#.*)?$/.test(a.getAttribute("href")));
  check("links stay in the folder", links.length === 0, links.map((a) => a.getAttribute("href")));
  check("the title is the page's own", !/owned|evil/.test(document.title), document.title);
  const text = document.body.textContent;
  check("the records are shown", text.includes("alert(1)"), text.slice(0, 200));
  check("no dialog, no error, nothing loaded", seen.length === 0, seen.join("; "));
  const output = document.createElement("pre");
  output.id = "browser-check";
  output.textContent = `\n${lines.join("\n")}\nend of checks\n`;
  document.body.replaceChildren(output);
})();
