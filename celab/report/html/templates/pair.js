// Two systems: how they compare, the score of every segment, buckets, and what only one matches.

import { ERROR_TITLES } from "./constants.js";
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
import { bucketsOf } from "./buckets.js";
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
  const [apart, low, high, p, significant, wins, ties] = metric().pairs[placeOfPair(a, b)];
  const losses = data.segments.length - wins - ties;
  const interval = low === null ? null : [low, high];
  return a < b ? { apart, interval, p, significant, wins, ties, losses }
    : { apart: -apart, interval: interval && [-high, -low], p, significant, wins: losses, ties, losses: wins };
}

export const gain = (a, b, segment) => (score(a, segment) - score(b, segment)) * (metric().higher ? 1 : -1);

function verdict(a, b) {
  const { digits, name, higher, too_few: tooFew } = metric();
  const { apart, interval, p, significant, wins, ties, losses } = figuresOf(a, b);
  const [first, second] = (apart > 0) === higher ? [a, b] : [b, a];
  const chance = `p ${p}`;
  const evidence = interval === null ? chance
    : say("{0}, {1}", say("{0} interval {1} to {2}", "95%", ...interval.map((end) => signed(end, digits))), chance);
  return [
    make("p", { class: "verdict" }, tooFew
      ? say("Fewer than {0} segments, no verdict by {1}: A − B = {2} ({3}).", `${data.fewest}`, name, signed(apart, digits), evidence)
      : significant && apart !== 0
      ? phrase(higher ? "{0} scores significantly higher than {1} by {2}: A − B = {3} ({4})." : "{0} scores significantly lower than {1} by {2}: A − B = {3} ({4}).",
        ...[first, second].map((system) => make("b", {}, isolated(data.systems[system]))), name, signed(apart, digits), evidence)
      : say("No significant difference by {0}: A − B = {1} ({2}).", name, signed(apart, digits), evidence)),
    ...judgedPair(a, b, placeOfPair(a, b)),
    sharesOf(wins, ties, losses),
  ];
}

// Wins, ties and losses as parts of one bar, whose widths are exact: the labels are above it.
function sharesOf(wins, ties, losses) {
  const total = wins + ties + losses;
  const parts = [
    ["wins", wins, "A scores better: {0}"], ["ties", ties, "equal: {0}"], ["losses", losses, "B scores better: {0}"],
  ].filter(([, count]) => count);
  const bars = parts.map(([kind, count]) => {
    const part = make("i", { class: kind });
    part.style.width = `${(100 * count) / total}%`;
    return part;
  });
  return make("div", { class: "shares" },
    make("p", {}, parts.map(([kind, count, text]) => make("span", { class: kind }, say(text, grouped(count))))),
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
    : [...verdict(a, b), selectionNote(), make("div", { class: "side-by-side" }, scatterOf(a, b), bucketsOf(a, b)),
      errorsOfPair(a, b), metric().explained ? ngramsOf(a, b) : null].filter(Boolean)));
  if (by) document.querySelector(`[data-by="${by}"]`)?.focus();
  if (bucket) document.querySelector(`[data-bucket="${bucket}"]`)?.focus();
}

// Rates of kinds of differences, with the p-value of their difference.
function errorsOfPair(a, b) {
  if (!data.errors) return null;
  const { kinds, pairs, rates } = data.errors;
  const rows = kinds.map((kind, k) => {
    const [p, isSignificant] = pairs[placeOfPair(a, b)][k];
    const [rateOfA, rateOfB] = [a, b].map((system) => rates[system][k][1]);
    const list = make("button", { type: "button", class: "plain", onclick: () => listChosen({ a, b, error: kind }) }, say(ERROR_TITLES[kind]));
    return [list, format(rateOfA, 1), format(rateOfB, 1),
      make(isSignificant ? "b" : "span", {}, signed(rateOfA - rateOfB, 1)), make(isSignificant ? "b" : "span", {}, p.replace(/^= /, ""))];
  });
  return make("details", { class: "errors-of-pair" }, make("summary", {}, say("Kinds of differences")),
    table(["Kind", "#A", "#B", "#A − B", "#p"], rows, {}, say("Per 1,000 characters of the reference; bold: p < 0.05")));
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
    make("p", { class: "note" }, say("Framed: what only one of the two translations matched. A letter names the translation that misses it."))];
}

if (two) {
  two.addEventListener("change", () =>
    change({ a: Number(two.a.value), b: Number(two.b.value), sort: "worst", order: "ascending" }, true));
  two.swap.addEventListener("click", () => {
    const [a, b] = pairOf();
    change({ a: b, b: a }, true);
  });
}
