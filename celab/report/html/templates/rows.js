// The list of segments. Only visible rows are in the page.

import { metric } from "./shown-metric.js";
import { format, grouped, signed } from "./figures.js";
import { countText, data, isolated, make, meter, say } from "./dom.js";
import { nameOf, refOf, rowOf, segmentOf, shortTitle, systemOf, title } from "./outputs.js";
import { EVERY, NONE, change, state } from "./state.js";
import { score } from "./explained.js";
import { kindsOfOutput } from "./findings.js";
import { difference, hitsOf, markedText, plainRuns, runsOf } from "./diff.js";
import { matching } from "./matching.js";
import { spannedRuns } from "./spans.js";
import { termWords } from "./terms.js";
import { markupBadges, markupText } from "./markup.js";
import { judgeCell, listedJudges, turnedOrder } from "./judges.js";
import { differenceOf } from "./report-view.js";
import { rowsOf, textsOf } from "./filters.js";
import { order, sorted } from "./orders.js";
import { hundredths } from "./svg.js";
import { focusSegment } from "./segment.js";

const grid = document.getElementById("grid");
export const viewport = document.getElementById("rows");
const spacer = viewport.firstElementChild;
const OVERSCAN = 6; // rows drawn above and below the visible ones
const MOST_PRINTED = 20;

export let listed = []; // segment × number of systems + system
export let listedOutputs = []; // the same without groups
let groupSizes = new Map(); // by row: how many outputs it stands for
// All systems are listed by segment: the first of its outputs in the chosen order stands for them.
const isGrouped = () => state.rows === "segments" && state.a === EVERY && state.b === NONE;
export let active = 0; // index of the row that has or last had the focus
let height = 40; // row height in pixels
export const drawn = new Map();

function head() {
  const button = (key, text, label, first = "ascending") => {
    const direction = order()[0] === key ? order()[1] : null;
    const arrow = { ascending: " ▲", descending: " ▼" }[direction] ?? "";
    const next = direction === first ? { ascending: "descending", descending: "ascending" }[first] : first;
    return make("button", { type: "button", "data-sort": key, title: label,
      onclick: () => change({ sort: key, order: next }) }, text, make("span", { "aria-hidden": "true" }, arrow));
  };
  const sorter = (key, text, ...more) => {
    const direction = order()[0] === key ? order()[1] : "none";
    return make("div", { role: "columnheader", "aria-sort": direction, class: `c-${key}` }, button(key, text), more);
  };
  const plain = (key, text) => make("div", { role: "columnheader", class: `c-${key}` }, text);
  const isPair = state.b !== NONE;
  const focused = document.activeElement?.dataset?.sort;
  const disagreeing = (key, name) => {
    const arrow = { [`above:${key}`]: " ▲", [`below:${key}`]: " ▼" }[state.sort] ?? "";
    const label = isPair ? say("where {0} and {1} disagree most", metric().name, name) : say("{0} high, {1} low; again: {0} low, {1} high", metric().name, name);
    return make("button", { type: "button", "data-sort": `disagree:${key}`, title: label, onclick: () => change(turnedOrder(key)) }, "≠", make("span", { "aria-hidden": "true" }, arrow));
  };
  const judged = ({ key, name, heading, higher }) => make("div", { role: "columnheader", class: "c-judge", "aria-sort": order()[0] === `judge:${key}` ? order()[1] : "none" },
    button(`judge:${key}`, [isolated(heading), higher ? "" : " ↓"]), disagreeing(key, name));
  const cells = [
    sorter("segment", say("Segment")),
    plain("system", say("System")),
    sorter("score", isPair && state.a >= 0 ? isolated(data.systems[state.a]) : say("Score")),
    isPair && sorter("other", isolated(data.systems[state.b])),
    isPair && sorter("difference", say("Difference"), button("apart", "|A−B|", say("Sort by the size of the difference"), "descending")),
    ...listedJudges.map(judged),
    plain("text", state.against === "pair" && isPair ? say("A against B") : state.finding && !isPair ? say("Source and output") : say("Reference and output")),
  ];
  const row = grid.querySelector(".head");
  row.replaceChildren(...cells.filter(Boolean));
  if (focused) row.querySelector(`[data-sort="${CSS.escape(focused)}"]`)?.focus();
}

