// The pages of `celab check` and `celab terms`: controls, chips, language, and what follows a change.

import { grouped } from "./figures.js";
import { copyButton, data, isolated, make, phrase, say } from "./dom.js";
import { sayPage, switches } from "./saying.js";
import { ANY_KIND, EVERY, USES, change, copiedRows, fragment, hasUse, initial, kindsWithVerdict, listChosen, missesTerm, nameOf, readUrl, rowsOf, rowsOfKind, state, systemOf } from "./unscored-state.js";
import { forgetMore, showList } from "./unscored-list.js";
import { concordance, glossary, termText } from "./terms.js";
import { findingChoices, isFinding, listByCount, nameOfFinding } from "./markup-findings.js";
import { tableMenu } from "./copying.js";

export const filters = document.getElementById("filters") ?? {};

export function fillFacet(select, options) {
  select?.replaceChildren(...options.map(([value, text, count]) =>
    make("option", { value }, count === undefined ? text : `${text} (${grouped(count)})`)));
}

const counted = (key, has) => rowsOf([key, "segment"]).filter(has).length;
function fillControls() {
  if (filters.a) {
    fillFacet(filters.a, [[EVERY, say("all systems")], ...data.systems.map((name, i) => [i, name, counted("a", (row) => systemOf(row) === i)])]);
    filters.a.value = state.a;
  }
  if (filters.kind) {
    const kinds = [...(kindsWithVerdict.length > 1 ? [ANY_KIND] : []), ...Object.keys(data.kinds)];
    const count = (kind) => (kind === "copy in a reference" ? copiedRows.length : counted("kind", (row) => rowsOfKind.get(kind).has(row)));
    fillFacet(filters.kind, [["", say("all outputs")], ...kinds.map((kind) => [kind, say(kind), count(kind)])]);
    filters.kind.value = state.kind;
  }
  if (filters.use) {
    fillFacet(filters.use, [["", say("all misses")], ...Object.entries(USES).map(([use, name]) => [use, say(name), counted("use", hasUse(use).has)])]);
    filters.use.value = state.use;
  }
  if (filters.finding) {
    const rows = rowsOf(["finding", "segment"]);
    fillFacet(filters.finding, findingChoices((wanted) => rows.filter((row) => wanted.has(row)).length));
    filters.finding.value = state.finding;
  }
  if (filters.search && filters.search.value !== state.search) filters.search.value = state.search;
}

// The filter of terms is that of the report; with no list there is nothing to choose from.
function showTerms() {
  if (filters.term) {
    fillFacet(filters.term, [["", say("all terms")], ...glossary.map(([name], i) => [String(i), name, counted("term", missesTerm(String(i)).has)])]);
    filters.term.value = state.term.split(":")[0];
  }
  if (document.getElementById("concordance")) concordance(state.term.split(":")[0]);
}

function showChips() {
  const limits = [
    data.systems.length > 1 && state.a !== EVERY && [say("System"), data.systems[state.a], { a: EVERY }],
    state.kind && [say("Kind of output"), say(state.kind), { kind: "" }],
    state.finding && [say("Finding"), nameOfFinding(state.finding), { finding: "" }],
    state.term && [say("Term"), termText(state.term), { term: "" }],
    state.use && [say("In its place"), say(USES[state.use]), { use: "" }],
    state.search && [say("Search"), state.search, { search: "" }],
    state.segment !== null && [say("Segment {0}", nameOf(state.segment)), data.systems[state.system], { segment: null, system: null }],
  ].filter(Boolean);
  const nodes = limits.map(([name, value, without]) => make("button", {
    type: "button", class: "chip", "data-chip": Object.keys(without)[0], "aria-label": say("Remove {0}: {1}", name, value), onclick: () => listChosen(without),
  }, phrase("{0}: {1}", name, isolated(value)), make("span", { "aria-hidden": "true" }, " ×")));
  document.getElementById("chips").replaceChildren(...nodes, ...(nodes.length ? [make("button", { type: "reset", form: "filters" }, say("Clear all"))] : []));
}

let before = "";
export function showPage() {
  if (sayPage(state.language)) placeMenus();
  const now = fragment();
  if (now !== before) forgetMore();
  before = now;
  showTerms();
  if (document.getElementById("listed")) {
    fillControls();
    showChips();
    showList();
  }
  showEdges();
}

function placeMenus() {
  for (const node of document.querySelectorAll("main .take, .signature > .copy")) node.remove();
  for (const node of document.querySelectorAll("main section > .scroll > table")) node.parentElement.after(tableMenu(node));
  for (const code of document.querySelectorAll(".signature > code"))
    code.after(" ", copyButton(() => code.textContent, "Copy", { "aria-label": say("Copy the signature") }));
}

// Marks tables that can be scrolled further to the right, once the page has its layout.
let marking = 0;
export function showEdges() {
  cancelAnimationFrame(marking);
  marking = requestAnimationFrame(() => {
    for (const node of document.querySelectorAll(".scroll")) node.classList.toggle("more", node.scrollLeft + node.clientWidth < node.scrollWidth - 4);
  });
}
document.addEventListener("scroll", showEdges, { capture: true, passive: true });
addEventListener("resize", showEdges);

function followUrl() {
  readUrl();
  showPage();
}
addEventListener("hashchange", followUrl);
addEventListener("popstate", followUrl);

// You are here: the section of the contents that is read.
const here = [...document.querySelectorAll(".contents a")];
function showHere() {
  const tops = here.map((link) => document.getElementById(link.hash.slice(1)).getBoundingClientRect().top);
  const above = tops.filter((top) => top < innerHeight / 3);
  const at = above.length ? above.length - 1 : 0;
  here.forEach((link, i) => (i === at ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
}
addEventListener("scroll", () => requestAnimationFrame(showHere), { passive: true });

let waiting = 0;
document.getElementById("filters")?.addEventListener("input", ({ target: { name, value, localName } }) => {
  clearTimeout(waiting);
  // Wait for the reader to stop typing before searching.
  waiting = setTimeout(() => change({ [name]: name === "a" ? Number(value) : value }), localName === "select" ? 0 : 120);
});
document.getElementById("filters")?.addEventListener("submit", (event) => event.preventDefault());
document.getElementById("filters")?.addEventListener("reset", (event) => {
  event.preventDefault();
  clearTimeout(waiting);
  change({ ...initial(), language: state.language }, true);
});
for (const button of switches) button.addEventListener("click", () => change({ ...state, language: button.dataset.language }));

// Links of the page only scroll, because the fragment of the URL holds the view; or they choose something.
for (const link of document.querySelectorAll(".contents a, .skip, .findings a"))
  link.addEventListener("click", (event) => {
    event.preventDefault();
    if (link.dataset.view) change({ ...initial(), language: state.language, ...Object.fromEntries(new URLSearchParams(link.dataset.view)) }, true);
    const target = document.getElementById(link.hash.slice(1));
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  });

const chooseFrom = (key) => (a, kind) => listChosen({ ...initial(), language: state.language, a, [key]: kind });
listByCount("#kinds-of-outputs", (kind) => rowsOfKind.has(kind), chooseFrom("kind"));
listByCount("#kinds-of-findings", isFinding, chooseFrom("finding"));
document.documentElement.classList.add("has-script");
for (const part of document.querySelectorAll(".browser")) part.hidden = false;
placeMenus();
followUrl();
showHere();
