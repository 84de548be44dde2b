// One set of filters: which outputs are shown. Every view follows it; a view that sets a filter itself
// leaves that one out (`without`), so that its other choices stay in sight.

import { data, say } from "./dom.js";
import { nSegments, segmentOf, systemOf, title } from "./outputs.js";
import { initial, state } from "./state.js";
import { FACETS, outputsOf } from "./findings.js";
import { FILTERS, filterRows } from "./report-view.js";

// The texts of a segment with their names, in the order in which a search looks at them.
export const textsOf = (segment, systems) => [
  ...systems.map((system) => [data.systems[system], data.hyps[system][segment]]),
  ...data.refs.map((side, i) => [data.refs.length > 1 ? data.references[i] : say("Reference"), side[segment]]),
  ...(data.source ? [[say("Source"), data.source[segment]]] : []),
];

// Whether words are the same in lower case in every text, as Chinese ones are. A lower-case letter may end in a mark.
const isCaseless = (words) => words === words.toUpperCase() && !/\p{M}/u.test(words);

// Returns whether the texts of a row have the words; what was found once is kept, because each view asks.
const searchTexts = new Map(); // lower-case texts by segment, of systems by number and of what they share
const matched = { key: "", rows: null, segments: null };
function searchFor(words) {
  const key = `${state.b} ${words}`;
  if (matched.key !== key) Object.assign(matched, { key, rows: new Int8Array(nSegments * data.systems.length), segments: new Int8Array(nSegments) });
  const { rows, segments } = matched; // 1 if they have the words, -1 if not, 0 if nobody has asked
  const isRaw = isCaseless(words);
  const has = (name, segment, textOf) => {
    if (isRaw) return textOf(segment).includes(words);
    if (!searchTexts.has(name)) searchTexts.set(name, []);
    return (searchTexts.get(name)[segment] ??= textOf(segment).toLowerCase()).includes(words);
  };
  const shared = (segment) => [data.names?.[segment] ?? "", title(segment), data.source?.[segment] ?? "", ...data.refs.map((side) => side[segment])].join("\n");
  const hasShared = (segment) => (segments[segment] ||= has("shared", segment, shared) ? 1 : -1) > 0;
  const hasOutput = (system, segment) => has(system, segment, () => data.hyps[system][segment] ?? "");
  return (row) => {
    const [segment, system] = [segmentOf(row), systemOf(row)];
    if (!rows[row]) rows[row] = hasShared(segment) || hasOutput(system, segment) || (state.b >= 0 && hasOutput(state.b, segment)) ? 1 : -1;
    return rows[row] > 0;
  };
}

// Whether a finding is true of an output, or of that of B, with which it is compared.
const isAmong = (outputs, row) => Boolean(outputs[row] || (state.b >= 0 && outputs[row - systemOf(row) + state.b]));

// Returns whether findings and texts leave a row.
export function isLeftBy(chosen) {
  const among = FACETS.filter(({ key }) => chosen[key]).map((facet) => outputsOf(facet, chosen[facet.key]));
  const matches = chosen.search ? searchFor(chosen.search.toLowerCase()) : () => true;
  return (row) => among.every((outputs) => isAmong(outputs, row)) && matches(row);
}

const filtered = new Map(); // the last results; several views ask for the same

// The rows that the filters leave, in the order of the segments.
export function rowsOf(without = []) {
  const chosen = without.length ? { ...state, ...Object.fromEntries(without.map((name) => [name, initial()[name]])) } : state;
  const key = JSON.stringify(FILTERS.map((name) => chosen[name]));
  if (!filtered.has(key)) {
    if (filtered.size >= 24) filtered.clear();
    filtered.set(key, filterRows(chosen));
  }
  return filtered.get(key);
}

// How many outputs of a choice the other filters leave.
export function countOutputs(facet, value) {
  const { count } = facet.choices.get(value);
  if (count) return count();
  const outputs = outputsOf(facet, value);
  return rowsOf([facet.key, "segment"]).reduce((n, row) => n + isAmong(outputs, row), 0);
}

// The segments of which a row is left.
const segmentsOfRows = new WeakMap(); // sets, because several views ask for the same
export function selectedSet(...without) {
  const rows = rowsOf(without);
  if (!segmentsOfRows.has(rows)) segmentsOfRows.set(rows, new Set(Array.from(rows, segmentOf)));
  return segmentsOfRows.get(rows);
}
export const selectedSegments = (...without) => [...selectedSet(...without)];
