// The scores of two systems as dots, one for each segment.

import { metric } from "./shown-metric.js";
import { brief, format } from "./figures.js";
import { data, isolated, make, say, visible } from "./dom.js";
import { nameOf, rowOf } from "./outputs.js";
import { change, state } from "./state.js";
import { score } from "./explained.js";
import { boxOf } from "./report-view.js";
import { axisChoices, judgeOf, judgeText, judgment } from "./judges.js";
import { selectedSegments } from "./filters.js";
import { scale } from "./rows.js";
import { gain } from "./pair.js";
import { listChosen } from "./chips.js";
import { drawingMenu } from "./copying.js";

const SIZE = 320;
const EDGE = 44; // space for the labels of the axes
const isolatedLabel = (name) => make("svg:tspan", { class: "isolated" }, name);

// The axis of a judge has the places of its scores of A and B, because most of people's scores are close together. Equal
// scores are spread over the places that they share, segment by segment.
function placesBy(judge, systems) {
  const outputs = data.segments.flatMap((_, segment) => systems.map((system) => ({ row: rowOf(segment, system), value: judgment(judge, system, segment) })))
    .filter(({ value }) => !Number.isNaN(value)).sort((x, y) => x.value - y.value);
  const last = Math.max(1, outputs.length - 1);
  const shares = new Map(outputs.map(({ row }, i) => [row, i / last]));
  const valueAt = (place) => outputs[Math.max(0, Math.min(outputs.length - 1, place))]?.value ?? 0;
  const labels = [0, 0.25, 0.5, 0.75, 1].map((share) => [share, valueAt(Math.round(share * last))]);
  return {
    of: (system, segment) => shares.get(rowOf(segment, system)),
    ticks: labels.filter(([, value], i) => !i || value !== labels[i - 1][1]),
    // Both ends of the scores between two places, and back.
    scoresBetween: (low, high) => [valueAt(Math.ceil(low * last - 1e-9)), valueAt(Math.floor(high * last + 1e-9))],
    between: (low, high) => [outputs.filter(({ value }) => value < low).length / last, Math.max(0, outputs.filter(({ value }) => value <= high).length - 1) / last],
  };
}

// The dots: place, segment and system of each. Of two systems by the metric there is one for each
// segment: equal, A better, B better. Against a judge, there is one for each output of A and of B.
function dotsOf(a, b, across, up, places) {
  const judge = judgeOf(state.axis);
  const shown = selectedSegments("box"); // dots of all other filters
  if (!judge) return shown.map((segment) => {
    const by = gain(a, b, segment);
    return { segment, system: a, kind: Math.abs(by) < 5e-7 ? 0 : by > 0 ? 1 : 2, at: [across(score(b, segment)), up(score(a, segment))] };
  });
  return [a, b].flatMap((system, i) => shown.filter((segment) => !Number.isNaN(judgment(judge, system, segment))).map((segment) =>
    ({ segment, system, kind: i + 1, at: [across(places.of(system, segment)), up(score(system, segment))] })));
}

