// The language of the report: what it has without its script is said again, all else drawn again.

import { sayPage, switches } from "./saying.js";
import { change } from "./state.js";
import { sayMatrix } from "./board.js";
import { placeColumns } from "./columns.js";
import { placeMenus } from "./takeaway.js";

export function setLanguage(language) {
  if (!sayPage(language)) return;
  sayMatrix();
  placeMenus();
  placeColumns();
}

for (const button of switches) button.addEventListener("click", () => {
  const opened = [...document.querySelectorAll("#compared > details, dialog .inner details")].map((node) => node.open);
  change({ language: button.dataset.language });
  document.querySelectorAll("#compared > details, dialog .inner details").forEach((node, i) => { node.open = opened[i] ?? false; });
});
