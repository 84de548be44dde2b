// Segments in buckets by length, domain, document or score.

import { metric } from "./shown-metric.js";
import { brief, format, grouped, signed } from "./figures.js";
import { data, isolated, make, say, table } from "./dom.js";
import { change, state } from "./state.js";
import { score } from "./explained.js";
import { selectedSegments } from "./filters.js";
import { scale } from "./rows.js";
import { stripPlace } from "./documents.js";
import { gain } from "./pair.js";
import { listChosen } from "./chips.js";
import { chartMenu } from "./copying.js";

export const KINDS = { length: "Length", domain: "Domain", document: "Document", score: "Score" };
const N_RANGES = 5; // number of score ranges
const MIN_OF_DOCUMENT = 5; // segments of a document that is listed
const FEW = data.fewest; // segments; a bucket with fewer is gray
export const kinds = () => Object.keys(KINDS).filter((kind) => data.buckets[kind] || kind === "score"
  || (kind === "document" && data.documents.length > 1));

export function bucketOf(kind, segment, [a, b]) {
  if (kind === "document") return data.segments[segment];
  if (kind !== "score") return data.buckets[kind][1][segment];
  return Math.min(N_RANGES - 1, Math.floor(((score(a, segment) + score(b, segment)) / 2 / scale()) * N_RANGES));
}

export function bucketLabel(kind, number) {
  if (kind === "document") return data.documents[number];
  if (kind !== "score") return data.buckets[kind][0][number];
  if (!(number < N_RANGES)) return undefined;
  return [number, number + 1].map((k) => brief((k * scale()) / N_RANGES)).join("–");
}

// Mean difference of the segments of a bucket, and its 95% interval by the normal approximation.
function meanOf(differences) {
  const n = differences.length;
  const mean = differences.reduce((sum, value) => sum + value, 0) / n;
  const variance = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, n - 1);
  const margin = n > 1 ? 1.96 * Math.sqrt(variance / n) : null;
  return { mean, ends: margin === null ? null : [mean - margin, mean + margin] };
}

const intervalText = ({ ends }, digits) => (ends ? say("{0} to {1}", ...ends.map((end) => signed(end, digits))) : "");
export const extentOf = ({ mean, ends }) => Math.max(...[mean, ...(ends ?? [])].map(Math.abs));

// A bar from the middle, to the left if A has the higher mean, because A stands left everywhere; a line is the interval.
export function diverging({ mean, ends, color = mean > 0 ? "of-a" : "of-b" }, widest, digits) {
  const [width, middle] = [140, 70];
  const place = (value) => middle - Math.max(-1, Math.min(1, value / widest)) * (middle - 4);
  const label = `${signed(mean, digits)}${ends ? `${say(", ")}${say("{0} interval {1} to {2}", "95%", ...ends.map((end) => signed(end, digits)))}` : ""}`;
  return make("svg:svg", { class: "diverging", viewBox: `0 0 ${width} 16`, role: "img", "aria-label": label },
    make("svg:rect", { class: color, x: Math.min(middle, place(mean)), width: Math.abs(place(mean) - middle), y: 3, height: 10 }),
    make("svg:path", { class: "base", d: `M${middle} 0V16` }),
    ends && make("svg:path", { class: "whisker", d: `M${place(ends[0])} 8H${place(ends[1])}` }),
    make("svg:title", {}, label));
}

export function bucketsOf(a, b) {
  const { digits } = metric();
  const buckets = new Map(); // segments by bucket
  selectedSegments("bucket").forEach((segment) => {
    const key = bucketOf(state.by, segment, [a, b]);
    if (!buckets.has(key)) buckets.set(key, []);
    buckets.get(key).push(segment);
  });
  const isDocuments = state.by === "document";
  const figures = new Map([...buckets].map(([key, segments]) => [key, meanOf(segments.map((segment) => score(a, segment) - score(b, segment)))]));
  // Of documents, which may be hundreds, those that differ most are first.
  const size = (key) => (isDocuments ? Math.abs(figures.get(key).mean) : 0);
  const longer = [...buckets.keys()].filter((key) => buckets.get(key).length >= MIN_OF_DOCUMENT);
  const keys = (isDocuments && longer.length ? longer : [...buckets.keys()]).sort((x, y) => size(y) - size(x) || x - y);
  const isFew = (key) => buckets.get(key).length < FEW;
  const shown = keys.some((key) => !isFew(key)) ? keys.filter((key) => !isFew(key)) : keys;
  const widest = Math.max(1e-9, ...shown.map((key) => extentOf(figures.get(key))));
  const rows = keys.map((key) => {
    const segments = buckets.get(key);
    const mean = (system) => segments.reduce((sum, segment) => sum + score(system, segment), 0) / segments.length;
    const gains = segments.map((segment) => gain(a, b, segment));
    const ties = gains.filter((by) => Math.abs(by) < 5e-7).length;
    const wins = gains.filter((by) => by >= 5e-7).length;
    const number = (text, copied) => make("td", { class: "number", "data-copy": copied }, text);
    return make("tr", { class: isFew(key) && !isDocuments ? "few" : null },
      make("td", {}, make("button", { type: "button", class: "plain", "data-bucket": key,
        onclick: () => listChosen({ a, b, bucket: `${state.by}:${key}` }) }, isolated(bucketLabel(state.by, key)))),
      number(grouped(segments.length), String(segments.length)), number(format(mean(a), digits)), number(format(mean(b), digits)),
      number(signed(figures.get(key).mean, digits)), make("td", { class: "drawn", "data-copy": intervalText(figures.get(key), digits) }, isDocuments ? stripPlace(segments, a, b) : diverging(figures.get(key), widest, digits)),
      number(`${wins} / ${ties} / ${segments.length - wins - ties}`));
  });
  const choices = kinds().map((kind) => make("button", {
    type: "button", "data-by": kind, "aria-pressed": String(kind === state.by), onclick: () => change({ by: kind }),
  }, say(KINDS[kind])));
  const heading = state.by === "length" ? "Characters" : KINDS[state.by];
  const means = table([heading, "#Segments", "#A", "#B", "#A − B", isDocuments ? "In running order" : "A ◂ ▸ B", metric().higher ? "#A higher / equal / B higher" : "#A lower / equal / B lower"], rows,
    { class: isDocuments ? "buckets by-document" : "buckets" }, say("Means of segment scores by {0}", say(KINDS[state.by]).toLowerCase()));
  means.querySelector("th:nth-child(6)").dataset.copy = "95% interval";
  if (isDocuments) for (const cell of means.querySelectorAll("tr > :last-child")) cell.hidden = true; // the bars show it; copies have it
  return make("div", { class: "by-bucket" }, make("h3", {}, say("Where they differ")),
    make("div", { class: "choices", role: "group", "aria-label": say("Buckets by") }, choices), means, chartMenu(means.querySelector("table"), "buckets"),
    make("p", { class: "note" }, isDocuments
      ? say("A and B: means of segment scores. Of the documents with five segments or more, those on which they differ most are first; bars: A − B of each segment, upwards where A is ahead. Choose a document to list its segments.")
      : say("A and B: means of segment scores. Bar: A − B, with its 95% interval (normal approximation). Gray: fewer than {0} segments. Choose a bucket to list its segments.", FEW)));
}
