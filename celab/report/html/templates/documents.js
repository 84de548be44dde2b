// A segment in its document: its neighbors in running order, and the scores of all as a strip.

import { metric } from "./shown-metric.js";
import { format } from "./figures.js";
import { countText, data, isolated, make, phrase, say, table } from "./dom.js";
import { nameOf } from "./outputs.js";
import { change, state } from "./state.js";
import { score } from "./explained.js";
import { markedText, runsOf } from "./diff.js";
import { matching } from "./matching.js";
import { spannedRuns } from "./spans.js";
import { selectedSet } from "./filters.js";
import { scale } from "./rows.js";
import { hundredths } from "./svg.js";
import { openSegment } from "./scatter.js";
import { gain } from "./pair.js";

const NEIGHBORS = 2; // on either side
const MOST_BARS = 120; // of a strip: those around the segment

const placesInDocument = (segment) => data.segments.flatMap((document, i) => (document === data.segments[segment] ? [i] : []));

const [BAR, TALL] = [6, 26]; // width of a bar of a strip with its gap, and height

function stripDrawing(n, height, label, parts, onopen) {
  const drawing = make("svg:svg", { class: "strip", viewBox: `0 0 ${n * BAR} ${height}`, role: "img", "aria-label": label, onclick: (event) => {
    const box = drawing.getBoundingClientRect();
    onopen(Math.max(0, Math.min(n - 1, Math.floor(((event.clientX - box.x) / box.width) * n))));
  } }, parts);
  drawing.style.maxWidth = `${n * BAR * 1.5}px`;
  return drawing;
}

const barPath = (i, y, tall) => `M${i * BAR + 0.75} ${hundredths(y)}h${BAR - 1.5}v${hundredths(tall)}h${1.5 - BAR}z`;
const tallness = (value, top, most) => Math.max(1, Math.min(1, Math.abs(value) / top) * most);

// The scores of a system in running order; those of segments that the filters leave out are pale.
function scoreStrip(segments, system, current, label) {
  const left = selectedSet();
  const paths = { bar: "", "bar left-out": "", "bar current": "" };
  segments.forEach((segment, i) => {
    const tall = tallness(score(system, segment), scale(), TALL);
    paths[segment === current ? "bar current" : left.has(segment) ? "bar" : "bar left-out"] += barPath(i, TALL - tall, tall);
  });
  const here = segments.indexOf(current) * BAR + BAR / 2;
  return stripDrawing(segments.length, TALL + 7, label, [...Object.entries(paths).map(([kind, d]) => make("svg:path", { class: kind, d: d || "M0 0" })),
    make("svg:path", { class: "here", d: `M${here} ${TALL + 1}l3 5h-6z` })], (i) => change({ segment: segments[i], system }, true));
}

// The differences of A and B in a document, upwards where A is ahead.
function differenceStrip(segments, a, b) {
  const middle = TALL / 2;
  const paths = ["", ""];
  const gains = segments.map((segment) => gain(a, b, segment));
  gains.forEach((by, i) => {
    const tall = tallness(by, scale() / 2, middle);
    paths[by >= 0 ? 0 : 1] += barPath(i, by >= 0 ? middle - tall : middle, tall);
  });
  const label = say("A − B in running order; A is ahead on {0} of {1}", String(gains.filter((by) => by > 0).length), countText(segments.length, "segment"));
  return stripDrawing(segments.length, TALL, label, [...paths.map((d, i) => make("svg:path", { class: ["of-a", "of-b"][i], d: d || "M0 0" })),
    make("svg:path", { class: "base", d: `M0 ${middle}H${segments.length * BAR}` })], (i) => openSegment({ segment: segments[i], system: a }, a, b));
}

// A place that gets its strip when it comes in sight: there may be hundreds of documents.
const inSight = new IntersectionObserver((entries) => entries.filter(({ isIntersecting }) => isIntersecting).forEach(({ target }) => {
  inSight.unobserve(target);
  target.replaceChildren(differenceStrip(...awaited.get(target)));
}));
const awaited = new WeakMap();
export function stripPlace(segments, a, b) {
  const place = make("div", { class: "strip-place" });
  awaited.set(place, [segments, a, b]);
  inSight.observe(place);
  return place;
}

function neighborRow(segment, place, all) {
  const { system } = state;
  const isHere = segment === state.segment;
  const text = data.hyps[system][segment];
  return make("tr", { class: isHere ? "chosen" : null, "aria-current": isHere ? "true" : null },
    make("th", { scope: "row" }, isHere ? `${place + 1}` : make("button", { type: "button", class: "plain", "data-neighbor": segment,
      "aria-label": say("Open segment {0}", nameOf(segment)), onclick: () => change({ segment, system }, true) }, `${place + 1}`),
    make("small", {}, ` / ${all}`)),
    make("td", { class: "number" }, format(score(system, segment), metric().digits)),
    data.source ? make("td", { dir: "auto" }, data.source[segment]) : null,
    make("td", { lang: data.lang, dir: "auto" }, text
      ? markedText(text, spannedRuns(runsOf(matching(data.refs[0][segment], text), 0), system, segment), { words: state.search })
      : make("ins", { class: "run extra" }, say("(empty)"))));
}

// Neighbors and strip of the segment that is read; null if there is no other segment.
export function documentSection() {
  const { segment, system } = state;
  const all = placesInDocument(segment);
  if (all.length < 2) return null;
  const at = all.indexOf(segment);
  const from = Math.max(0, Math.min(at - MOST_BARS / 2, all.length - MOST_BARS));
  const shown = all.slice(from, from + MOST_BARS);
  const near = all.slice(Math.max(0, at - NEIGHBORS), at + NEIGHBORS + 1);
  const name = data.documents[data.segments[segment]];
  const headings = ["Segment", `#${metric().name}`, ...(data.source ? ["Source"] : []), "Output"];
  return make("section", { class: "in-document" },
    make("h4", {}, name ? phrase("In document {0}: {1} of {2}", isolated(name), String(at + 1), String(all.length)) : say("Neighbors: {0} of {1}", String(at + 1), String(all.length))),
    scoreStrip(shown, system, segment, say("Scores in running order; this segment is number {0} of {1}", String(at + 1), String(all.length))),
    table(headings, near.map((i) => neighborRow(i, all.indexOf(i), all.length)), { class: "neighbors" }, say("Neighbors in running order; pale bars: what the filters leave out.")));
}
