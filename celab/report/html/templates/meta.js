// The page of `celab meta`: its language, and menus at its tables and drawings, as in the report.

import { LANGUAGES, sayPage, switches } from "./saying.js";
import { chartMenu, copyMenu, placeTableMenus, readTable, svgButtons, svgOfDrawing, tableButtons } from "./copying.js";

function placeMenus() {
  placeTableMenus();
  document.querySelectorAll(".overviews > div > table").forEach((node, i) => node.after(chartMenu(node, `figure-${i + 1}`)));
  document.querySelectorAll(".scatters > figure").forEach((node, i) => {
    const [drawing, figures] = [node.querySelector("svg"), node.querySelector("table")];
    drawing.after(copyMenu(figures.caption.textContent, tableButtons(() => readTable(figures)),
      svgButtons(() => svgOfDrawing(drawing), `systems-${i + 1}`)));
  });
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
