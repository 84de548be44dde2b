// Other judges, such as COMET and people: their scores beside those of the metric, and where they
// disagree with it.

import { metric } from "./shown-metric.js";
import { format } from "./figures.js";
import { data, isolated, make, say } from "./dom.js";
import { MIN_LETTERS, SLIGHT, lettersOf, refOf, segmentOf, systemOf } from "./outputs.js";
import { NONE, change, state } from "./state.js";
import { score } from "./explained.js";
import { fillSelect } from "./facets.js";
import { filters } from "./controls.js";

// People have a name in the language of the page: in sentences, and as a heading.
const namedJudge = (judge) => Object.defineProperties({ ...judge }, {
  name: { get: () => (judge.key === "human" ? say("people") : judge.name) },
  heading: { get: () => (judge.key === "human" ? say("People") : judge.name) },
});
// A text with the name of a judge; Chinese has no spaces around a Chinese name.
const sayOfJudge = (text, ...names) => say(text, ...names).replace(/(?<=\p{Script=Han}) (?=\p{Script=Han})/gu, "");
export const judges = (data.judges ?? []).map(namedJudge);
export const listedJudges = judges.filter(({ scores }) => scores.some(Boolean)).slice(0, 4); // more have no room
export const judgeOf = (key) => listedJudges.find((judge) => judge.key === key) ?? null;
export const judgment = (judge, system, segment) => judge.scores[system]?.[segment] ?? NaN;
const byJudge = /^(judge|disagree|above|below):(.*)$/s; // orders of the list

// The places of outputs from 0, the worst, to 1, the best; equal ones share the mean of theirs.
function placesAmong(rows, valueOf, higher) {
  const places = new Float64Array(data.segments.length * data.systems.length).fill(NaN);
  const ordered = [...rows].sort((x, y) => (valueOf(x) - valueOf(y)) * (higher ? 1 : -1));
  for (let start = 0, stop; start < ordered.length; start = stop) {
    for (stop = start + 1; stop < ordered.length && valueOf(ordered[stop]) === valueOf(ordered[start]);) stop++;
    for (let i = start; i < stop; i++) places[ordered[i]] = (start + stop - 1) / 2 / Math.max(1, ordered.length - 1);
  }
  return places;
}

// Scales differ, so places among all outputs that both have scored are compared.
function placesOfBoth(judge) {
  judge.places ??= new Map();
  if (!judge.places.has(state.metric)) {
    const values = (row) => judgment(judge, systemOf(row), segmentOf(row));
    const rows = Array.from({ length: data.segments.length * data.systems.length }, (_, row) => row).filter((row) => !Number.isNaN(values(row)));
    judge.places.set(state.metric, [
      placesAmong(rows, (row) => score(systemOf(row), segmentOf(row)), metric().higher), placesAmong(rows, values, judge.higher)]);
  }
  return judge.places.get(state.metric);
}

// How much metric and judge disagree on an output, or on the order of A and B; as
// `celab.people.disagreement` defines it.
function disagreementOf(judge, row) {
  const [own, theirs] = placesOfBoth(judge);
  if (state.b === NONE) return Math.abs(own[row] - theirs[row]);
  const other = segmentOf(row) * data.systems.length + state.b;
  const [d, e] = [own[row] - own[other], theirs[row] - theirs[other]];
  return d * e < 0 ? Math.abs(d) + Math.abs(e) : Number.isNaN(d) ? NaN : 0;
}

// The value by which a judge orders the list, or null.
export function judgeOrder(sort) {
  const [, what, key] = byJudge.exec(sort) ?? [];
  const judge = key === undefined ? null : judgeOf(key);
  if (!judge) return null;
  if (what === "judge") return (row) => judgment(judge, systemOf(row), segmentOf(row));
  // Outputs that are the reference itself, and references of a few letters, say little of the metric, and are last.
  const slight = (row) => (lettersOf(segmentOf(row)) < MIN_LETTERS ? SLIGHT : 1);
  const isEqual = (row) => data.hyps[systemOf(row)][segmentOf(row)] === refOf(segmentOf(row));
  if (what === "disagree") return (row) => (state.b === NONE && isEqual(row) ? NaN : disagreementOf(judge, row) * slight(row));
  const [own, theirs] = placesOfBoth(judge);
  return (row) => (isEqual(row) ? NaN : (own[row] - theirs[row]) * (what === "above" ? 1 : -1) * slight(row));
}

