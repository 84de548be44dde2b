// The order of the list.

import { metric } from "./shown-metric.js";
import { MIN_LETTERS, SLIGHT, lettersOf, segmentOf, systemOf } from "./outputs.js";
import { NONE, state } from "./state.js";
import { score } from "./explained.js";
import { differenceOf } from "./report-view.js";
import { judgeOrder } from "./judges.js";
import { kindsOfOutput } from "./findings.js";
import { scale } from "./rows.js";

// The one that was chosen, or what lost most first, or those most different.
export function order() {
  if (state.sort !== "worst") return [state.sort, state.order];
  return state.b === NONE ? ["lost", "descending"] : ["apart", "descending"];
}

// What the metric took from an output: the share that it lost, of so many letters of the reference. References of a few
// letters say little, and outputs that look broken have a filter of their own: both are last.
function lostOf(row) {
  const letters = lettersOf(segmentOf(row));
  const value = score(systemOf(row), segmentOf(row)) / scale();
  const lost = (metric().higher ? 1 - value : value) * letters;
  return lost * (kindsOfOutput(row).length ? SLIGHT ** 2 : letters < MIN_LETTERS ? SLIGHT : 1);
}

export function sorted(unsorted) {
  const rows = [...unsorted];
  const [sort, direction] = order();
  const by = {
    segment: null,
    lost: lostOf,
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