// The score that fills a bar: 1, or the greatest score if that is greater.
export function scale() {
  const most = (row) => row.reduce((x, y) => Math.max(x, y), 1);
  return (metric().scale ??= most(metric().scores.map(most)));
}

const bar = (value) => meter(value / scale());

export const lineOf = (name, nodes, kind) => make("div", { class: `text-line of-${kind}` },
  make("small", { class: "who" }, name), make("bdi", { lang: data.lang }, nodes));

// What is shown of an output: reference and output, or reference, A and B; only A and B if these are
// compared with each other. A hit of a search that is in none of them has a line of its own.
export function textLines(segment, system, { short = true, k = 0 } = {}) {
  const words = state.search || termWords(segment);
  const ref = refOf(segment, k);
  const pair = state.b !== NONE && system !== state.b;
  const outputs = pair ? [system, state.b] : [system];
  const lines = state.finding && !pair ? markupLines(segment, system, words, short) : pair && state.against === "pair" ? pairLines(outputs, segment, short) : [
    lineOf(say("ref"), markedText(ref, missedRuns(ref, outputs.map((i) => data.hyps[i][segment])), { short, words }), "ref"),
    ...outputs.map((i, side) => {
      const text = data.hyps[i][segment];
      const nodes = text ? markedText(text, spannedRuns(runsOf(matching(ref, text), 0), i, segment), { short, words }) : make("ins", { class: "run extra" }, say("(empty)"));
      return lineOf(pair ? "AB"[side] : say("hyp"), nodes, pair ? "ab"[side] : "hyp");
    }),
  ];
  if (!words || !short || [ref, ...outputs.map((i) => data.hyps[i][segment])].some((text) => hitsOf(text, words).length)) return lines;
  const other = textsOf(segment, []).slice(1).find(([, text]) => hitsOf(text, words).length);
  if (other) lines[0] = lineOf(other[0], markedText(other[1], plainRuns(other[1]), { short, words }), "other");
  return lines;
}

// While findings are filtered, the source has what was lost.
const markupLines = (segment, system, words, short) => [
  lineOf(say("src"), [state.a === EVERY ? null : [markupBadges(rowOf(segment, system)), " "], markupText(system, segment, "lost", words, short)], "other"),
  lineOf(say("hyp"), markupText(system, segment, "added", words, short), "hyp"),
];

// What of a reference is missing in outputs. Of two, it is said in which; a run is what both, A or B miss.
function missedRuns(ref, outputs) {
  const differences = outputs.map((text) => matching(ref, text));
  if (outputs.length === 1) return runsOf(differences[0], 1);
  const { starts, units } = differences[0].sides[1];
  const runs = [];
  units.forEach((_, at) => {
    const [a, b] = differences.map(({ states }) => states[1][at]);
    const by = `${a === "missing" ? "A" : ""}${b === "missing" ? "B" : ""}`;
    const missed = by ? "missing" : b === "same" ? b : a;
    const last = runs[runs.length - 1];
    if (last && last.state === missed && last.by === by) last.stop = starts[at + 1];
    else runs.push({ start: starts[at], stop: starts[at + 1], state: missed, by });
  });
  return runs.map((run) => ({ ...run, by: run.by === "A" || run.by === "B" ? run.by : null }));
}

// A and B compared with each other: what only one of them says.
function pairLines(outputs, segment, short) {
  const [a, b] = outputs.map((i) => data.hyps[i][segment]);
  const found = difference(a, b);
  const renamed = (side, name) => runsOf(found, side).map((run) => ({ ...run, state: /missing|extra/.test(run.state) ? name : run.state }));
  return [[a, 1, "a"], [b, 0, "b"]].map(([text, side, name]) =>
    lineOf(name.toUpperCase(), text ? markedText(text, renamed(side, name), { short, words: state.search })
      : make("ins", { class: `run ${name}` }, say("(empty)")), name));
}

