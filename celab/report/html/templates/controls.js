// What pages with a list have in common: the form of their filters, and links and counts that choose a view.

import { make } from "./dom.js";
import { saying } from "./saying.js";
import { change, fresh, initial, listeners, state } from "./state.js";
import { KEPT_BY_RESET } from "./report-view.js";
import { listChosen } from "./chips.js";
import { leadTo } from "./parts.js";

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

// Links of the page only scroll, because the fragment of the URL holds the view; or they choose one.
function followLinks() {
  for (const link of document.querySelectorAll(".skip, .contents a, main a[href^='#']:not([data-pair])"))
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const target = document.getElementById(link.hash.slice(1));
      const view = link.dataset.view && chosenView(link);
      if (view && target.id === "segments-heading") return view.segment === null ? listChosen(view) : change(view, true);
      if (view) change(view, true);
      leadTo(target);
      if (link.matches(".skip")) document.querySelector("#rows .row[tabindex='0']")?.focus({ preventScroll: true });
    });
}

// ---- tables -------------------------------------------------------------------------------------

// Marks tables that can be scrolled further to the right, once the page has its layout.
let marking = 0;
export function showEdges() {
  cancelAnimationFrame(marking);
  marking = requestAnimationFrame(() => {
    const nodes = [...document.querySelectorAll(".scroll")].filter((node) => !node.closest("details:not([open])")); // their layout is spared
    const isMore = nodes.map((node) => node.scrollLeft + node.clientWidth < node.scrollWidth - 4);
    nodes.forEach((node, i) => node.classList.toggle("more", isMore[i]));
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
  listeners.push(showEdges);
}
