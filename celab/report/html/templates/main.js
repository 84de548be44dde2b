// The controls, and the parts of the page to redraw when one of them changes.

import { metric } from "./shown-metric.js";
import { data, say } from "./dom.js";
import { EVERY, NONE, change, initial, listeners, readUrl, state } from "./state.js";
import { setLanguage } from "./language.js";
import { fillMarks } from "./spans.js";
import { fillTerms } from "./terms.js";
import { fillFindings } from "./findings-filter.js";
import { fillOrders, firstDirection } from "./judges.js";
import { fillErrors } from "./errors.js";
import { activate, active, list, rowChoices } from "./rows.js";
import { compareTwo, modeChoices, two } from "./pair.js";
import { limits, listChosen, showChips } from "./chips.js";
import { fillFacet, fillFacets, showSelection } from "./facets.js";
import { FILTERS } from "./filters.js";
import { show } from "./segment.js";
import { comparePair } from "./board.js";
import { placeColumns } from "./columns.js";
import { placeMenus } from "./takeaway.js";
import { planner } from "./later.js";

export const filters = document.getElementById("filters");
const buttons = [...document.querySelectorAll(".metrics button")];

function showControls() {
  const several = data.systems.length > 1;
  fillFacets();
  fillOrders();
  fillMarks();
  fillTerms();
  fillErrors();
  fillFindings();
  for (const name of ["a", "b", "document", "domain", "kind"]) if (filters[name]) filters[name].value = state[name];
  if (filters.bucket) filters.bucket.value = state.bucket.startsWith("length:") ? state.bucket : "";
  for (const name of ["min", "max", "least", "search"])
    if (filters[name].value !== state[name]) filters[name].value = state[name];
  filters.a.closest("label").hidden = filters.b.closest("label").hidden = !several;
  filters.querySelector(".difference").hidden = state.b === NONE;
  document.getElementById("mode").replaceChildren(...(state.b !== NONE ? [modeChoices()] : several && state.a === EVERY ? [rowChoices()] : []));
  showChips();
  buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === state.metric)));
  for (const part of document.querySelectorAll(".of-metric"))
    part.hidden = Number(part.dataset.metric) !== state.metric;
}

// Systems in the order of their rank by the metric.
function fillSystems(select, first) {
  const ranked = metric().ranked ?? data.systems.map((_, i) => i);
  fillFacet(select, [...first, ...ranked.map((i) => [i, data.systems[i]])]);
}

function fillControls() {
  fillSystems(filters.b, [[NONE, say("none")]]);
  for (const select of two ? [two.a, two.b] : []) fillSystems(select, []);
}