export function scatterOf(a, b) {
  const { digits, name } = metric();
  const most = scale();
  const judge = judgeOf(state.axis);
  const shares = [0, 0.25, 0.5, 0.75, 1].map((share) => share * most);
  const places = judge ? placesBy(judge, [a, b]) : null;
  const columns = places?.ticks ?? shares.map((share) => [share, share]); // where, and what is written there
  const [low, high] = judge ? [0, 1] : [0, most];
  const inner = SIZE - EDGE - 8;
  const across = (value) => EDGE + ((value - low) / (high - low)) * inner;
  const up = (value) => SIZE - EDGE - (value / most) * inner;
  const shown = dotsOf(a, b, across, up, places);
  const dots = ["", "", ""];
  // Of outputs against a judge, those of B are upright, so that color is not all that tells them apart.
  for (const { kind, at: [x, y] } of shown)
    dots[kind] += judge && kind === 2 ? `M${x.toFixed(1)} ${(y - 3).toFixed(1)}v6` : `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
  const text = (x, y, anchor, ...children) => make("svg:text", { x, y, "text-anchor": anchor }, ...children);
  const near = make("svg:circle", { class: "near" });
  const hint = say("Click a dot to open its segment; drag to list an area.");
  const status = make("p", { class: "note", "aria-hidden": "true" }, hint);
  const drawing = make("svg:svg", {
    class: "segments", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img",
    "aria-label": judge
      ? say("Outputs of A and B: {0} upwards, {1} to the right. The list of segments has the same numbers.", name, judge.name)
      : say("Segment scores by {0}: {1} upwards, {2} to the right. The list of segments has the same numbers.",
        name, data.systems[a], data.systems[b]),
  },
  columns.map(([x, label]) => [make("svg:path", { class: "tick", d: `M${across(x)} 8V${SIZE - EDGE}` }), text(across(x), SIZE - EDGE + 13, "middle", brief(label))]),
  shares.map((y) => [make("svg:path", { class: "tick", d: `M${EDGE} ${up(y)}H${SIZE - 8}` }), text(EDGE - 4, up(y) + 4, "end", brief(y))]),
  judge ? null : make("svg:path", { class: "equal", d: `M${across(0)} ${up(0)}L${across(most)} ${up(most)}` }),
  dots.map((path, i) => make("svg:path", { class: `dots ${["tie", "win", "loss"][i]}${judge ? " fine" : ""}`, d: path || "M0 0" })),
  text((SIZE + EDGE) / 2, SIZE - 4, "middle", judge ? isolatedLabel(say("{0}, by place", judge.heading)) : ["B: ", isolatedLabel(data.systems[b])]),
  make("svg:text", { transform: `translate(9 ${(SIZE - EDGE) / 2}) rotate(-90)`, "text-anchor": "middle" },
    judge ? name : ["A: ", isolatedLabel(data.systems[a])]),
  near);
  // The place of the pointer in the drawing, and the dot there, or null.
  const placeOf = (event) => {
    const box = drawing.getBoundingClientRect();
    return [event.clientX - box.x, event.clientY - box.y].map((place) => (place * SIZE) / box.width);
  };
  const nearest = (event) => {
    const at = placeOf(event);
    const distance = (dot) => (dot.at[0] - at[0]) ** 2 + (dot.at[1] - at[1]) ** 2;
    const best = shown.reduce((closest, dot) => (closest === null || distance(dot) < distance(closest) ? dot : closest), null);
    return best !== null && distance(best) < 150 ? best : null;
  };
  const dotText = ({ segment, system }) => (judge
    ? say("Segment {0}, {1}: {2} {3}, {4} {5}", nameOf(segment), data.systems[system], name, format(score(system, segment), digits), judge.name, judgeText(judge, system, segment))
    : say("Segment {0}: A {1}, B {2}", nameOf(segment), ...[a, b].map((i) => format(score(i, segment), digits))));
  drawing.addEventListener("mousemove", (event) => {
    const dot = nearest(event);
    drawing.classList.toggle("over", dot !== null);
    near.setAttribute("r", dot === null ? 0 : 6);
    ["cx", "cy"].forEach((side, i) => near.setAttribute(side, dot?.at[i] ?? 0));
    status.textContent = dot === null ? hint : visible(dotText(dot));
  });
  // Dragging chooses an area.
  let start = null;
  const area = make("svg:rect", { class: "area" });
  drawing.append(area);
  const drawArea = ([x0, y0], [x1, y1]) => {
    const ends = { x: Math.min(x0, x1), y: Math.min(y0, y1), width: Math.abs(x1 - x0), height: Math.abs(y1 - y0) };
    for (const [side, value] of Object.entries(ends)) area.setAttribute(side, value);
  };
  const box = boxOf(state.box);
  if (box) {
    const [x0, x1] = places ? places.between(box[0], box[1]) : box;
    drawArea([across(x0), up(box[2])], [across(x1), up(box[3])]);
  }
  const isDrag = (at) => Math.hypot(at[0] - start[0], at[1] - start[1]) > 6;
  drawing.addEventListener("pointerdown", (event) => {
    if (event.button || event.pointerType === "touch") return; // a touch scrolls
    start = placeOf(event);
    drawing.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  drawing.addEventListener("pointermove", (event) => start && isDrag(placeOf(event)) && drawArea(start, placeOf(event)));
  drawing.addEventListener("pointerup", (event) => {
    const [from, to] = [start, placeOf(event)];
    if (from && isDrag(to)) {
      const scores = [from, to].map(([x, y]) => [low + ((x - EDGE) / inner) * (high - low), ((SIZE - EDGE - y) / inner) * most]);
      const [x, y] = [0, 1].map((axis) => scores.map((ends) => ends[axis]).sort((u, v) => u - v));
      const ends = [...(places ? places.scoresBetween(...x) : x), ...y];
      // Rounded outwards, so that no dot at the edge is lost.
      const outwards = (end, i) => {
        const n = judge && i < 2 ? judge.digits : digits;
        return (Math[i % 2 ? "ceil" : "floor"](end * 10 ** n) / 10 ** n).toFixed(n);
      };
      listChosen({ a, b, box: ends.map(outwards).join(",") });
    }
    setTimeout(() => { start = null; }); // after the click that follows
  });
  drawing.addEventListener("click", (event) => {
    if (start && isDrag(placeOf(event))) return;
    const dot = nearest(event);
    if (dot !== null) openSegment(dot, a, b);
  });
  return make("figure", { class: "pair-scatter" }, make("figcaption", {}, say("Segment scores")), axisChoices(), drawing, judge ? dotsKey(a, b) : null, status,
    drawingMenu(say("Segment scores"), drawing, "segments"));
}

// What the dots of outputs against a judge are.
const dotsKey = (a, b) => make("p", { class: "key" }, make("span", {}, say("To the right: places by score; equal scores are spread.")), [a, b].map((system, i) => make("span", {}, make("svg:svg", { class: "dot-key", viewBox: "0 0 12 14", "aria-hidden": "true" },
  make("svg:path", { class: `dots ${["win", "loss"][i]}`, d: i ? "M6 4v6" : "M6 7h0" })), " ", "AB"[i], say(": "), isolated(data.systems[system]))));

export function openSegment({ segment, system }, a, b) {
  change({ a, b, box: state.box, segment, system }, true);
}
