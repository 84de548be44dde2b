// One set of filters: which outputs of which segments are shown. Every view follows it; a view that
// sets a filter itself leaves that one out (`without`), so that its other choices stay in sight.

import { metric } from "./shown-metric.js";
import { data, say } from "./dom.js";
import { EVERY, NONE, boxOf, initial, score, state, title } from "./state.js";
import { rowsWithMark } from "./spans.js";
import { rowsWithTerm } from "./terms.js";
import { rowsWithFinding } from "./markup-findings.js";
import { judgeOf, judgeOrder, judgment } from "./judges.js";
import { rowsWithError } from "./errors.js";
import { bucketOf } from "./buckets.js";
import { pairOf } from "./pair.js";

export const ANY_KIND = "not translations"; // an output of any of the kinds
const COPIED = "copy in a reference"; // which is a translation
const searchTexts = new Map(); // lower-case texts by segment, of systems by number and of what they share

export const rowOf = (segment, system) => segment * data.systems.length + system;
export const systemOf = (row) => row % data.systems.length;
export const segmentOf = (row) => Math.floor(row / data.systems.length);
export const differenceOf = (row) =>
  score(systemOf(row), segmentOf(row)) - score(state.b, segmentOf(row));

// The texts of a segment with their names, in the order in which a search looks at them.
export const textsOf = (segment, systems) => [
  ...systems.map((system) => [data.systems[system], data.hyps[system][segment]]),
  ...data.refs.map((side, i) => [data.refs.length > 1 ? data.references[i] : say("Reference"), side[segment]]),
  ...(data.source ? [[say("Source"), data.source[segment]]] : []),
];

// Whether words are the same in lower case in every text, as Chinese ones are. A lower-case letter may end in a mark.
const isCaseless = (words) => words === words.toUpperCase() && !/\p{M}/u.test(words);

// Returns whether the texts of a row have the words; what was found once is kept, because each view asks.
const matched = { key: "", rows: null, segments: null };
function searchFor(words) {
  const key = `${state.b} ${words}`;
  if (matched.key !== key) Object.assign(matched, { key, rows: new Int8Array(data.segments.length * data.systems.length), segments: new Int8Array(data.segments.length) });
  const { rows, segments } = matched; // 1 if they have the words, -1 if not, 0 if nobody has asked
  const isRaw = isCaseless(words);
  const has = (name, segment, textOf) => {
    if (isRaw) return textOf(segment).includes(words);
    if (!searchTexts.has(name)) searchTexts.set(name, []);
    return (searchTexts.get(name)[segment] ??= textOf(segment).toLowerCase()).includes(words);
  };
  const shared = (segment) => [title(segment), data.source?.[segment] ?? "", ...data.refs.map((side) => side[segment])].join("\n");
  const hasShared = (segment) => (segments[segment] ||= has("shared", segment, shared) ? 1 : -1) > 0;
  const hasOutput = (system, segment) => has(system, segment, () => data.hyps[system][segment]);
  return (row) => {
    const [segment, system] = [segmentOf(row), systemOf(row)];
    if (!rows[row]) rows[row] = hasShared(segment) || hasOutput(system, segment) || (state.b !== NONE && hasOutput(state.b, segment)) ? 1 : -1;
    return rows[row] > 0;
  };
}

// Whether the dot of a segment is in an area; or that of A or of B, if a judge is across.
function isInside([x0, x1, y0, y1], segment) {
  const [a, b] = pairOf();
  const judge = judgeOf(state.axis);
  const holds = (x, y) => x0 <= x && x <= x1 && y0 <= y && y <= y1;
  if (judge) return [a, b].some((system) => holds(judgment(judge, system, segment), score(system, segment)));
  return holds(score(b, segment), score(a, segment));
}

// The outputs of a kind, as sets of places by system; null if there are none.
export function outputsOfKind(kind) {
  const of = (name) => data.kinds[name] ?? [];
  if (!kind || !data.kinds) return null;
  outputsOfKind.sets ??= new Map();
  if (!outputsOfKind.sets.has(kind)) {
    const names = kind === ANY_KIND ? Object.keys(data.kinds).filter((name) => name !== COPIED) : [kind];
    outputsOfKind.sets.set(kind, data.systems.map((_, i) => new Set(names.flatMap((name) => of(name)[i] ?? []))));
  }
  return outputsOfKind.sets.get(kind);
}
export const kindsOf = (system, segment) => Object.keys(data.kinds ?? {}).filter((kind) => data.kinds[kind][system].includes(segment));

