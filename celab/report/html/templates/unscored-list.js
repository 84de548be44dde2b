// The outputs that the filters leave, by segment: source and references once, and every output with its
// badges and marks.

import { grouped } from "./figures.js";
import { countText, data, isolated, make, say } from "./dom.js";
import { nameOf, rowOf, segmentOf, systemOf, title } from "./outputs.js";
import { state } from "./state.js";
import { findingsOf, glossary, isMissed, kindsOfOutput } from "./findings.js";
import { rowsOf } from "./filters.js";
import { chosenTerm, occurrencesOf } from "./terms.js";
import { markupInWords, markupSpans, spannedText } from "./markup.js";
import { hitsOf } from "./diff.js";

const AT_ONCE = 40; // outputs that are drawn, and that are added on demand
const MOST_SHOWN = 1_200; // characters of a text
let mostListed = AT_ONCE;

const lineOf = (name, nodes, kind) => make("div", { class: `text-line of-${kind}` },
  make("small", { class: "who", title: name }, isolated(name)), make("bdi", { lang: kind === "other" ? null : data.lang, dir: "auto" }, nodes));

// Where words stand in a text, as the ends of spans in characters.
function spansOfWords(text, words) {
  return words.filter(Boolean).flatMap((word) => hitsOf(text, word).slice(0, 50)).map((span) => span.map((end) => Array.from(text.slice(0, end)).length));
}

// What the glossary has for an output, right or forbidden.
const renderingOf = ({ kind, note }) => (["right", "forbidden"].includes(kind) ? note : null);

// What to mark in a text: the words that are searched for, or the chosen term. `wordOf` takes its occurrence.
function wordsIn(segment, wordOf) {
  if (state.search || chosenTerm() === null) return state.search;
  const occurrence = occurrencesOf(chosenTerm()).find((each) => each.segment === segment);
  return (occurrence && wordOf(occurrence, glossary[chosenTerm()][1])) ?? "";
}

// A text with its marks; a very long one is cut after these.
function longText(text, nodesOf) {
  const characters = Array.from(text);
  if (characters.length <= MOST_SHOWN) return nodesOf(text);
  const node = make("span", {}, make("span", {}, nodesOf(characters.slice(0, MOST_SHOWN).join(""))), "… ");
  const button = make("button", { type: "button", class: "plain", onclick: () => node.replaceChildren(...[nodesOf(text)].flat(Infinity).filter((child) => child !== null)) },
    say("{0} characters more", grouped(characters.length - MOST_SHOWN)));
  node.append(button);
  return node;
}

const missesOf = (row) => findingsOf("terms", row).filter(isMissed);
const inText = (spans, text) => spans.filter(([, stop]) => stop <= Array.from(text).length);

// The source: what any of the listed outputs has lost, or the terms that it misses.
function sourceLine(segment, systems) {
  if (!data.source) return null;
  const rows = systems.map((system) => rowOf(segment, system));
  const lost = rows.flatMap((row) => markupSpans(row, "lost"));
  const terms = rows.flatMap((row) => missesOf(row).map((miss) => miss.text));
  const spans = (text) => [...inText(lost, text), ...spansOfWords(text, [...new Set(terms)])];
  return lineOf(say("src"), longText(data.source[segment], (text) => spannedText(text, spans(text), "missing", wordsIn(segment, (occurrence) => occurrence.text))), "other");
}

function referenceLines(segment, systems) {
  const terms = new Set(systems.flatMap((system) => missesOf(rowOf(segment, system)).map(({ value }) => value)));
  const targets = [...terms].flatMap((term) => glossary[term][1]);
  return data.refs.map((side, k) => {
    const name = data.refs.length > 1 ? data.references[k] : say("ref");
    if (!side[segment]) return null;
    const words = wordsIn(segment, (_, chosen) => chosen.find((target) => side[segment].includes(target)));
    return lineOf(name, longText(side[segment], (text) => spannedText(text, spansOfWords(text, targets), "expected", words)), "ref");
  });
}

// What is said of an output: kinds, findings, misses.
function badgesOf(row) {
  const misses = missesOf(row).map(({ text, note, kind }) => [make("small", { class: "kind" }, isolated(text), " → ",
    kind === "missed" ? "–" : isolated(note), kind === "forbidden" ? ` (${say("forbidden")})` : null), " "]);
  return [kindsOfOutput(row).map((kind) => [make("small", { class: "kind" }, say(kind)), " "]), markupInWords(row), misses];
}

function outputLine(row) {
  const [segment, system] = [segmentOf(row), systemOf(row)];
  const added = markupSpans(row, "added");
  const instead = missesOf(row).map(({ note }) => note);
  const text = data.hyps[system][segment];
  const nodes = text ? longText(text, (part) => spannedText(part, [...inText(added, part), ...spansOfWords(part, instead)], "extra", wordsIn(segment, ({ ofSystems }) => renderingOf(ofSystems[system]))))
    : make("ins", { class: "run extra" }, say("(empty)"));
  return make("div", { class: "listed-output" }, lineOf(data.systems[system], [make("span", { class: "badges" }, badgesOf(row)), nodes], "hyp"));
}

function segmentNode([segment, rows]) {
  const systems = rows.map(systemOf);
  return make("li", { "data-segment": segment + 1 },
    make("h3", {}, say("Segment {0}", nameOf(segment)), " ", make("small", {}, isolated(title(segment)))),
    sourceLine(segment, systems), referenceLines(segment, systems), rows.map(outputLine));
}

// Another view begins with its first outputs.
export function forgetMore() {
  mostListed = AT_ONCE;
}

// Whole segments, until there are as many outputs as are to be drawn.
function firstSegments(bySegment) {
  let n = 0;
  return [...bySegment].filter(([, rows]) => (n += rows.length) - rows.length < mostListed);
}

export function showList() {
  const place = document.getElementById("listed");
  if (!place) return;
  const rows = rowsOf();
  const bySegment = new Map();
  for (const row of rows) bySegment.set(segmentOf(row), [...(bySegment.get(segmentOf(row)) ?? []), row]);
  const shown = firstSegments(bySegment);
  place.replaceChildren(...shown.map(segmentNode));
  const left = bySegment.size - shown.length;
  const more = document.getElementById("more");
  more.hidden = left === 0;
  more.textContent = say("Show more of {0}", countText(left, "segment"));
  document.getElementById("nothing").hidden = rows.length > 0;
  const listed = say("{0} in {1}", countText(rows.length, "output"), countText(bySegment.size, "segment"));
  document.getElementById("count").textContent = left ? say("{0}; the first {1} are shown", listed, countText(shown.length, "segment")) : listed;
}

document.getElementById("more")?.addEventListener("click", () => {
  const { length } = document.getElementById("listed").children;
  mostListed += AT_ONCE;
  showList();
  const next = document.getElementById("listed").children[length]?.querySelector("h3");
  next?.setAttribute("tabindex", "-1");
  next?.focus({ preventScroll: true });
});
