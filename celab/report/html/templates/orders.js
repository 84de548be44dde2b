// The order of the list.

import { metric } from "./shown-metric.js";
import { refOf, segmentOf, systemOf } from "./outputs.js";
import { NONE, state } from "./state.js";
import { score } from "./explained.js";
import { differenceOf } from "./report-view.js";
import { judgeOrder } from "./judges.js";

// The one that was chosen, or the worst first, or those most different.
export function order() {
  if (state.sort !== "worst") return [state.sort, state.order];
  return state.b === NONE ? ["score", metric().higher ? "ascending" : "descending"] : ["apart", "descending"];
}

// Of an address, a number, signs or one character, a score says little: such segments are last among the worst.
const ADDRESS = /(?:https?:|www\.|[@#])\S*/gu;
const slight = new Map();
function isSlight(segment) {
  if (!slight.has(segment)) slight.set(segment, (refOf(segment).replace(ADDRESS, "").match(/\p{L}/gu) ?? []).length < 2);
  return slight.get(segment);
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
  if (state.sort === "worst" && state.b === NONE) return orderedBy(rows, (row) => (isSlight(segmentOf(row)) ? Infinity : sign * by(row)));
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
