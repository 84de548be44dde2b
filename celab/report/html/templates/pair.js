// Two systems: how they compare, the score of every segment, buckets, and what only one matches.

import { ERROR_SENTENCES, ERROR_TITLES, SAID } from "./constants.js";
import { metric } from "./shown-metric.js";
import { format, grouped, signed } from "./figures.js";
import { countText, data, isolated, make, phrase, say, table } from "./dom.js";
import { change, state } from "./state.js";
import { explainedOf, isExplained, score } from "./explained.js";
import { selectedSegments } from "./filters.js";
import { judgedPair } from "./judges.js";
import { textLines } from "./rows.js";
import { listChosen } from "./chips.js";
import { versusView } from "./versus.js";
import { bucketsOf, diverging, extentOf } from "./buckets.js";
import { tableMenu } from "./copying.js";
import { scatterOf } from "./scatter.js";
import { ngramsOf } from "./ngrams.js";
import { diffLegend, withTexts } from "./segment.js";

export const two = document.getElementById("two"); // null if there is one system

// The chosen systems, or the best ones.
export function pairOf() {
  if (!metric().ranked) return [Math.max(state.a, 0), Math.max(state.b, 0)];
  const a = state.a >= 0 ? state.a : metric().ranked.find((system) => system !== state.b);
  return [a, state.b >= 0 ? state.b : metric().ranked.find((system) => system !== a)];
}

// The place of two systems among all pairs: 0 and 1, 0 and 2, … 1 and 2, …
function placeOfPair(a, b) {
  const n = data.systems.length;
  const [i, j] = a < b ? [a, b] : [b, a];
  return (i * (2 * n - i - 1)) / 2 + j - i - 1;
}

function figuresOf(a, b) {
  const { difference, low, high, p, significant, wins, ties, test, without } = metric().pairs[placeOfPair(a, b)];
  const losses = data.segments.length - wins - ties;
  const [sign, interval] = [a < b ? 1 : -1, low === null ? null : [low, high]];
  return {
    apart: sign * difference, interval: interval && (a < b ? interval : [-high, -low]), p: test === "bootstrap" ? p : say("{0} ({1})", p, say(TESTS[test])), significant,
    wins: a < b ? wins : losses, ties, losses: a < b ? losses : wins, without: without && { count: without.outputs, apart: sign * without.difference },
  };
}
const TESTS = { randomization: "approximate randomization", exact: "exact randomization" };

export const gain = (a, b, segment) => (score(a, segment) - score(b, segment)) * (metric().higher ? 1 : -1);

// Who leads, if anybody does, and the evidence; of two systems, the page opens with both.
function verdict(a, b) {
  const { digits, name, higher, too_few: tooFew } = metric();
  const { apart, interval, p, significant, without } = figuresOf(a, b);
  const lead = signed(apart, digits);
  const words = tooFew ? say("{0}: fewer than {1} segments, no verdict", name, data.fewest)
    : significant && apart !== 0 ? phrase("{0} leads by {1}", isolated(data.systems[(apart > 0) === higher ? a : b]), name) : say("No clear winner by {0}", name);
  const broken = without && (without.count === 1 ? say(SAID.ONE_BROKEN) : say(SAID.BROKEN, without.count));
  const evidence = [
    interval ? say("A − B = {0} [{1}, {2}], p {3}", lead, ...interval.map((end) => signed(end, digits)), p) : say("A − B = {0}, p {1}", lead, p),
    ...(broken ? [say("without {0} {1}", broken, signed(without.apart, digits))] : []),
    ...judgedPair(a, b, placeOfPair(a, b))];
  return [make("h3", { class: "verdict" }, words, say(".")), make("p", { class: "evidence" }, evidence.join(" · "))];
}

// Wins, ties and losses as parts of one bar, whose widths are exact: the labels are above it.
function sharesOf(a, b) {
  const { wins, ties, losses } = figuresOf(a, b);
  const parts = [["wins", wins, data.systems[a]], ["ties", ties, say("equal")], ["losses", losses, data.systems[b]]].filter(([, count]) => count);
  const bars = parts.map(([kind, count]) => {
    const part = make("i", { class: kind });
    part.style.width = `${(100 * count) / data.segments.length}%`;
    return part;
  });
  return make("div", { class: "shares" },
    make("p", {}, say("Ahead on segments"), parts.map(([kind, count, name]) => make("span", { class: kind }, isolated(name), ` ${grouped(count)}`))),
    make("div", { class: "parts", "aria-hidden": "true" }, bars));
}

// What the filters leave, if that is not all.
function selectionNote() {
  const n = selectedSegments().length;
  return n === data.segments.length ? null : make("p", { class: "note", id: "selection" }, say("Shown for the {0} that the filters leave.", countText(n, "segment")));
}

