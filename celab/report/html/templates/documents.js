// A segment in its document: its neighbors in running order, and the scores of all as a strip.

const NEIGHBORS = 2; // on either side
const MOST_BARS = 120; // of a strip: those around the segment

const placesInDocument = (segment) => data.segments.reduce((places, document, i) => (document === data.segments[segment] ? [...places, i] : places), []);

// Bars in running order; those that the filters leave out are pale. A click opens a segment.
function strip(segments, { valueOf, top, label, current = null, onopen, signed: isSigned = false }) {
  const [width, height, middle] = [6, 26, isSigned ? 13 : 26];
  const left = new Set(selectedSegments());
  const bars = segments.map((segment, i) => {
    const value = valueOf(segment);
    const tall = Math.max(1, Math.min(1, Math.abs(value) / top) * middle);
    return make("svg:g", { "data-segment": segment, class: `${left.has(segment) ? "" : "left-out"}${segment === current ? " current" : ""}` },
      make("svg:rect", { class: "hit", x: i * width, width, y: 0, height }),
      make("svg:rect", { class: isSigned ? (value >= 0 ? "of-a" : "of-b") : "bar", x: i * width + 0.75, width: width - 1.5, y: isSigned && value < 0 ? middle : middle - tall, height: tall }),
      segment === current ? make("svg:path", { class: "here", d: `M${i * width + width / 2} ${height + 1}l3 5h-6z` }) : null);
  });
  const drawing = make("svg:svg", { class: "strip", viewBox: `0 0 ${segments.length * width} ${current === null ? height : height + 7}`, role: "img", "aria-label": label,
    onclick: (event) => {
      const bar = event.target.closest("[data-segment]");
      if (bar) onopen(Number(bar.dataset.segment));
    } }, bars, isSigned ? make("svg:path", { class: "base", d: `M0 ${middle}H${segments.length * width}` }) : null);
  drawing.style.maxWidth = `${segments.length * width * 1.5}px`;
  return drawing;
}

// The differences of A and B in a document, upwards where A is better.
function differenceStrip(segments, a, b) {
  const apart = segments.map((segment) => gain(a, b, segment));
  const top = Math.max(1e-9, scale() / 2);
  const wins = apart.filter((by) => by > 0).length;
  return strip(segments, { valueOf: (segment) => gain(a, b, segment), top, signed: true,
    label: say("A − B in running order; A is better on {0} of {1}", String(wins), countText(segments.length, "segment")),
    onopen: (segment) => openSegment({ segment, system: a }, a, b) });
}

function neighborRow(segment, place, all) {
  const { system } = state;
  const isHere = segment === state.segment;
  const text = data.hyps[system][segment];
  return make("tr", { class: isHere ? "chosen" : null, "aria-current": isHere ? "true" : null },
    make("th", { scope: "row" }, isHere ? `${place + 1}` : make("button", { type: "button", class: "plain", "data-neighbor": segment,
      "aria-label": say("Open segment {0}", String(segment + 1)), onclick: () => change({ segment, system }, true) }, `${place + 1}`),
    make("small", {}, ` / ${all}`)),
    make("td", { class: "number" }, format(score(system, segment), metric().digits)),
    data.source ? make("td", { dir: "auto" }, data.source[segment]) : null,
    make("td", { lang: data.lang, dir: "auto" }, text
      ? markedText(text, spannedRuns(runsOf(difference(data.refs[0][segment], text), 0), system, segment), { words: state.search })
      : make("ins", { class: "run extra" }, say("(empty)"))));
}

// Neighbors and strip of the segment that is read; null if there is no other segment.
function documentSection() {
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
    strip(shown, { valueOf: (i) => score(system, i), top: scale(), current: segment, onopen: (i) => change({ segment: i, system }, true),
      label: say("Scores in running order; this segment is number {0} of {1}", String(at + 1), String(all.length)) }),
    table(headings, near.map((i) => neighborRow(i, all.indexOf(i), all.length)), { class: "neighbors" }, say("Neighbors in running order; pale bars: what the filters leave out.")));
}