export const FILTERS = ["metric", "a", "b", "document", "domain", "error", "kind", "finding", "term", "marked", "min", "max", "least", "search", "bucket", "axis", "box"];
const filtered = new Map(); // the last results; several views ask for the same

// The rows that the filters leave, in the order of the segments.
export function rowsOf(without = []) {
  const chosen = without.length ? { ...state, ...Object.fromEntries(without.map((key) => [key, initial()[key]])) } : state;
  const key = JSON.stringify(FILTERS.map((name) => chosen[name]));
  if (!filtered.has(key)) {
    if (filtered.size >= 24) filtered.clear();
    filtered.set(key, filterRows(chosen));
  }
  return filtered.get(key);
}

function filterRows(chosen) {
  const number = (text, fallback) => (text === "" || isNaN(text) ? fallback : Number(text));
  const [min, max] = [number(chosen.min, -Infinity), number(chosen.max, Infinity)];
  const least = state.b === NONE ? 0 : number(chosen.least, 0);
  const words = chosen.search.toLowerCase();
  const matches = words ? searchFor(words) : null;
  const [bucketKind, bucket] = chosen.bucket.split(":");
  const box = boxOf(chosen.box);
  const flagged = outputsOfKind(chosen.kind);
  const wanted = [rowsWithMark(chosen.marked), rowsWithTerm(chosen.term), rowsWithError(chosen.error), rowsWithFinding(chosen.finding)].filter(Boolean);
  const systems = chosen.a === EVERY ? data.systems.map((_, i) => i).filter((i) => i !== state.b) : [chosen.a];
  const n = data.systems.length;
  const rows = [];
  for (let segment = 0; segment < data.segments.length; segment++) {
    if (chosen.document !== NONE && data.segments[segment] !== chosen.document) continue;
    if (chosen.domain !== NONE && data.buckets.domain[1][segment] !== chosen.domain) continue;
    if (bucketKind && bucketOf(bucketKind, segment, pairOf()) !== Number(bucket)) continue;
    if (box && !isInside(box, segment)) continue;
    for (const system of systems) {
      const value = score(system, segment);
      const row = segment * n + system;
      if (value < min || value > max) continue;
      if (flagged && !flagged[system].has(segment) && !(state.b >= 0 && flagged[state.b].has(segment))) continue;
      if (wanted.some((among) => !among.has(row) && !(state.b >= 0 && among.has(segment * n + state.b)))) continue;
      if (least && Math.abs(differenceOf(row)) < least) continue;
      if (matches && !matches(row)) continue;
      rows.push(row);
    }
  }
  return rows;
}

// The segments of which a row is left.
const segmentsOfRows = new WeakMap(); // sets, because several views ask for the same
export function selectedSet(...without) {
  const rows = rowsOf(without);
  if (!segmentsOfRows.has(rows)) {
    const segments = new Set();
    for (const row of rows) segments.add(segmentOf(row));
    segmentsOfRows.set(rows, segments);
  }
  return segmentsOfRows.get(rows);
}
export const selectedSegments = (...without) => [...selectedSet(...without)];

// The order of the list: the one that was chosen, or the worst first, or those most different.
export function order() {
  if (state.sort !== "worst") return [state.sort, state.order];
  return state.b === NONE ? ["score", metric().higher ? "ascending" : "descending"] : ["apart", "descending"];
}

export function sorted(unsorted) {
  const rows = [...unsorted];
  const [sort, direction] = order();
  const by = {
    segment: null,
    score: (row) => score(systemOf(row), segmentOf(row)),
    other: state.b === NONE ? null : (row) => score(state.b, segmentOf(row)),
    difference: state.b === NONE ? null : differenceOf,
    apart: state.b === NONE ? null : (row) => Math.abs(differenceOf(row)),
  }[sort] ?? judgeOrder(sort);
  const sign = direction === "descending" ? -1 : 1;
  if (!by) return sign < 0 ? rows.reverse() : rows;
  // What is not known is last.
  return orderedBy(rows, (row) => (Number.isNaN(by(row)) ? Infinity : sign * by(row)));
}

// Rows by their values, equal ones as they were: values are sorted without a function that compares
// two of them, which is faster, and then have the places of their rows.
function orderedBy(rows, valueOf) {
  const values = Float64Array.from(rows, valueOf);
  const sortedValues = values.toSorted();
  const places = new Map(); // by value: the next free place
  sortedValues.forEach((value, place) => { if (place === 0 || value !== sortedValues[place - 1]) places.set(value, place); });
  const ordered = new Array(rows.length);
  rows.forEach((row, i) => {
    const place = places.get(values[i]);
    ordered[place] = row;
    places.set(values[i], place + 1);
  });
  return ordered;
}
