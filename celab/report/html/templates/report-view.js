// The view of the report: its parameters, and which outputs they leave. Other pages have another module
// with these names (celab/report/html/page.py).

import { metric } from "./shown-metric.js";
import { format } from "./figures.js";
import { data, say } from "./dom.js";
import { segmentOf, systemOf } from "./outputs.js";
import { EVERY, NONE, facetParameters, nameParameter, state, textParameter } from "./state.js";
import { score } from "./explained.js";
import { FACETS } from "./findings.js";
import { isLeftBy, selectedSet } from "./filters.js";
import { firstDirection, judgeOf, judgeOrder, judgment } from "./judges.js";
import { KINDS, bucketLabel, bucketOf, kinds } from "./buckets.js";
import { pairOf } from "./pair.js";
import { activate } from "./rows.js";
import { uncover } from "./parts.js";

// The four scores of an area, or null.
export function boxOf(value) {
  const ends = (value ?? "").split(",").map(Number);
  return value && ends.length === 4 && ends.every(Number.isFinite) ? ends : null;
}

function areaText(value) {
  const judge = judgeOf(state.axis);
  const box = boxOf(value).map((end, i) => format(end, judge && i < 2 ? judge.digits : metric().digits));
  return `${judge ? metric().name : "A"} ${box[2]}–${box[3]}, ${judge ? judge.name : "B"} ${box[0]}–${box[1]}`;
}
const rangeText = (low, high) => (low === "" ? `≤ ${high}` : high === "" ? `≥ ${low}` : `${low}–${high}`);
const bucketParts = (value) => [value.split(":")[0], Number(value.split(":")[1])];
const isBucket = (kind, number) => kinds().includes(kind) && bucketLabel(kind, number) !== undefined;
const SORTS = ["score", "other", "difference", "apart", "segment"];

export const PARAMETERS = () => ({
  metric: nameParameter(data.metrics.map(({ key }) => key), 0),
  a: { ...nameParameter(data.systems, data.systems.length > 1 ? EVERY : 0), chip: (a) => [say("System"), data.systems[a]] },
  b: { ...nameParameter(data.systems), chip: (b) => [say("Compared with"), data.systems[b]] },
  document: { ...nameParameter(data.documents), chip: (document) => [say("Document"), data.documents[document]] },
  domain: { ...nameParameter(data.buckets.domain?.[0] ?? []), chip: (domain) => [say("Domain"), data.buckets.domain[0][domain]] },
  ...facetParameters(),
  min: { ...textParameter(), chip: (min) => [say("Score"), rangeText(min, state.max), { min: "", max: "" }] },
  max: { ...textParameter(), chip: (max) => (state.min ? null : [say("Score"), rangeText("", max)]) },
  least: { ...textParameter(), chip: (least) => (state.b === NONE ? null : [say("Difference"), `≥ ${least}`]) },
  bucket: { ...textParameter("", (value) => isBucket(...bucketParts(value))), chip: (bucket) => [say(KINDS[bucketParts(bucket)[0]]), bucketLabel(...bucketParts(bucket))] },
  axis: textParameter("", (value) => judgeOf(value)), // what the scatter plot has across: B, or a judge
  box: { ...textParameter("", boxOf), chip: (box) => [say("Area"), areaText(box)] }, // least and greatest score across, then upwards
  search: { ...textParameter(), chip: (search) => [say("Search"), search] },
  by: textParameter("length", (value) => kinds().includes(value)),
  rows: textParameter("segments", (value) => value === "outputs"), // of the list of all systems: one a segment, or all outputs
  sort: textParameter("worst", (value) => SORTS.includes(value) || judgeOrder(value)), // or, of two systems, most different first
  order: textParameter("ascending", (value) => value === "descending"),
  against: textParameter("reference", (value) => value === "pair"), // what outputs are compared with: that, or A and B with each other
});

export const KEPT_BY_RESET = ["by", "segment", "system"]; // when all filters are removed
export const FILTERS = ["metric", "a", "b", "document", "domain", ...FACETS.map(({ key }) => key), "min", "max", "least", "search", "bucket", "axis", "box"];

// What changes with something else: the area of the scatter plot is of two systems by a metric.
export function adjusted(changes) {
  const isMoved = ["a", "b", "metric", "axis"].some((name) => name in changes);
  return { ...(isMoved && { box: "" }), ...("sort" in changes && { order: firstDirection(changes.sort) }), ...changes };
}

// Whether the dot of a segment is in an area; or that of A or of B, if a judge is across.
function isInside([x0, x1, y0, y1], segment) {
  const [a, b] = pairOf();
  const judge = judgeOf(state.axis);
  const holds = (x, y) => x0 <= x && x <= x1 && y0 <= y && y <= y1;
  if (judge) return [a, b].some((system) => holds(judgment(judge, system, segment), score(system, segment)));
  return holds(score(b, segment), score(a, segment));
}

export const differenceOf = (row) => score(systemOf(row), segmentOf(row)) - score(state.b, segmentOf(row));

export function filterRows(chosen) {
  const number = (value, otherwise) => (value === "" ? otherwise : Number(value));
  const [min, max] = [number(chosen.min, -Infinity), number(chosen.max, Infinity)];
  const least = state.b === NONE ? 0 : number(chosen.least, 0);
  const [kind, bucket] = bucketParts(chosen.bucket);
  const box = boxOf(chosen.box);
  const isLeft = isLeftBy(chosen);
  const systems = chosen.a === EVERY ? data.systems.map((_, i) => i).filter((i) => i !== state.b) : [chosen.a];
  const rows = [];
  for (let segment = 0; segment < data.segments.length; segment++) {
    if (chosen.document !== NONE && data.segments[segment] !== chosen.document) continue;
    if (chosen.domain !== NONE && data.buckets.domain[1][segment] !== chosen.domain) continue;
    if (kind && bucketOf(kind, segment, pairOf()) !== bucket) continue;
    if (box && !isInside(box, segment)) continue;
    for (const system of systems) {
      const value = score(system, segment);
      const row = segment * data.systems.length + system;
      if (value < min || value > max) continue;
      if (least && Math.abs(differenceOf(row)) < least) continue;
      if (isLeft(row)) rows.push(row);
    }
  }
  return rows;
}

export const segmentsInSight = () => selectedSet();

export function showListing() {
  const title = document.getElementById("segments-heading");
  uncover(title);
  title.scrollIntoView();
  activate(0); // so that the arrow keys move in the list
}