export const judgeText = (judge, system, segment) => format(judgment(judge, system, segment), judge.digits);

// A judge in the list: its score, or those of A and B.
export function judgeCell(judge, segment, system) {
  const systems = state.b === NONE ? [system] : [system, state.b];
  return make("div", { role: "gridcell", class: "c-judge" }, make("small", { class: "judge-name" }, isolated(judge.heading), " "),
    systems.map((i, side) => make("span", {}, systems.length > 1 ? make("small", {}, "AB"[side], " ") : null, judgeText(judge, i, segment))));
}

// The judges of the segment that is read.
export const judgmentsLine = () => (listedJudges.length ? make("p", { class: "judgments" }, listedJudges.map((judge) =>
  make("span", {}, isolated(judge.heading), " ", make("b", {}, judgeText(judge, state.system, state.segment))))) : null);

// The orders of the list: [value, name].
function orders() {
  const two = state.b !== NONE;
  return [
    ["worst", two ? say("most different first") : say("most lost first")],
    ["segment", say("running order")],
    ["score", say("by score")],
    ...(two ? [["other", say("by score of B")], ["difference", say("by A − B")], ["apart", say("by size of A − B")]] : []),
    ...listedJudges.flatMap(({ key, name }) => [
      [`disagree:${key}`, sayOfJudge("most disagreement with {0}", name)],
      ...(two ? [] : [[`above:${key}`, sayOfJudge("{0} high, {1} low", metric().name, name)], [`below:${key}`, sayOfJudge("{0} low, {1} high", metric().name, name)]]),
      [`judge:${key}`, sayOfJudge("by {0}", name)]]),
  ];
}

export function fillOrders() {
  fillSelect(filters.sort, orders(), state.sort);
  filters.sort.title = listedJudges.length ? say("Disagreement: the distance between the places of an output among all outputs, by the metric and by the judge. Outputs that equal the reference, and references of less than {0} letters, are last.", MIN_LETTERS) : "";
}

export const firstDirection = (sort) => (/^(disagree:|above:|below:|apart$)/.test(sort) ? "descending" : "ascending");

// The button of the list that orders it by disagreement: where the metric is high and the judge is low first, then the other way
// round. Of two systems, there is no such direction.
export function turnedOrder(key) {
  const way = state.sort === `above:${key}` ? "below" : "above";
  const next = `${state.b === NONE ? way : "disagree"}:${key}`;
  return { sort: next, order: next === state.sort && state.order === "descending" ? "ascending" : "descending" };
}

// The scores of A and B by each judge, and p.
export function judgedPair(a, b, placeOfPair) {
  return judges.filter(({ systems }) => systems[a] !== null && systems[b] !== null).map((judge) => {
    const figures = [judge.name, ...[a, b].map((system) => format(judge.systems[system], judge.digits))];
    const p = judge.pairs[placeOfPair];
    return p === null ? sayOfJudge("{0}: {1} {2}, {3} {4}", figures[0], "A", figures[1], "B", figures[2]) : sayOfJudge("{0}: {1} {2}, {3} {4}, p {5}", figures[0], "A", figures[1], "B", figures[2], p);
  });
}

// What the scatter has across: B, or a judge.
export const axisChoices = () => (listedJudges.length ? make("div", { class: "choices", role: "group", "aria-label": say("Across") },
  [["", say("A against B")], ...listedJudges.map(({ key, name }) => [key, sayOfJudge("against {0}", name)])].map(([key, name]) => make("button", {
    type: "button", "data-axis": key, "aria-pressed": String(state.axis === key), onclick: () => change({ axis: key }),
  }, name))) : null);
