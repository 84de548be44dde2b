// The filters of the list as selections, each choice with how many outputs the other filters leave of it.

import { metric } from "./shown-metric.js";
import { grouped } from "./figures.js";
import { data, make, say } from "./dom.js";
import { nSegments, segmentOf, systemOf } from "./outputs.js";
import { EVERY, NONE, state } from "./state.js";
import { FACETS } from "./findings.js";
import { countOutputs, rowsOf } from "./filters.js";
import { filters } from "./controls.js";

export function fillSelect(select, options, value) {
  select.replaceChildren(...options.map(([each, text, count]) =>
    make("option", { value: each }, count === undefined ? text : `${text} (${grouped(count)})`)));
  select.value = value;
}

// How many rows the other filters leave, by a number of each.
function countRows(without, numberOf, n) {
  const counts = new Array(n).fill(0);
  for (const row of rowsOf([without, "segment"])) counts[numberOf(row)]++;
  return counts;
}

// The choices of a filter whose values are segments in groups: documents, domains, lengths.
function groupsOfSegments(without, names, numberOf, first, valueOf = (i) => i) {
  const counts = countRows(without, (row) => numberOf(segmentOf(row)), names.length);
  return [first, ...names.map((name, i) => [valueOf(i), name, counts[i]])];
}

// Systems in the order of their rank by the metric.
export const rankedSystems = () => metric().ranked ?? data.systems.map((_, i) => i);

// Systems with counts if the filters leave not all.
function systemChoices(first) {
  const counts = countRows("a", systemOf, data.systems.length);
  const isWhole = counts.every((count, i) => count === nSegments || i === state.b);
  return [...first, ...rankedSystems().map((i) => [i, data.systems[i], isWhole ? undefined : counts[i]])];
}

function facetChoices(facet) {
  const listed = [...facet.choices.values()].filter(({ value, isListed }) => isListed || value === state[facet.key]);
  return [["", say(facet.all)], ...listed.map(({ value, name }) => [value, name(), countOutputs(facet, value)])];
}

export function fillFacets() {
  const { domain, length } = data.buckets ?? {};
  const choices = {
    a: () => systemChoices(data.systems.length > 1 ? [[EVERY, say("all systems")]] : []),
    document: () => groupsOfSegments("document", data.documents, (segment) => data.segments[segment], [NONE, say("all documents")]),
    domain: () => groupsOfSegments("domain", domain[0], (segment) => domain[1][segment], [NONE, say("all domains")]),
    bucket: () => groupsOfSegments("bucket", length[0], (segment) => length[1][segment], ["", say("all lengths")], (i) => `length:${i}`),
    ...Object.fromEntries(FACETS.map((facet) => [facet.key, () => facetChoices(facet)])),
  };
  for (const [name, choicesOf] of Object.entries(choices)) if (filters[name]) fillSelect(filters[name], choicesOf(), state[name]);
}

// The selections that findings have: the first of them may stand apart from the others.
export const facetLabels = () => FACETS.map(({ key, label }) => make("label", {}, make("span", { "data-say": label }, say(label)), " ", make("select", { name: key })));
