// What pages with a list have in common: the form of their filters, links and counts that choose a view,
// and the contents.

import { make } from "./dom.js";
import { saying } from "./saying.js";
import { change, fresh, initial, listeners, state } from "./state.js";
import { KEPT_BY_RESET } from "./report-view.js";
import { listChosen } from "./chips.js";

export const filters = document.getElementById("filters") ?? {};

// ---- filters ------------------------------------------------------------------------------------

let waiting = 0;
function followFilters() {
  filters.addEventListener("input", ({ target: { name, value, localName } }) => {
    clearTimeout(waiting);
    // Wait for the reader to stop typing before searching.
    waiting = setTimeout(() => change({ [name]: typeof initial()[name] === "number" ? Number(value) : value }), localName === "select" ? 0 : 120);
  });
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("reset", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    change(fresh(Object.fromEntries(KEPT_BY_RESET.map((name) => [name, state[name]]))), true);
  });
}

export function showTyped(...names) {
  for (const name of names) if (filters[name] && filters[name].value !== state[name]) filters[name].value = state[name];
}

// ---- what chooses a view ------------------------------------------------------------------------

const chosenView = (node) => fresh(JSON.parse(node.dataset.view));

// A count or a name with a view becomes a button, which lists its outputs, or shows something below it.
function placeButtons() {
  for (const node of document.querySelectorAll(":is(td, th, span)[data-view]")) {
    const { hint, stays } = node.dataset;
    node.replaceChildren(make("button", { type: "button", class: "plain", ...(hint && saying(["title"], hint)),
      onclick: () => (stays === undefined ? listChosen(chosenView(node)) : change(chosenView(node), true)) }, ...node.childNodes));
  }
}

const targetOf = (link) => document.getElementById(link.hash.slice(1).replace(/-0$/, `-${state.metric}`));

// Links of the page only scroll, because the fragment of the URL holds the view; or they choose one.
function followLinks() {
  for (const link of document.querySelectorAll(".contents a, .skip, :is(.answer, .leads) a:not([data-pair])"))
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const target = targetOf(link);
      const view = link.dataset.view && chosenView(link);
      if (view && target.id === "segments-heading") return view.segment === null ? listChosen(view) : change(view, true);
      if (view) change(view, true);
      target.parentElement.querySelector(":scope > details.all-pairs")?.setAttribute("open", "");
      target.scrollIntoView();
      target.focus({ preventScroll: true });
    });
}

// ---- the contents -------------------------------------------------------------------------------

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

// You are here: the section of the contents that is read.
let looking = 0;
function showHere() {
  cancelAnimationFrame(looking);
  looking = requestAnimationFrame(() => {
    const links = [...document.querySelectorAll(".contents a")];
    const tops = links.map((link) => targetOf(link)?.getBoundingClientRect().top ?? Infinity);
    const line = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) + 40; // a link leads just above it
    const above = tops.filter((top) => top < line);
    const at = tops.indexOf(above.length ? Math.max(...above) : Math.min(...tops));
    links.forEach((link, i) => (i === at ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
  });
}

// Once all modules are loaded.
export function begin() {
  document.documentElement.classList.add("has-script");
  for (const part of document.querySelectorAll(".browser")) part.hidden = false;
  if (filters.elements) followFilters();
  placeButtons();
  followLinks();
  document.addEventListener("scroll", showEdges, { capture: true, passive: true });
  addEventListener("resize", showEdges);
  document.addEventListener("toggle", showEdges, { capture: true }); // of what was folded
  addEventListener("scroll", showHere, { passive: true });
  listeners.push(showEdges, showHere);
}
