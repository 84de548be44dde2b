// What must survive translation: placeholders, tags and the like that an output has lost or added, as
// badges of an output and marks in its source and its text.

import { data, make, say } from "./dom.js";
import { rowOf } from "./outputs.js";
import { findingsOf, otherFindings } from "./findings.js";
import { ELEMENTS, markedText, runNode } from "./diff.js";

const NOTES = { lost: "missing", added: "extra" }; // and how they are marked

// White space alone would not be seen.
const shownPiece = (text) => (text.trim() ? text : text.replaceAll(" ", "␣").replaceAll("\u00a0", "⍽").replaceAll("\u3000", "□"));

// By kind: what is lost and what is added, and what else a rule says.
function piecesOf(row) {
  const pieces = new Map();
  for (const { kind, note, text } of otherFindings(row)) {
    if (!pieces.has(kind)) pieces.set(kind, { lost: [], added: [], notes: [] });
    const { [note]: texts, notes } = pieces.get(kind);
    if (note in NOTES) texts.push(shownPiece(text));
    else if (note) notes.push(note);
  }
  return [...pieces];
}

// The kinds of an output's findings; the title says what was lost and added.
export const markupBadges = (row) => piecesOf(row).map(([kind, { lost, added, notes }]) => [" ", make("small", { class: "kind finding", title: [
  say(kind), lost.length ? say("lost: {0}", lost.join(" ")) : "", added.length ? say("added: {0}", added.join(" ")) : "", ...notes].filter(Boolean).join(" · ") }, say(kind))]);

// The same in words, because a code that was lost is in neither text.
export const markupInWords = (row) => piecesOf(row).map(([kind, { notes, ...pieces }]) => [make("small", { class: "kind finding" }, say(kind)), " ", notes.map((note) => [say(note), " "]),
  Object.entries(pieces).filter(([, texts]) => texts.length).map(([note, texts]) => [say(note), " ",
    texts.map((text) => [make(ELEMENTS[NOTES[note]], { class: `run ${NOTES[note]}` }, text), " "])])]);

// Where something is lost in the source, or added in the output: spans in characters.
export const markupSpans = (row, note) => findingsOf("markup", row).filter((finding) => finding.note === note && finding.span).map(({ span }) => span);

// A text as runs, with spans marked. Their ends are in characters, those of runs in units of JavaScript's strings.
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
export function spannedText(text, spans, mark, words, short = false) {
  const runs = runsAt(text, spans, mark);
  const isBlank = (run) => run.state === mark && !text.slice(run.start, run.stop).trim();
  if (!runs.some(isBlank)) return markedText(text, runs, { words, short });
  return runs.map((run) => {
    const part = text.slice(run.start, run.stop);
    return isBlank(run) ? runNode(shownPiece(part), run) : markedText(part, [{ ...run, start: 0, stop: part.length }], { words });
  });
}

// The source with what was lost, or the output with what was added. What stands in neither text is written after it.
export function markupText(system, segment, note, words = "", short = false) {
  const row = rowOf(segment, system);
  const apart = findingsOf("markup", row).filter((finding) => finding.note === note && !finding.span);
  return [spannedText(note === "lost" ? data.source[segment] : data.hyps[system][segment], markupSpans(row, note), NOTES[note], words, short),
    apart.map(({ text }) => [" ", make(ELEMENTS[NOTES[note]], { class: `run ${NOTES[note]}` }, shownPiece(text))])];
}
