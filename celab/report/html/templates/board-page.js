// The page of `celab board`: its language, and filters that the URL keeps.

import { LANGUAGES, sayPage, switches } from "./saying.js";
import { placeTableMenus } from "./copying.js";

const filters = document.querySelector(".board-filters");
const settings = () => new URLSearchParams(location.hash.slice(1));

function fits(cell, chosen, marked) {
  if (marked && !cell.classList.contains("better") && !cell.classList.contains("worse")) return false;
  const labels = JSON.parse(cell.dataset.labels || "{}");
  return chosen.every(([name, value]) => labels[name] === value);
}

// Hides what the filters leave out: metrics, columns, and rows without a cell that fits.
function showChosen() {
  const chosen = settings();
  const labels = [...chosen].filter(([name, value]) => name.startsWith("label.") && value).map(([name, value]) => [name.slice(6), value]);
  const marked = chosen.get("marked") === "1";
  for (const section of document.querySelectorAll(".of-metric")) {
    section.hidden = Boolean(chosen.get("metric")) && section.dataset.metric !== chosen.get("metric");
    for (const cell of section.querySelectorAll("[data-set]"))
      cell.hidden = Boolean(chosen.get("set")) && cell.dataset.set !== chosen.get("set");
    for (const row of section.querySelectorAll("tbody tr")) {
      const shown = [...row.querySelectorAll("td[data-labels]")].filter((cell) => !cell.hidden);
      row.hidden = (labels.length > 0 || marked) && !shown.some((cell) => fits(cell, labels, marked));
    }
  }
  for (const field of filters.elements) {
    if (field.type === "checkbox") field.checked = marked;
    else field.value = chosen.get(field.name) ?? "";
  }
}

function choose(name, value) {
  const chosen = settings();
  if (value) chosen.set(name, value);
  else chosen.delete(name);
  location.hash = chosen.toString();
}

function followUrl() {
  const language = settings().get("page");
  if (language in LANGUAGES && sayPage(language)) placeTableMenus();
  showChosen();
}

filters.addEventListener("submit", (event) => event.preventDefault());
filters.addEventListener("change", ({ target }) => choose(target.name, target.type === "checkbox" ? (target.checked ? "1" : "") : target.value));
for (const button of switches) button.addEventListener("click", () => choose("page", button.dataset.language));
addEventListener("hashchange", followUrl);
document.documentElement.classList.add("has-script");
placeTableMenus();
followUrl();
