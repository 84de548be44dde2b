// The scores of two systems as dots, one for each segment.

const SIZE = 320;
const EDGE = 44; // space for the labels of the axes
const isolatedLabel = (name) => make("svg:tspan", { class: "isolated" }, name);

function scatterOf(a, b) {
  const { digits, name } = metric();
  const most = scale();
  const across = (value) => EDGE + (value / most) * (SIZE - EDGE - 8);
  const places = data.segments.map((_, segment) => [across(score(b, segment)), SIZE - across(score(a, segment))]);
  const dots = ["", "", ""]; // equal, A better, B better
  const shown = selectedSegments("box"); // dots of all other filters
  shown.forEach((segment) => {
    const [x, y] = places[segment];
    const by = gain(a, b, segment);
    dots[Math.abs(by) < 5e-7 ? 0 : by > 0 ? 1 : 2] += `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => share * most);
  const text = (x, y, anchor, ...children) => make("svg:text", { x, y, "text-anchor": anchor }, ...children);
  const near = make("svg:circle", { class: "near" });
  const hint = say("Click a dot to open its segment; drag to list an area.");
  const status = make("p", { class: "note", "aria-hidden": "true" }, hint);
  const drawing = make("svg:svg", {
    class: "segments", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img",
    "aria-label": say("Segment scores by {0}: {1} upwards, {2} to the right. The list of segments has the same numbers.",
      name, data.systems[a], data.systems[b]),
  },
  ticks.map((tick) => [
    make("svg:path", { class: "tick", d: `M${across(tick)} 8V${SIZE - EDGE}M${EDGE} ${SIZE - across(tick)}H${SIZE - 8}` }),
    text(across(tick), SIZE - EDGE + 13, "middle", brief(tick)),
    text(EDGE - 4, SIZE - across(tick) + 4, "end", brief(tick)),
  ]),
  make("svg:path", { class: "equal", d: `M${across(0)} ${SIZE - across(0)}L${across(most)} ${SIZE - across(most)}` }),
  dots.map((path, i) => make("svg:path", { class: `dots ${["tie", "win", "loss"][i]}`, d: path || "M0 0" })),
  text((SIZE + EDGE) / 2, SIZE - 4, "middle", "B: ", isolatedLabel(data.systems[b])),
  make("svg:text", { transform: `translate(9 ${(SIZE - EDGE) / 2}) rotate(-90)`, "text-anchor": "middle" }, "A: ", isolatedLabel(data.systems[a])),
  near);
  // The place of the pointer in the drawing, and the segment of the dot there, or null.
  const placeOf = (event) => {
    const box = drawing.getBoundingClientRect();
    return [event.clientX - box.x, event.clientY - box.y].map((place) => (place * SIZE) / box.width);
  };
  const nearest = (event) => {
    const at = placeOf(event);
    const distance = ([x, y]) => (x - at[0]) ** 2 + (y - at[1]) ** 2;
    const best = shown.reduce((closest, segment) => (closest === null || distance(places[segment]) < distance(places[closest]) ? segment : closest), null);
    return best !== null && distance(places[best]) < 150 ? best : null;
  };
  drawing.addEventListener("mousemove", (event) => {
    const segment = nearest(event);
    drawing.classList.toggle("over", segment !== null);
    near.setAttribute("r", segment === null ? 0 : 6);
    ["cx", "cy"].forEach((name, i) => near.setAttribute(name, places[segment ?? 0][i]));
    status.textContent = segment === null ? hint
      : say("Segment {0}: A {1}, B {2}", segment + 1, ...[a, b].map((system) => format(score(system, segment), digits)));
  });
  // Dragging chooses an area.
  let start = null;
  const area = make("svg:rect", { class: "area" });
  drawing.append(area);
  const drawArea = ([x0, y0], [x1, y1]) => {
    const ends = { x: Math.min(x0, x1), y: Math.min(y0, y1), width: Math.abs(x1 - x0), height: Math.abs(y1 - y0) };
    for (const [name, value] of Object.entries(ends)) area.setAttribute(name, value);
  };
  const box = boxOf(state.box);
  if (box) drawArea([across(box[0]), SIZE - across(box[2])], [across(box[1]), SIZE - across(box[3])]);
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
      const scores = [from, to].map(([x, y]) => [x, SIZE - y].map((place) => ((place - EDGE) / (SIZE - EDGE - 8)) * most));
      const ends = [0, 1].flatMap((axis) => [0, 1].map((i) => scores[i][axis]).sort((x, y) => x - y));
      // Rounded outwards, so that no dot at the edge is lost.
      const outwards = (end, i) => (Math[i % 2 ? "ceil" : "floor"](end * 10 ** digits) / 10 ** digits).toFixed(digits);
      listChosen({ a, b, box: ends.map(outwards).join(",") });
    }
    setTimeout(() => { start = null; }); // after the click that follows
  });
  drawing.addEventListener("click", (event) => {
    if (start && isDrag(placeOf(event))) return;
    const segment = nearest(event);
    if (segment !== null) openSegment(segment, a, b);
  });
  return make("figure", { class: "pair-scatter" }, make("figcaption", {}, say("Segment scores")), drawing, status,
    drawingMenu(say("Segment scores"), drawing, "segments"));
}

function openSegment(segment, a, b) {
  change({ a, b, box: state.box, segment, system: a }, true);
}
