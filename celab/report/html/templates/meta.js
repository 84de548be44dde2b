// The page of `celab meta`: its language, and menus at its tables and drawings, as in the report.

import { copyButton, say } from "./dom.js";
import { LANGUAGES, sayPage, switches } from "./saying.js";
import { chartMenu, copyMenu, readTable, svgButtons, svgOfDrawing, tableButtons, tableMenu } from "./copying.js";

function placeMenus() {
  for (const node of document.querySelectorAll("main .take, .signature > .copy")) node.remove();
  document.querySelectorAll(".overviews > div > table").forEach((node, i) => node.after(chartMenu(node, `figure-${i + 1}`)));
  for (const node of document.querySelectorAll(".scroll > table")) node.parentElement.after(tableMenu(node));
  document.querySelectorAll(".scatters > figure").forEach((node, i) => {
    const [drawing, figures] = [node.querySelector("svg"), node.querySelector("table")];
    drawing.after(copyMenu(figures.caption.textContent, tableButtons(() => readTable(figures)),
      svgButtons(() => svgOfDrawing(drawing), `systems-${i + 1}`)));
  });
  for (const code of document.querySelectorAll(".signature > code"))
    code.after(" ", copyButton(() => code.textContent, "Copy", { "aria-label": say("Copy the signature") }));
}

// The URL names the language, so that the page can be shared in it.
function followUrl() {
  const language = new URLSearchParams(location.hash.slice(1)).get("page");
  if (language in LANGUAGES && sayPage(language)) placeMenus();
}

for (const button of switches) button.addEventListener("click", () => { location.hash = `page=${button.dataset.language}`; });
addEventListener("hashchange", followUrl);
document.documentElement.classList.add("has-script");
placeMenus();
followUrl();