export function compareTwo() {
  if (!two) return;
  const [a, b] = pairOf();
  [two.a.value, two.b.value] = [a, b];
  const { by, bucket } = document.activeElement?.dataset ?? {};
  document.getElementById("compared").replaceChildren(...(a === b
    ? [make("p", { class: "notice" }, say("Choose two different systems."))]
    : [...(data.systems.length > 2 ? verdict(a, b) : []), sharesOf(a, b), selectionNote(),
      make("div", { class: "side-by-side" }, errorsOfPair(a, b), scatterOf(a, b)), bucketsOf(a, b), ngramsOf(a, b)].filter(Boolean)));
  if (by) document.querySelector(`[data-by="${by}"]`)?.focus();
  if (bucket) document.querySelector(`[data-bucket="${bucket}"]`)?.focus();
}

// Kinds of differences from the reference: both rates, and a bar for A − B with its interval.
function errorsOfPair(a, b) {
  if (!data.errors) return null;
  const { kinds, pairs, rates } = data.errors;
  const figures = kinds.map((kind, k) => {
    const [p, isSignificant, low, high] = pairs[placeOfPair(a, b)][k];
    const both = [a, b].map((system) => rates[system][k][1]);
    return { kind, p, isSignificant, both, mean: both[0] - both[1], ends: a < b ? [low, high] : [-high, -low] };
  }).filter(({ both }) => both[0] || both[1]);
  const widest = Math.max(1e-9, ...figures.map(extentOf));
  const rows = figures.map(({ kind, p, isSignificant, both, ...apart }) => [
    make("button", { type: "button", class: "plain", title: say(ERROR_SENTENCES[kind]), onclick: () => listChosen({ a, b, error: kind }) }, say(ERROR_TITLES[kind])),
    format(both[0], 1), diverging({ ...apart, color: isSignificant ? "strong" : "bar" }, widest, 1), format(both[1], 1), make(isSignificant ? "b" : "span", {}, p.replace(/^= /, ""))]);
  const differences = table(["Kind", "#A", "more in A | more in B", "#B", "#p"], rows, { class: "of-kinds" }, say("Kinds of differences per 1,000 characters of the reference; bold: p < 0.05"));
  [...differences.querySelectorAll("tbody tr")].forEach((row, i) => { row.cells[2].dataset.copy = signed(figures[i].mean, 1); });
  differences.querySelector("th:nth-child(3)").dataset.copy = "A − B";
  for (const cell of differences.querySelectorAll("td:nth-child(3)")) cell.classList.add("drawn");
  return make("div", { class: "errors-of-pair" }, make("h3", {}, say("What they do differently")), differences, tableMenu(differences.querySelector("table")));
}

const pairModes = { reference: "Against the reference", pair: "A against B" };

// What outputs are compared with: the reference, or A and B with each other.
export const modeChoices = () => make("div", { class: "choices", role: "group", "aria-label": say("Compare") },
  Object.entries(pairModes).map(([mode, name]) => make("button", {
    type: "button", "data-against": mode, "aria-pressed": String(state.against === mode), onclick: () => change({ against: mode }),
  }, say(name))));

// Both translations with what each lacks of the reference, or what only one of them says.
export function stackedPair(a, b) {
  const { digits } = metric();
  const heading = make("div", { class: "heading" }, make("h3", {}, [a, b].map((system, i) => [`${i ? " · " : ""}${"AB"[i]}${say(": ")}`, isolated(data.systems[system]),
    ` ${format(score(system, state.segment), digits)}`])), modeChoices());
  return [heading, make("div", { class: "against" }, textLines(state.segment, a, { short: false })),
    state.against === "pair" ? null : diffLegend()].filter(Boolean);
}

// Both translations with the reference between them, token by token, if both are explained.
export function stackedTokens(a, b) {
  const explanations = [a, b].map((system) => isExplained(system, state.segment) && explainedOf(system, state.segment));
  if (state.against === "pair" || !explanations[0] || !explanations[1]) return [];
  const views = explanations[0].against.map((pair, k) => [
    data.references.length > 1 ? make("h4", {}, phrase("Against {0}", isolated(data.references[pair.ref]))) : null,
    versusView([withTexts(pair, a), withTexts(explanations[1].against[k], b)])]);
  return [...views.flat().filter(Boolean),
    make("p", { class: "note" }, say(SAID.FRAMED))];
}

if (two) {
  two.addEventListener("change", () =>
    change({ a: Number(two.a.value), b: Number(two.b.value), sort: "worst", order: "ascending" }, true));
  two.swap.addEventListener("click", () => {
    const [a, b] = pairOf();
    change({ a: b, b: a }, true);
  });
}
