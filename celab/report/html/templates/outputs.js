// Outputs have numbers: those of a segment, one for each system, then those of the next.

import { data } from "./dom.js";

export const nSegments = data.segments.length ?? data.n_segments;
export const rowOf = (segment, system) => segment * data.systems.length + system;
export const systemOf = (row) => row % data.systems.length;
export const segmentOf = (row) => Math.floor(row / data.systems.length);
// The name of a segment, which all outputs of celab call it by: its id, or its number.
export const nameOf = (segment) => data.names?.[segment] ?? String(segment + 1);
export const title = (segment) => data.documents[data.segments[segment]];
// Names of documents begin alike; in a narrow column their ends tell them apart.
export const shortTitle = (segment) => (title(segment).length > 12 ? `…${title(segment).slice(-9)}` : title(segment));
// The reference that an output is compared with in the list: the first that the segment has.
export const refOf = (segment, k = 0) => data.refs[k]?.[segment] || (data.refs.find((side) => side[segment]?.trim())?.[segment] ?? "");

// Letters and digits of a reference outside addresses, users and topics, which are copied rather than translated.
const COPIED_WORDS = /(?:https?:|www\.|[@#])[^\s，。！？、]*/gu;
const letterCounts = new Map();
export const MIN_LETTERS = 10; // of a reference that a score says something about
export const SLIGHT = 0.001; // what shorter ones count in an order: less than all others, more than nothing
export function lettersOf(segment) {
  if (!letterCounts.has(segment)) letterCounts.set(segment, (refOf(segment).replace(COPIED_WORDS, "").match(/[\p{L}\p{N}]/gu) ?? []).length);
  return letterCounts.get(segment);
}
