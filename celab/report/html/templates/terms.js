// Terms of a glossary: how often each system renders them as it says, and every occurrence in its
// context. A term is a filter.

import { data, isolated, make, say, table } from "./dom.js";
import { saying } from "./saying.js";
import { change, initial, nameOf, state } from "./state.js";
import { rowsOf, segmentOf, selectedSet } from "./filters.js";
import { refOf } from "./rows.js";
import { listChosen } from "./chips.js";
import { fillFacet } from "./facets.js";
import { filters, showEdges } from "./main.js";

export const glossary = data.terms ?? [];
const BESIDE = 36; // characters of context on either side

// A filter: the outputs of segments with a term, or those that miss it ("3:missed").
const termRows = new Map();
export function rowsWithTerm(value) {
  if (!value) return null;
  if (!termRows.has(value)) {
    const [number, missed] = value.split(":");
    const rows = glossary[number][2].flatMap(([segment, , , right]) =>
      right.flatMap((isRight, system) => (missed && isRight ? [] : [segment * data.systems.length + system])));
    termRows.set(value, new Set(rows));
  }
  return termRows.get(value);
}

export const isTerm = (value) => /^\d+(:missed)?$/.test(value ?? "") && glossary[value.split(":")[0]] !== undefined;
export const termText = (value) => (value.endsWith(":missed") ? say("{0}, missed", glossary[value.split(":")[0]][0]) : glossary[value][0]);

// What of the chosen term to mark in a segment: the target that the reference has.
export function termWords(segment) {
  if (!state.term) return "";
  return glossary[state.term.split(":")[0]][1].find((target) => refOf(segment).includes(target)) ?? "";
}

export function fillTerms() {
  if (!filters.term) return;
  const rows = rowsOf(["term"]);
  const other = (row) => segmentOf(row) * data.systems.length + state.b;
  const count = (value) => rows.filter((row) => rowsWithTerm(value).has(row) || (state.b >= 0 && rowsWithTerm(value).has(other(row)))).length;
  const values = glossary.flatMap((_, i) => [String(i), ...(state.term === `${i}:missed` ? [state.term] : [])]);
  fillFacet(filters.term, [["", say("all terms")], ...values.map((value) => [value, termText(value), count(value)])]);
  filters.term.value = state.term;
  concordance(state.term.split(":")[0]);
}

// A text around what was found, with the place of the next occurrence if it is there several times.
function inContext(text, found, from) {
  const at = text.indexOf(found, from);
  if (at < 0) return [text, "", "", from];
  const before = Array.from(text.slice(0, at));
  const after = Array.from(text.slice(at + found.length));
  // Words are kept whole.
  return [before.length > BESIDE ? `…${before.slice(-BESIDE).join("").replace(/^\S*\s(?=\S)/u, "")}` : before.join(""), found,
    after.length > BESIDE ? `${after.slice(0, BESIDE).join("").replace(/(?<=\S)\s\S*$/u, "")}…` : after.join(""), at + found.length];
}

// What a system has for an occurrence: not by color alone.
function renderingCell(rendering, isRight, segment, system) {
  const text = rendering ?? "–";
  const sign = isRight ? "✓" : rendering === null ? "" : "✗";
  return make("td", {}, make("button", { type: "button", class: `plain rendering${isRight ? "" : " missed"}`, lang: data.lang,
    title: isRight ? say("as the glossary says") : rendering === null ? say("no rendering of the glossary") : say("forbidden"),
    onclick: () => change({ segment, system }, true) }, sign ? `${sign} ` : null, isolated(text)));
}

// Every occurrence of a term that the filters leave, in running order.
export function concordance(number) {
  const place = document.getElementById("concordance");
  if (number === "") return place.replaceChildren();
  const [term, targets, occurrences] = glossary[number];
  const left = selectedSet();
  const texts = data.source ?? data.refs[0];
  const ranked = data.metrics?.[0].ranked ?? data.systems.map((_, i) => i);
  const ends = new Map();
  const rows = occurrences.filter(([segment]) => left.has(segment)).map(([segment, found, renderings, right]) => {
    const [before, hit, after, end] = inContext(texts[segment], found, ends.get(segment) ?? 0);
    ends.set(segment, end);
    return make("tr", {}, make("th", { scope: "row", class: "number" }, nameOf(segment)),
      make("td", { class: "left-context", dir: "auto" }, before), make("td", { class: "hit-context" }, make("b", {}, hit)), make("td", { class: "right-context", dir: "auto" }, after),
      ranked.map((system) => renderingCell(renderings[system], right[system], segment, system)));
  });
  const view = table(["#Segment", "Before", "Term", "After", ...ranked.map((i) => data.systems[i])], rows, { class: "concordance" }, say("Occurrences of {0}; the glossary has {1}", term, targets.join(say(", "))));
  place.replaceChildren(view);
  showEdges();
}

// The table of terms: a name lists the segments of the term, a count the outputs that miss it.
for (const row of document.querySelectorAll("#terms-of-systems tbody tr")) {
  const { term } = row.dataset;
  const choose = (value, more = {}) => change({ ...initial(), language: state.language, metric: state.metric, term: value, ...more }, true);
  const name = row.querySelector("th");
  name.replaceChildren(make("button", { type: "button", class: "plain", ...saying(["title"], "Show the occurrences"), onclick: () => choose(term) }, ...name.childNodes));
  for (const cell of row.querySelectorAll("[data-system]")) {
    if (!cell.dataset.missed) continue;
    cell.replaceChildren(make("button", { type: "button", class: "plain", ...saying(["title"], "List the outputs that miss it"),
      onclick: () => listChosen({ ...initial(), language: state.language, metric: state.metric, term: `${term}:missed`, a: Number(cell.dataset.system) }) }, ...cell.childNodes));
  }
}
