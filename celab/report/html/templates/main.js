// The controls of the report, and the parts of the page to redraw when one of them changes.

import { data, say } from "./dom.js";
import { EVERY, NONE, change, followUrl, initial, listeners, state } from "./state.js";
import { planner } from "./later.js";
import { FILTERS } from "./report-view.js";
import { setLanguage } from "./language.js";
import { showConcordance } from "./terms.js";
import { fillOrders } from "./judges.js";
import { activate, active, list, rowChoices } from "./rows.js";
import { compareTwo, modeChoices, two } from "./pair.js";
import { limits, showChips } from "./chips.js";
import { facetLabels, fillFacets, fillSelect, rankedSystems } from "./facets.js";
import { showSelection } from "./selection.js";
import { show } from "./segment.js";
import { placeColumns } from "./columns.js";
import { placeMenus } from "./takeaway.js";
import { leadTo } from "./parts.js";
import { begin, filters, showEdges, showTyped } from "./controls.js";

const buttons = [...document.querySelectorAll(".metrics button")];
buttons.forEach((button, i) => button.addEventListener("click", () => change({ metric: i }, true)));

function showControls() {
  const several = data.systems.length > 1;
  fillFacets();
  fillOrders();
  showConcordance();
  filters.b.value = state.b;
  showTyped("min", "max", "least", "search");
  filters.a.closest("label").hidden = filters.b.closest("label").hidden = !several;
  filters.querySelector(".difference").hidden = state.b === NONE;
  document.getElementById("mode").replaceChildren(...(state.b !== NONE ? [modeChoices()] : several && state.a === EVERY ? [rowChoices()] : []));
  showChips();
  buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === state.metric)));
  for (const part of document.querySelectorAll(".of-metric"))
    part.hidden = Number(part.dataset.metric) !== state.metric;
}

function fillControls() {
  const systems = rankedSystems().map((i) => [i, data.systems[i]]);
  fillSelect(filters.b, [[NONE, say("none")], ...systems], state.b);
  for (const select of two ? [two.a, two.b] : []) fillSelect(select, systems, select.value);
}

// Sections change their heights with the metric: what is read stays where it is.
function placeInView() {
  const headings = [...document.querySelectorAll(".part > summary")].filter((node) => node.offsetParent);
  const above = headings.filter((node) => node.getBoundingClientRect().top < innerHeight / 2).pop();
  return above && scrollY > 0 ? { heading: above, top: above.getBoundingClientRect().top } : null;
}
function keepInView(place) {
  if (!place) return;
  scrollBy({ top: place.heading.getBoundingClientRect().top - place.top, behavior: "instant" });
}

function keepingPlace(act) {
  const place = placeInView();
  act();
  keepInView(place);
}

// The parts above the list that follow its filters; the list is seen first.
const showLater = planner();
const showAbove = () => {
  keepingPlace(() => {
    compareTwo();
    showSelection();
  });
  showEdges();
};

listeners.push((changes) => {
  const inSegment = Object.keys(changes).every((key) => key === "segment" || key === "system");
  if ("language" in changes) setLanguage(state.language);
  if ("language" in changes || "metric" in changes) fillControls();
  if (!inSegment) {
    if (state.b === NONE && ["other", "difference", "apart"].includes(state.sort)) state.sort = "worst";
    keepingPlace(() => {
      showControls();
      list();
    });
    const isAny = (...keys) => keys.some((key) => key in changes);
    if (isAny("language", "a", "b", "by", "axis")) showAbove(); // chosen there, or the page is opened
    else if (isAny(...FILTERS)) showLater(showAbove);
  }
  show();
});

addEventListener("hashchange", () => {
  const wasOpen = state.segment !== null;
  followUrl();
  if (wasOpen && state.segment === null) activate(active);
});

// On a narrow screen only order and search stand before the list; the other filters are folded.
const narrow = matchMedia("(max-width: 46rem)");
const foldedFilters = filters.querySelector(".more-filters div");
function foldFilters() {
  const labels = ["a", "b", "error"].map((name) => filters[name].closest("label"));
  if (narrow.matches) foldedFilters.prepend(...labels);
  else filters.prepend(...labels);
}
narrow.addEventListener("change", foldFilters);

foldedFilters.append(...facetLabels());
begin();
foldFilters();
placeMenus();
placeColumns();
followUrl();
// A link that names a part of the list or its order, but no segment, leads there.
if ((state.segment === null && (limits().length || state.sort !== initial().sort)) || !document.getElementById("unknown").hidden) {
  leadTo(document.getElementById("segments-heading"));
}
