// A page without scores: the outputs that are listed, one set of filters, and the view in the URL. The
// scripts of terms and findings, which the report has, too, find here what they ask of it.

import { data } from "./dom.js";
import { LANGUAGES } from "./saying.js";
import { glossary, isTerm } from "./terms.js";
import { findingsOfRow, isFinding, rowsWithFinding } from "./markup-findings.js";
import { showPage } from "./unscored.js";

export const EVERY = -1; // system: all are listed
const NONE = -2;
export const ANY_KIND = "not translations"; // an output of any of the kinds
const NO_VERDICT = ["number-lost", "address-damaged", "copy in a reference"]; // such an output may be a translation

export const state = {};
export const initial = () => ({
  language: data.language, // of the page
  a: data.systems.length > 1 ? EVERY : 0,
  b: NONE, // nothing is compared
  kind: "",
  finding: "",
  term: "", // number of a term of the glossary, "3:missed" if its misses
  use: "", // what stands in the place of a missed term
  search: "",
  segment: null, // index, if only this segment is shown
  system: null,
});

export const systemOf = (row) => row % data.systems.length;
export const segmentOf = (row) => Math.floor(row / data.systems.length);
export const rowOf = (segment, system) => segment * data.systems.length + system;
export const nameOf = (segment) => data.names[segment];
export const refOf = (segment) => data.refs.map((side) => side[segment]).find(Boolean) ?? "";

// ---- what is listed -----------------------------------------------------------------------------

export const rowsOfKind = new Map();
for (const [kind, places] of Object.entries(data.kinds ?? {}))
  rowsOfKind.set(kind, new Set(places.flatMap((segments, system) => segments.map((segment) => rowOf(segment, system)))));
export const kindsWithVerdict = [...rowsOfKind.keys()].filter((kind) => !NO_VERDICT.includes(kind));
if (kindsWithVerdict.length) rowsOfKind.set(ANY_KIND, new Set(kindsWithVerdict.flatMap((kind) => [...rowsOfKind.get(kind)])));
export const kindsOf = (row) => Object.keys(data.kinds ?? {}).filter((kind) => rowsOfKind.get(kind).has(row));

export const missesOfRow = new Map();
for (const [system, segment, term, found, instead, isForbidden] of data.misses ?? []) {
  const row = rowOf(segment, system);
  missesOfRow.set(row, [...(missesOfRow.get(row) ?? []), { term, found, instead, use: isForbidden ? "forbidden" : instead === null ? "nothing" : instead === glossary[term][0] ? "untranslated" : "other" }]);
}
export const USES = { forbidden: "a forbidden term", untranslated: "the source term", other: "other text", nothing: "nothing known" };

// Copies in references are many and no fault of an output: they are listed only if they are asked for.
const COPIED_ROWS = rowsOfKind.get("copy in a reference") ?? new Set();
const sortedRows = (rows) => [...new Set(rows)].sort((x, y) => x - y);
export const copiedRows = sortedRows(COPIED_ROWS);
const remarkableRows = sortedRows([
  ...[...rowsOfKind].filter(([kind]) => kind !== "copy in a reference").flatMap(([, rows]) => [...rows]),
  ...findingsOfRow.keys(), ...missesOfRow.keys()]);

export const missesTerm = (value) => {
  const number = Number(value.split(":")[0]);
  return { has: (row) => (missesOfRow.get(row) ?? []).some(({ term }) => term === number) };
};
export const hasUse = (value) => ({ has: (row) => (missesOfRow.get(row) ?? []).some(({ use }) => use === value) });

const searched = new Map(); // lower-case texts
function matchesSearch(row, words) {
  const [segment, system] = [segmentOf(row), systemOf(row)];
  if (!searched.has(row)) {
    const texts = [nameOf(segment), data.documents[segment], data.source?.[segment] ?? "", ...data.refs.map((side) => side[segment]), data.hyps[system][segment]];
    searched.set(row, texts.join("\n").toLowerCase());
  }
  return searched.get(row).includes(words.toLowerCase());
}

// The rows that the filters leave, in the order of the segments; `without` are filters that are left out.
export function rowsOf(without = []) {
  const chosen = { ...state, ...Object.fromEntries(without.map((key) => [key, initial()[key]])) };
  if (chosen.segment !== null) return [rowOf(chosen.segment, chosen.system)];
  const rows = chosen.kind === "copy in a reference" || !remarkableRows.length ? copiedRows : remarkableRows;
  const wanted = [chosen.kind && rowsOfKind.get(chosen.kind), rowsWithFinding(chosen.finding),
    chosen.term && missesTerm(chosen.term), chosen.use && hasUse(chosen.use)].filter(Boolean);
  return rows.filter((row) => (chosen.a === EVERY || systemOf(row) === chosen.a)
    && wanted.every((set) => set.has(row)) && (!chosen.search || matchesSearch(row, chosen.search)));
}

// The segments whose terms are shown in their context: all, also those that no system misses.
export function selectedSet() {
  const segments = Object.keys(data.names).map(Number);
  return new Set(state.search ? segments.filter((segment) => matchesSearch(rowOf(segment, 0), state.search)) : segments);
}

// ---- the URL ------------------------------------------------------------------------------------

const KNOWN = {
  kind: (value) => rowsOfKind.has(value),
  finding: (value) => isFinding(value),
  term: (value) => isTerm(value),
  use: (value) => value in USES,
  search: () => true,
};

export function readUrl(text = location.hash.slice(1)) {
  const parameters = new URLSearchParams(text);
  Object.assign(state, initial());
  if (parameters.get("page") in LANGUAGES) state.language = parameters.get("page");
  for (const [key, isKnown] of Object.entries(KNOWN)) {
    const value = parameters.get(key);
    if (value && isKnown(value)) state[key] = value;
  }
  const a = data.systems.indexOf(parameters.get("a"));
  if (a >= 0) state.a = a;
  const [segment, system] = [Number(parameters.get("segment")) - 1, data.systems.indexOf(parameters.get("system"))];
  if (data.hyps[Math.max(system, 0)][segment] !== undefined) Object.assign(state, { segment, system: Math.max(system, 0) });
}

export function fragment() {
  const defaults = initial();
  const parameters = new URLSearchParams();
  if (state.language !== defaults.language) parameters.set("page", state.language);
  if (state.a !== defaults.a) parameters.set("a", data.systems[state.a]);
  for (const key of Object.keys(KNOWN)) if (state[key]) parameters.set(key, state[key]);
  if (state.segment !== null) {
    parameters.set("segment", state.segment + 1);
    parameters.set("system", data.systems[state.system]);
  }
  return `#${parameters}`;
}

// A step, such as a choice in a table, is an entry of the history, so that Back undoes it.
export function change(changes, step = false) {
  const known = Object.fromEntries(Object.entries(changes).filter(([key]) => key in initial()));
  Object.assign(state, "segment" in known ? {} : { segment: null, system: null }, known);
  const after = fragment();
  if ((location.hash || "#") !== after) history[step ? "pushState" : "replaceState"](null, "", after);
  showPage();
  if (known.segment !== undefined && known.segment !== null) showListing();
}

// Lists what was chosen elsewhere in the page, and moves there.
export function listChosen(changes) {
  change({ segment: null, system: null, ...changes }, true);
  showListing();
}
function showListing() {
  const heading = document.getElementById("listing-heading");
  heading?.scrollIntoView();
  heading?.focus({ preventScroll: true });
}
