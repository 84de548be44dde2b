// Kinds of differences from the reference: a filter, the table of systems by kinds, and two systems.

import { ERROR_TITLES } from "./constants.js";
import { format, signed } from "./figures.js";
import { data, make, say, table } from "./dom.js";
import { initial, state } from "./state.js";
import { rowsOf, segmentOf, systemOf } from "./filters.js";
import { listChosen } from "./chips.js";
import { fillFacet } from "./facets.js";
import { filters } from "./main.js";

// ERROR_TITLES, by kind, come from celab/report/html/error_table.py.
export const errorKinds = data.errors?.kinds ?? [];

// The kinds of each output, as bits; two hexadecimal digits a segment.
const errorBits = (data.errors?.outputs ?? []).map((text) => Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16)));

// A filter: the rows with a kind, as something that has `has`; null if there is none.
export function rowsWithError(kind) {
  const bit = 1 << errorKinds.indexOf(kind);
  return kind ? { has: (row) => Boolean(errorBits[systemOf(row)][segmentOf(row)] & bit) } : null;
}

export function fillErrors() {
  if (!filters.error) return;
  const sizes = new Map(); // how many rows have the same kinds
  for (const row of rowsOf(["error"])) {
    const segment = segmentOf(row);
    const bits = errorBits[systemOf(row)][segment] | (state.b >= 0 ? errorBits[state.b][segment] : 0);
    sizes.set(bits, (sizes.get(bits) ?? 0) + 1);
  }
  const count = (kind) => [...sizes].reduce((sum, [bits, size]) => sum + (bits & (1 << errorKinds.indexOf(kind)) ? size : 0), 0);
  fillFacet(filters.error, [["", say("all outputs")], ...errorKinds.map((kind) => [kind, say(ERROR_TITLES[kind]), count(kind)])]);
  filters.error.value = state.error;
}

// A rate lists the outputs that have such a difference.
for (const cell of document.querySelectorAll("#kinds-of-errors [data-error]")) {
  const text = cell.querySelector("span");
  const system = Number(cell.parentElement.dataset.system);
  if (!Number(cell.dataset.copy)) continue;
  text.replaceWith(make("button", { type: "button", class: "plain" , onclick: () => listChosen({
    ...initial(), language: state.language, metric: state.metric, a: data.systems.length > 1 ? system : 0, error: cell.dataset.error }) }, text.textContent));
}

// A count of people's category lists its outputs.
for (const cell of document.querySelectorAll("#categories-of-people [data-category]")) {
  const text = cell.querySelector("span");
  if (text.textContent === "0") continue;
  text.replaceWith(make("button", { type: "button", class: "plain", onclick: () => listChosen({ ...initial(), language: state.language, metric: state.metric,
    a: data.systems.length > 1 ? Number(cell.parentElement.dataset.system) : 0, marked: `category:${cell.dataset.category}` }) }, text.textContent));
}

// Rates of two systems, with the p-value of their difference.
export function errorsOfPair(a, b) {
  if (!errorKinds.length) return null;
  const n = data.systems.length;
  const [i, j] = a < b ? [a, b] : [b, a];
  const tests = data.errors.pairs[(i * (2 * n - i - 1)) / 2 + j - i - 1];
  const rate = (system, k) => data.errors.rates[system][k][1];
  const rows = errorKinds.map((kind, k) => {
    const [p, isSignificant] = tests[k];
    const list = make("button", { type: "button", class: "plain", onclick: () => listChosen({ a, b, error: kind }) }, say(ERROR_TITLES[kind]));
    return [list, ...[a, b].map((system) => format(rate(system, k), 1)),
      make(isSignificant ? "b" : "span", {}, signed(rate(a, k) - rate(b, k), 1)), make(isSignificant ? "b" : "span", {}, p.replace(/^= /, ""))];
  });
  return make("details", { class: "errors-of-pair" }, make("summary", {}, say("Kinds of differences")),
    table(["Kind", "#A", "#B", "#A − B", "#p"], rows, {}, say("Per 1,000 characters of the reference; bold: p < 0.05")));
}