// How many other outputs a row stands for.
function groupedText(row) {
  const n = isGrouped() ? groupSizes.get(row) - 1 : 0;
  return n ? [" ", make("small", { title: say("{0} more of this segment", countText(n, "output")) }, `+${n}`)] : null;
}

// What is said of an output; the list of one system, which has no column of systems, says it below the segment.
export const kindBadges = (row) => kindsOfOutput(row).map((kind) => [" ", make("small", { class: "kind" }, say(kind))]);
const tagsOf = (row) => [kindBadges(row), markupBadges(row)];

// Opens a row and copies it, for the mouse; the keyboard finds the same in the open segment.
const copyOfRow = () => make("button", { type: "button", class: "row-copy", tabindex: "-1", title: say("Texts, scores, picture and link") }, say("Copy"));

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
    cell("segment", { title: title(segment) }, make("b", {}, nameOf(segment)), " ",
      make("small", {}, isolated(shortTitle(segment))),
      state.a === EVERY ? null : make("span", { class: "tags" }, tagsOf(row))),
    cell("system", {}, isolated(data.systems[system]), groupedText(row), state.a === EVERY ? tagsOf(row) : null),
    cell("score", {}, isGrouped() ? outputStrip(segment, system) : bar(value), format(value, digits)),
  );
  if (state.b !== NONE) {
    const gained = differenceOf(row);
    const better = gained === 0 ? "" : gained > 0 === higher ? "▲" : "▽";
    node.append(
      cell("other", {}, bar(score(state.b, segment)), format(score(state.b, segment), digits)),
      cell("difference", {}, better, " ", signed(gained, digits)),
    );
  }
  node.append(...listedJudges.map((judge) => judgeCell(judge, segment, system)));
  node.append(cell("text", {}, textLines(segment, system, { short: unprinted === null })), cell("copy", {}, copyOfRow()));
  node.classList.toggle("chosen", isChosen(row));
  return node;
}

// A row of two systems is of both.
export const isChosen = (row) => segmentOf(row) === state.segment && (isGrouped() || systemOf(row) === state.system || (state.a >= 0 && state.b === state.system));

let unprinted = null; // while the page is printed: all rows of the list

