// What must survive translation: placeholders, tags and the like that an output has lost or added, as
// badges of an output and marks in its source and its text.

import { data, make, say } from "./dom.js";
import { saying } from "./saying.js";
import { ELEMENTS, markedText, runNode } from "./diff.js";

const ANY_FINDING = "any"; // value of a filter
export const findingsOfRow = new Map();
(data.findings ?? []).forEach(([system, segment, kind, lost, added, inSource, inOutput]) => {
  const row = segment * data.systems.length + system;
  if (!findingsOfRow.has(row)) findingsOfRow.set(row, []);
  findingsOfRow.get(row).push({ kind, lost, added, inSource, inOutput });
});
export const findingsOf = (system, segment) => findingsOfRow.get(segment * data.systems.length + system) ?? [];
const findingKinds = ["placeholder", "tags", "length", "edges"].filter((name) => (data.findings ?? []).some(([, , kind]) => kind === name));
export const isFinding = (value) => (value === ANY_FINDING ? findingKinds.length > 0 : findingKinds.includes(value));
export const nameOfFinding = (value) => (value === ANY_FINDING ? say("any finding") : say(value));

// A filter: the rows with a finding of a kind; null if there is none.
const rowsOfFinding = new Map();
export function rowsWithFinding(value) {
  if (!value) return null;
  if (!rowsOfFinding.has(value)) {
    const rows = [...findingsOfRow].filter(([, findings]) => value === ANY_FINDING || findings.some(({ kind }) => kind === value));
    rowsOfFinding.set(value, new Set(rows.map(([row]) => row)));
  }
  return rowsOfFinding.get(value);
}

// The choices of the filter: [value, name, number]; `count` counts the rows of a set that other filters leave.
export function findingChoices(count) {
  const values = findingKinds.length > 1 ? [ANY_FINDING, ...findingKinds] : findingKinds;
  return [["", say("all outputs")], ...values.map((value) => [value, nameOfFinding(value), count(rowsWithFinding(value))])];
}

// White space alone would not be seen.
const shownPiece = (text) => (text.trim() ? text : text.replaceAll(" ", "␣").replaceAll("\u00a0", "⍽").replaceAll("\u3000", "□"));
const shownPieces = (texts) => texts.map(shownPiece).join(" ");
const lossText = ({ kind, lost, added }) => [say(kind), lost.length ? say("lost: {0}", shownPieces(lost)) : "", added.length ? say("added: {0}", shownPieces(added)) : ""].filter(Boolean).join(" · ");

// The kinds of an output's findings; the title says what was lost and added.
export const findingBadges = (system, segment) => findingsOf(system, segment).map((finding) =>
  [" ", make("small", { class: "kind finding", title: lossText(finding) }, say(finding.kind))]);

// A text as runs, with the places of findings marked. Their ends are in characters, those of runs in
// units of JavaScript's strings.
function runsAt(text, spans, mark) {
  const characters = Array.from(text);
  const place = (n) => characters.slice(0, n).join("").length;
  const runs = [];
  let at = 0;
  for (const [start, stop] of spans.map((span) => span.map(place)).sort(([x], [y]) => x - y)) {
    if (stop <= at) continue;
    if (start > at) runs.push({ start: at, stop: start, state: "same" });
    runs.push({ start: Math.max(start, at), stop, state: mark, element: ELEMENTS[mark] ?? "b" });
    at = stop;
  }
  if (at < text.length) runs.push({ start: at, stop: text.length, state: "same" });
  return runs;
}

// A mark is a run as of a difference; white space in it is shown by signs.
export function findingNodes(text, spans, mark, words, short = false) {
  const runs = runsAt(text, spans, mark);
  const isBlank = (run) => run.state === mark && !text.slice(run.start, run.stop).trim();
  if (!runs.some(isBlank)) return markedText(text, runs, { words, short });
  return runs.map((run) => {
    const part = text.slice(run.start, run.stop);
    return isBlank(run) ? runNode(shownPiece(part), run) : markedText(part, [{ ...run, start: 0, stop: part.length }], { words });
  });
}

// What stands in neither text, such as an inline code, is written after it.
function placedNodes(text, places, names, mark, words, short) {
  const apart = names.filter((_, i) => !places[i]);
  return [findingNodes(text, places.filter(Boolean), mark, words, short),
    apart.map((name) => [" ", make(ELEMENTS[mark], { class: `run ${mark}` }, shownPiece(name))])];
}

// The source with what was lost, and the output with what was added.
export function lostNodes(system, segment, words = "", short = false) {
  const findings = findingsOf(system, segment);
  return placedNodes(data.source[segment], findings.flatMap(({ inSource }) => inSource), findings.flatMap(({ lost }) => lost), "missing", words, short);
}
export function addedNodes(system, segment, words = "", short = false) {
  const findings = findingsOf(system, segment);
  return placedNodes(data.hyps[system][segment], findings.flatMap(({ inOutput }) => inOutput), findings.flatMap(({ added }) => added), "extra", words, short);
}

// Findings in words, because a code that was lost is in neither text.
export const findingsInWords = (system, segment) => findingsOf(system, segment).map(({ kind, lost, added }) => [
  make("small", { class: "kind finding" }, say(kind)), " ",
  lost.length ? [say("lost"), " ", lost.map((text) => [make("del", { class: "run missing" }, shownPiece(text)), " "])] : null,
  added.length ? [say("added"), " ", added.map((text) => [make("ins", { class: "run extra" }, shownPiece(text)), " "])] : null]);

// A table of systems by kinds: a count becomes a button, which chooses these outputs.
export function listByCount(place, isKnown, choose) {
  for (const row of document.querySelectorAll(`${place} tbody tr`)) {
    const system = data.systems.indexOf(row.cells[0].textContent);
    [...row.cells].slice(1).forEach((cell, i) => {
      const kind = row.closest("table").tHead.rows[0].cells[i + 1].dataset.kind;
      if (system < 0 || !isKnown(kind) || cell.textContent.trim() === "0") return;
      cell.replaceChildren(make("button", { type: "button", class: "plain", "data-kind": kind, ...saying(["title"], "List these outputs"),
        onclick: () => choose(system, kind) }, cell.textContent.trim()));
    });
  }
}
