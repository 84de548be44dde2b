// The list of segments. Only visible rows are in the page.

const grid = document.getElementById("grid");
const viewport = document.getElementById("rows");
const spacer = viewport.firstElementChild;
const OVERSCAN = 6; // rows drawn above and below the visible ones
const MOST_PRINTED = 20;

let listed = []; // segment × number of systems + system
let active = 0; // index of the row that has or last had the focus
let height = 40; // row height in pixels
const drawn = new Map();
const searchTexts = new Map(); // lower-case texts

const systemOf = (row) => row % data.systems.length;
const segmentOf = (row) => Math.floor(row / data.systems.length);
const differenceOf = (row) =>
  score(systemOf(row), segmentOf(row)) - score(state.b, segmentOf(row));

function matchesSearch(segment, systems, words) {
  const key = `${segment}/${systems}`;
  let text = searchTexts.get(key);
  if (text === undefined) {
    const texts = [title(segment), data.source?.[segment] ?? "", ...data.refs.map((side) => side[segment]),
      ...systems.map((system) => data.hyps[system][segment])];
    text = texts.join("\n").toLowerCase();
    searchTexts.set(key, text);
  }
  return text.includes(words);
}

function isInside([b0, b1, a0, a1], segment) {
  const [a, b] = pairOf().map((system) => score(system, segment));
  return b0 <= b && b <= b1 && a0 <= a && a <= a1;
}

function filterRows() {
  const number = (text, fallback) => (text === "" || isNaN(text) ? fallback : Number(text));
  const [min, max] = [number(state.min, -Infinity), number(state.max, Infinity)];
  const least = state.b === NONE ? 0 : number(state.least, 0);
  const words = state.search.toLowerCase();
  const [kind, bucket] = state.bucket.split(":");
  const box = boxOf(state.box);
  const systems = state.a === EVERY ? data.systems.map((_, i) => i) : [state.a];
  const n = data.systems.length;
  listed = [];
  for (let segment = 0; segment < data.segments.length; segment++) {
    if (state.document !== NONE && data.segments[segment] !== state.document) continue;
    if (kind && bucketOf(kind, segment, pairOf()) !== Number(bucket)) continue;
    if (box && !isInside(box, segment)) continue;
    for (const system of systems) {
      const value = score(system, segment);
      const row = segment * n + system;
      if (value < min || value > max) continue;
      if (state.b !== NONE && (system === state.b && systems.length > 1)) continue;
      if (least && Math.abs(differenceOf(row)) < least) continue;
      if (words && !matchesSearch(segment, state.b === NONE ? [system] : [system, state.b], words)) continue;
      listed.push(row);
    }
  }
  const by = {
    segment: null,
    score: (row) => score(systemOf(row), segmentOf(row)),
    other: state.b === NONE ? null : (row) => score(state.b, segmentOf(row)),
    difference: state.b === NONE ? null : differenceOf,
    apart: state.b === NONE ? null : (row) => Math.abs(differenceOf(row)),
  }[state.sort];
  const sign = state.order === "descending" ? -1 : 1;
  if (by) {
    const keys = new Map(listed.map((row) => [row, by(row)]));
    listed.sort((x, y) => sign * (keys.get(x) - keys.get(y)) || x - y);
  } else if (sign < 0) listed.reverse();
}

function head() {
  const button = (key, text, label, first = "ascending") => {
    const sorted = state.sort === key ? state.order : null;
    const arrow = { ascending: " ▲", descending: " ▼" }[sorted] ?? "";
    const order = sorted === first ? { ascending: "descending", descending: "ascending" }[first] : first;
    return make("button", { type: "button", "data-sort": key, title: label,
      onclick: () => change({ sort: key, order }) }, text, make("span", { "aria-hidden": "true" }, arrow));
  };
  const sorter = (key, text, ...more) => {
    const sorted = state.sort === key ? state.order : "none";
    return make("div", { role: "columnheader", "aria-sort": sorted, class: `c-${key}` }, button(key, text), more);
  };
  const plain = (key, text) => make("div", { role: "columnheader", class: `c-${key}` }, text);
  const compared = state.b !== NONE;
  const focused = document.activeElement?.dataset?.sort;
  const cells = [
    sorter("segment", say("Segment")),
    plain("system", say("System")),
    sorter("score", say("Score")),
    compared && sorter("other", isolated(data.systems[state.b])),
    compared && sorter("difference", say("Difference"), button("apart", "|A−B|", say("Sort by the size of the difference"), "descending")),
    plain("text", say("Output")),
  ];
  const row = grid.querySelector(".head");
  row.replaceChildren(...cells.filter(Boolean));
  if (focused) row.querySelector(`[data-sort="${focused}"]`)?.focus();
}

// The score that fills a bar: 1, or the greatest score if that is greater.
function scale() {
  const most = (row) => row.reduce((x, y) => Math.max(x, y), 1);
  return (metric().scale ??= most(metric().scores.map(most)));
}

const bar = (value) => meter(value / scale());