function draw() {
  const first = unprinted ? 0 : Math.max(0, Math.floor(viewport.scrollTop / height) - OVERSCAN);
  const last = unprinted ? listed.length : Math.min(listed.length, Math.ceil((viewport.scrollTop + viewport.clientHeight) / height) + OVERSCAN);
  // The active row stays, to keep the focus; on paper it may not be among the rows.
  const visibleRows = new Set(active < listed.length ? [active] : []);
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

// The places of the rows, whose height depends on the width of the list. What is in sight stays there:
// the active row, or else the first rows.
export function placeRows() {
  // The row height of the style sheet depends on the reader's font size.
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const [before, top] = [height, viewport.scrollTop];
  height = rem * parseFloat(getComputedStyle(grid).getPropertyValue("--row"));
  const room = viewport.clientHeight;
  spacer.style.height = `${listed.length * height}px`;
  for (const [place, node] of drawn) node.style.transform = `translateY(${place * height}px)`;
  if (height === before) return; // the layout is spared
  const offset = active * before - top; // of the active row
  const isInSight = offset > -before && offset < room;
  viewport.scrollTop = isInSight ? active * height - Math.max(0, Math.min(offset, room - height)) : (top / before) * height;
}

// The rows as they are, in a list of another size.
export function arrange() {
  placeRows();
  draw();
}

function redraw() {
  const focused = viewport.contains(document.activeElement);
  for (const node of drawn.values()) node.remove();
  drawn.clear();
  arrange();
  if (focused) drawn.get(active)?.focus({ preventScroll: true });
}

function groupRows(rows) {
  const firsts = new Map(); // by segment
  groupSizes = new Map();
  for (const row of rows) {
    const first = firsts.get(segmentOf(row)) ?? row;
    firsts.set(segmentOf(row), first);
    groupSizes.set(first, (groupSizes.get(first) ?? 0) + 1);
  }
  return [...firsts.values()];
}

// The scores of all outputs of a segment, the one that is shown first as a line.
function outputStrip(segment, system) {
  const place = (value) => hundredths(2 + 56 * Math.max(0, Math.min(1, value / scale())));
  return make("svg:svg", { class: "score-strip", viewBox: "0 0 60 12", "aria-hidden": "true" }, make("svg:path", { class: "base", d: "M2 6H58" }),
    make("svg:path", { class: "all", d: data.systems.map((_, i) => `M${place(score(i, segment))} 6h0`).join("") }),
    make("svg:path", { class: "current", d: `M${place(score(system, segment))} 1V11` }));
}

// The list of all systems: by segment, or every output.
export const rowChoices = () => make("div", { class: "choices", role: "group", "aria-label": say("Rows") },
  [["segments", say("By segment")], ["outputs", say("All outputs")]].map(([rows, name]) => make("button", {
    type: "button", "data-rows": rows, "aria-pressed": String(state.rows === rows), onclick: () => {
      change({ rows });
      document.querySelector(`#mode [data-rows="${rows}"]`).focus();
    } }, name)));

export function list() {
  listedOutputs = sorted(rowsOf());
  listed = isGrouped() ? groupRows(listedOutputs) : listedOutputs;
  active = 0;
  viewport.scrollTop = 0;
  grid.setAttribute("aria-rowcount", listed.length + 1);
  grid.classList.toggle("compared", state.b !== NONE);
  grid.classList.toggle("judged", listedJudges.length > 0);
  grid.classList.toggle("one-system", state.a !== EVERY);
  grid.classList.toggle("two-lines", state.b === NONE || state.against === "pair");
  grid.style.setProperty("--of-judges", listedJudges.length ? `repeat(${listedJudges.length}, 6.75rem)` : " ");
  head();
  const all = data.segments.length * (state.a === EVERY && !isGrouped() ? data.systems.length - (state.b !== NONE) : 1);
  const what = state.a === EVERY && !isGrouped() ? "output" : "segment";
  document.getElementById("nothing").hidden = listed.length > 0;
  grid.hidden = !listed.length;
  document.getElementById("count").textContent = listed.length === all
    ? countText(all, what) : say("{0} of {1}", grouped(listed.length), countText(all, what));
  redraw();
}

// The row that Tab reaches; it may not be in sight.
export function setActive(place) {
  const before = drawn.get(active);
  if (before) before.tabIndex = -1;
  active = Math.max(0, Math.min(listed.length - 1, place));
  const node = drawn.get(active);
  if (node) node.tabIndex = 0;
}

export function activate(place, focus = true) {
  setActive(place);
  const top = active * height;
  if (top < viewport.scrollTop) viewport.scrollTop = top;
  else if (top + height > viewport.scrollTop + viewport.clientHeight)
    viewport.scrollTop = top + height - viewport.clientHeight;
  draw();
  if (focus) drawn.get(active)?.focus({ preventScroll: true });
}

export function open(place) {
  activate(place, viewport.contains(document.activeElement));
  const row = listed[place];
  if (row !== undefined) change({ segment: segmentOf(row), system: systemOf(row) }, state.segment === null);
}

viewport.addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
addEventListener("resize", arrange);

// On paper: the first rows of the order that was chosen, or those with the lowest scores.
addEventListener("beforeprint", () => {
  unprinted = listed;
  const sign = metric().higher ? 1 : -1;
  const value = (row) => sign * score(systemOf(row), segmentOf(row));
  const lowest = ["segment", "worst"].includes(state.sort) && state.b === NONE && listed.length > MOST_PRINTED;
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
  const isCopied = event.target.closest(".row-copy");
  if (row && (isCopied || getSelection().isCollapsed)) open(Number(row.dataset.place));
  if (isCopied) document.querySelector("#segment .bar > .copy").click();
});
viewport.addEventListener("keydown", (event) => {
  const page = Math.max(1, Math.floor(viewport.clientHeight / height) - 1);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in steps) {
    activate(active + steps[event.key]);
    if (state.segment !== null) open(active); // the segment beside the list follows
  } else if (event.key === "Enter" && listed.length) {
    if (isChosen(listed[active])) focusSegment();
    else open(active);
  } else return;
  event.preventDefault();
});