// Sections change their heights with the metric: what is read stays where it is.
function placeInView() {
  const headings = [...document.querySelectorAll("main h2[id]")].filter((node) => node.offsetParent);
  const above = headings.filter((node) => node.getBoundingClientRect().top < innerHeight / 2).pop();
  return above && scrollY > 0 ? { name: above.id.replace(/-\d+$/, ""), top: above.getBoundingClientRect().top } : null;
}
function keepInView(place) {
  if (!place) return;
  const heading = [...document.querySelectorAll("main h2[id]")].find((node) => node.offsetParent && node.id.replace(/-\d+$/, "") === place.name);
  if (heading) scrollBy({ top: heading.getBoundingClientRect().top - place.top, behavior: "instant" });
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

let waiting = 0;
filters.addEventListener("input", (event) => {
  const { name, value } = event.target;
  const isChoice = event.target.localName === "select";
  const number = isChoice && !["error", "kind", "finding", "term", "marked", "bucket", "sort"].includes(name);
  clearTimeout(waiting);
  // Wait for the reader to stop typing before searching.
  waiting = setTimeout(() => change({ [name]: number ? Number(value) : value, ...(name === "sort" && { order: firstDirection(value) }) }), isChoice ? 0 : 120);
});
filters.addEventListener("submit", (event) => event.preventDefault());
filters.addEventListener("reset", (event) => {
  event.preventDefault();
  clearTimeout(waiting);
  change({ ...initial(), language: state.language, metric: state.metric, by: state.by, segment: state.segment, system: state.system }, true);
});
buttons.forEach((button, i) => button.addEventListener("click", () => change({ metric: i }, true)));

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

// The view of the URL, after Back, Forward or an edit.
function followUrl() {
  const before = { ...state };
  readUrl();
  const changed = Object.keys(state).filter((key) => state[key] !== before[key]);
  if (!changed.length) return;
  for (const listener of listeners) listener(Object.fromEntries(changed.map((key) => [key, state[key]])));
  if (Number.isInteger(before.segment) && state.segment === null) activate(active);
}
addEventListener("hashchange", followUrl);

// Links of the page only scroll, because the fragment of the URL holds the view; or they compare two systems, or order the list.
for (const link of document.querySelectorAll(".contents a, .skip, .findings a"))
  link.addEventListener("click", (event) => {
    event.preventDefault();
    if (link.dataset.pair) return comparePair(...link.dataset.pair.split(",").map(Number));
    if (link.dataset.order) return listChosen({ ...initial(), language: state.language, metric: state.metric, sort: link.dataset.order, order: "descending" });
    const target = document.getElementById(link.hash.slice(1).replace(/-0$/, `-${state.metric}`));
    target.parentElement.querySelector(":scope > details.all-pairs")?.setAttribute("open", "");
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  });

// On a narrow screen only order and search stand before the list; the other filters are folded.
const narrow = matchMedia("(max-width: 46rem)");
function foldFilters() {
  const more = filters.querySelector(".more-filters div");
  const labels = ["a", "b", "error"].map((name) => filters[name]?.closest("label")).filter(Boolean);
  if (narrow.matches) more.prepend(...labels);
  else filters.prepend(...labels);
}
narrow.addEventListener("change", foldFilters);

// What scrolls stops below the contents, which have one line or two.
export function measureContents() {
  const height = `${document.querySelector(".contents").offsetHeight}px`;
  const { style } = document.documentElement;
  if (style.getPropertyValue("--contents") !== height) style.setProperty("--contents", height);
}

// Marks tables and contents that can be scrolled further to the right, once the page has its layout.
let marking = 0;
export function showEdges() {
  cancelAnimationFrame(marking);
  marking = requestAnimationFrame(() => {
    const nodes = [...document.querySelectorAll(".scroll, .contents")].filter((node) => !node.closest("details:not([open])")); // their layout is spared
    const isMore = nodes.map((node) => node.scrollLeft + node.clientWidth < node.scrollWidth - 4);
    measureContents();
    nodes.forEach((node, i) => node.classList.toggle("more", isMore[i]));
  });
}
document.addEventListener("scroll", showEdges, { capture: true, passive: true });
addEventListener("resize", showEdges);
document.addEventListener("toggle", showEdges, { capture: true }); // of what was folded
listeners.push(showEdges);

document.documentElement.classList.add("has-script");
for (const part of document.querySelectorAll(".browser")) part.hidden = false;
foldFilters();
placeMenus();
placeColumns();
followUrl();
showEdges();
// A link that names a part of the list or its order, but no segment, leads there.
if ((state.segment === null && (limits().length || state.sort !== initial().sort)) || !document.getElementById("unknown").hidden) {
  measureContents();
  document.getElementById("segments-heading").scrollIntoView();
}

// You are here: the section of the contents that is read.
const here = [...document.querySelectorAll(".contents a")];
let looking = 0;
function showHere() {
  cancelAnimationFrame(looking);
  looking = requestAnimationFrame(() => {
    const tops = here.map((link) => document.getElementById(link.hash.slice(1).replace(/-0$/, `-${state.metric}`))?.getBoundingClientRect().top ?? Infinity);
    const line = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) + 40; // a link leads just above it
    const above = tops.filter((top) => top < line); // the contents have another order than the page
    const at = tops.indexOf(above.length ? Math.max(...above) : Math.min(...tops));
    here.forEach((link, i) => (i === at ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
  });
}
addEventListener("scroll", showHere, { passive: true });
listeners.push(showHere);
showHere();