function rowNode(place) {
  const row = listed[place];
  const [segment, system] = [segmentOf(row), systemOf(row)];
  const { digits, higher } = metric();
  const cell = (key, attributes, ...children) =>
    make("div", { role: "gridcell", class: `c-${key}`, ...attributes }, ...children);
  const node = make("div", {
    role: "row", class: "row", "aria-rowindex": place + 2, "data-place": place,
    tabindex: place === active ? "0" : "-1",
  });
  const value = score(system, segment);
  node.append(
    cell("segment", { title: title(segment) }, make("b", {}, String(segment + 1)), " ",
      make("small", {}, isolated(data.documents[data.segments[segment]]))),
    cell("system", {}, isolated(data.systems[system])),
    cell("score", {}, bar(value), format(value, digits)),
  );
  if (state.b !== NONE) {
    const difference = differenceOf(row);
    const better = difference === 0 ? "" : difference > 0 === higher ? "▲" : "▽";
    node.append(
      cell("other", {}, bar(score(state.b, segment)), format(score(state.b, segment), digits)),
      cell("difference", {}, better, " ", signed(difference, digits)),
    );
  }
  const isUnexplained = metric().explained !== null && !isExplained(system, segment);
  node.append(cell("text", { lang: data.lang, dir: "auto" },
    isUnexplained ? make("small", { class: "unexplained", lang: LANGUAGES[state.language], title: say("not explained in this report") }, say("no links")) : null,
    marked(data.hyps[system][segment] || say("(empty)"), state.search)));
  node.classList.toggle("chosen", segment === state.segment && system === state.system);
  return node;
}

let unprinted = null; // while the page is printed: all rows of the list

function draw() {
  const first = unprinted ? 0 : Math.max(0, Math.floor(viewport.scrollTop / height) - OVERSCAN);
  const last = unprinted ? listed.length : Math.min(listed.length, Math.ceil((viewport.scrollTop + viewport.clientHeight) / height) + OVERSCAN);
  const visibleRows = new Set(listed.length ? [active] : []); // the active row stays, to keep the focus
  for (let place = first; place < last; place++) visibleRows.add(place);
  for (const [place, node] of drawn)
    if (!visibleRows.has(place)) {
      node.remove();
      drawn.delete(place);
    }
  let next = spacer.firstElementChild;
  for (const place of [...visibleRows].sort((x, y) => x - y)) {
    while (next && Number(next.dataset.place) < place) next = next.nextElementSibling;
    if (drawn.has(place)) continue;
    const node = rowNode(place);
    node.style.transform = `translateY(${place * height}px)`;
    drawn.set(place, node);
    spacer.insertBefore(node, next);
  }
}

function redraw() {
  // The row height of the style sheet depends on the reader's font size.
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  height = rem * parseFloat(getComputedStyle(grid).getPropertyValue("--row"));
  spacer.style.height = `${listed.length * height}px`;
  const focused = viewport.contains(document.activeElement);
  for (const node of drawn.values()) node.remove();
  drawn.clear();
  draw();
  if (focused) drawn.get(active)?.focus({ preventScroll: true });
}

function list() {
  filterRows();
  active = 0;
  viewport.scrollTop = 0;
  grid.setAttribute("aria-rowcount", listed.length + 1);
  grid.classList.toggle("compared", state.b !== NONE);
  head();
  const all = data.segments.length * (state.a === EVERY ? data.systems.length - (state.b !== NONE) : 1);
  const what = state.a === EVERY ? "output" : "segment";
  document.getElementById("nothing").hidden = listed.length > 0;
  grid.hidden = !listed.length;
  document.getElementById("count").textContent = listed.length === all
    ? countText(all, what) : say("{0} of {1}", grouped(listed.length), countText(all, what));
  redraw();
}

function activate(place, focus = true) {
  const before = drawn.get(active);
  if (before) before.tabIndex = -1;
  active = Math.max(0, Math.min(listed.length - 1, place));
  const top = active * height;
  if (top < viewport.scrollTop) viewport.scrollTop = top;
  else if (top + height > viewport.scrollTop + viewport.clientHeight)
    viewport.scrollTop = top + height - viewport.clientHeight;
  draw();
  const node = drawn.get(active);
  if (!node) return;
  node.tabIndex = 0;
  if (focus) node.focus({ preventScroll: true });
}

function open(place) {
  activate(place, viewport.contains(document.activeElement));
  const row = listed[place];
  if (row !== undefined) change({ segment: segmentOf(row), system: systemOf(row) }, state.segment === null);
}

viewport.addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
addEventListener("resize", redraw);

// On paper: the first rows of the order that was chosen, or those with the lowest scores.
addEventListener("beforeprint", () => {
  unprinted = listed;
  const sign = metric().higher ? 1 : -1;
  const value = (row) => sign * score(systemOf(row), segmentOf(row));
  const lowest = state.sort === "segment" && listed.length > MOST_PRINTED;
  listed = (lowest ? [...listed].sort((x, y) => value(x) - value(y) || x - y) : listed).slice(0, MOST_PRINTED);
  const left = unprinted.length - listed.length;
  document.getElementById("printed").textContent = left ? say(lowest
    ? "The {0} with the worst scores; {1} more not printed." : "The first {0}; {1} more not printed.", MOST_PRINTED, grouped(left)) : "";
  redraw();
});
addEventListener("afterprint", () => {
  listed = unprinted;
  unprinted = null;
  redraw();
});
viewport.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (row && getSelection().isCollapsed) open(Number(row.dataset.place));
});
viewport.addEventListener("keydown", (event) => {
  const page = Math.max(1, Math.floor(viewport.clientHeight / height) - 1);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in steps) {
    activate(active + steps[event.key]);
    if (state.segment !== null) open(active); // the segment beside the list follows
  } else if (event.key === "Enter" && listed.length) {
    if (state.segment === segmentOf(listed[active]) && state.system === systemOf(listed[active])) focusSegment();
    else open(active);
  } else return;
  event.preventDefault();
});
