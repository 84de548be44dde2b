// The view of a page without scores: its parameters, and the outputs that are listed.

import { data, say } from "./dom.js";
import { nameOf, rowOf, systemOf } from "./outputs.js";
import { EVERY, facetParameters, nameParameter, state, textParameter } from "./state.js";
import { FACETS, allFindings, faultyRows } from "./findings.js";
import { isLeftBy } from "./filters.js";
import { leadTo } from "./parts.js";

export const PARAMETERS = () => ({
  a: { ...nameParameter(data.systems, data.systems.length > 1 ? EVERY : 0), chip: (a) => [say("System"), data.systems[a]] },
  ...facetParameters(),
  search: { ...textParameter(), chip: (search) => [say("Search"), search] },
  segment: { chip: (segment) => [say("Segment {0}", nameOf(segment)), data.systems[state.system], { segment: null, system: null }] },
});
export const KEPT_BY_RESET = [];
export const FILTERS = ["a", ...FACETS.map(({ key }) => key), "search", "segment", "system"];

// Any other change lists more than one output again.
export const adjusted = (changes) => ({ segment: null, system: null, ...changes });

const inOrder = (rows) => [...new Set(rows)].sort((x, y) => x - y);
// Copies in references are many and no fault of an output: they are listed only if they are asked for.
const COPIED = "reference-copy";
const copiedRows = inOrder(allFindings("references").map(({ row }) => row));
const remarkableRows = inOrder(faultyRows());
const copies = FACETS.find(({ key }) => key === "kind")?.choices.get(COPIED);
if (copies) copies.count = () => copiedRows.length;

export function filterRows(chosen) {
  if (chosen.segment !== null) return [rowOf(chosen.segment, chosen.system)];
  const isLeft = isLeftBy(chosen);
  return (chosen.kind === COPIED || !remarkableRows.length ? copiedRows : remarkableRows)
    .filter((row) => (chosen.a === EVERY || systemOf(row) === chosen.a) && isLeft(row));
}

// The segments whose terms are shown in their context: all, also those that no system misses.
export function segmentsInSight() {
  const isLeft = isLeftBy({ search: state.search });
  return new Set(Object.keys(data.names).map(Number).filter((segment) => isLeft(rowOf(segment, 0))));
}

export function showListing() {
  leadTo(document.getElementById("listing-heading"));
}
