// Terms of a glossary: every occurrence of the chosen one in its context.

import { data, isolated, make, say, table } from "./dom.js";
import { nameOf, refOf, segmentOf } from "./outputs.js";
import { change, state } from "./state.js";
import { findingsOfTerm, glossary } from "./findings.js";
import { segmentsInSight } from "./report-view.js";
import { rankedSystems } from "./facets.js";
import { showEdges } from "./controls.js";

const BESIDE = 36; // characters of context on either side

export const chosenTerm = () => (state.term ? Number(state.term.split(":")[0]) : null);

// What of the chosen term to mark in a segment: the target that the reference has.
export const termWords = (segment) => (chosenTerm() === null ? "" : glossary[chosenTerm()][1].find((target) => refOf(segment).includes(target)) ?? "");

// The occurrences of a term: for each, what its segment has, and the finding about each system.
export function occurrencesOf(term) {
  const findings = findingsOfTerm(term);
  const n = data.systems.length;
  return Array.from({ length: findings.length / n }, (_, i) => findings.slice(i * n, (i + 1) * n))
    .map((ofSystems) => ({ segment: segmentOf(ofSystems[0].row), text: ofSystems[0].text, ofSystems }));
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
const RENDERED = { right: ["✓ ", "as the glossary says"], forbidden: ["✗ ", "forbidden"] };
function renderingCell({ kind, note }, segment, system) {
  const [sign, meaning] = RENDERED[kind] ?? [null, "no rendering of the glossary"];
  return make("td", {}, make("button", { type: "button", class: `plain rendering${kind === "right" ? "" : " missed"}`, lang: data.lang,
    title: say(meaning), onclick: () => change({ segment, system }, true) }, sign, isolated(sign ? note : "–")));
}

// Every occurrence of the chosen term that the filters leave, in running order.
export function showConcordance() {
  const place = document.getElementById("concordance");
  const number = chosenTerm();
  if (number === null) return place?.replaceChildren();
  const [term, targets] = glossary[number];
  const left = segmentsInSight();
  const texts = data.source ?? data.refs[0];
  const ends = new Map();
  const rows = occurrencesOf(number).filter(({ segment }) => left.has(segment)).map(({ segment, text, ofSystems }) => {
    const [before, hit, after, end] = inContext(texts[segment], text, ends.get(segment) ?? 0);
    ends.set(segment, end);
    return make("tr", {}, make("th", { scope: "row", class: "number" }, nameOf(segment)),
      make("td", { class: "left-context", dir: "auto" }, before), make("td", { class: "hit-context" }, make("b", {}, hit)), make("td", { class: "right-context", dir: "auto" }, after),
      rankedSystems().map((system) => renderingCell(ofSystems[system], segment, system)));
  });
  place.replaceChildren(table(["#Segment", "Before", "Term", "After", ...rankedSystems().map((i) => data.systems[i])], rows, { class: "concordance" },
    say("Occurrences of {0}; the glossary has {1}", term, targets.join(say(", ")))));
  showEdges();
}
