// All systems of a segment in the columns of the reference: only what differs is written. Outputs that
// are equal share a row.

import { ERRORS } from "./constants.js";
import { metric } from "./shown-metric.js";
import { format } from "./figures.js";
import { data, isolated, make, marked, say, table } from "./dom.js";
import { NONE, change, state } from "./state.js";
import { score } from "./explained.js";
import { CONTENT, IS_WIDE, difference, markedText, runNode, runsOf, unitsOf } from "./diff.js";
import { matching } from "./matching.js";
import { directionOf } from "./sentences.js";
import { spannedRuns } from "./spans.js";
import { pairOf } from "./pair.js";
import { reader, wide } from "./segment.js";

const views = { grid: "Aligned", texts: "Texts" };
let outputsView = matchMedia("(max-width: 46rem)").matches ? "texts" : "grid"; // few columns fit a narrow screen
const MOST_SHOWN = 10; // characters of a deviation beyond those that it replaces
const [COLUMN, LETTER, NAMES] = [20, 15.5, 240]; // pixels: least width of a column, a wide character, names and scores

const cutText = (text, most) => (Array.from(text).length <= most ? text : `${Array.from(text).slice(0, most - 1).join("")}…`);

// The systems by their outputs, the best first: [{text, systems}].
function groupedOutputs(segment) {
  const sign = metric().higher ? 1 : -1;
  const ranked = data.systems.map((_, i) => i).sort((x, y) => (score(y, segment) - score(x, segment)) * sign || x - y);
  const groups = new Map();
  for (const system of ranked) {
    const text = data.hyps[system][segment];
    groups.set(text, [...(groups.get(text) ?? []), system]);
  }
  return [...groups].map(([text, systems]) => ({ text, systems }));
}

const systemButton = (i) => make("button", {
  type: "button", class: "plain", "aria-pressed": String(i === state.system), "data-system": i, onclick: () => change({ system: i }),
}, isolated(data.systems[i]));

const scoreCell = (system, segment) => make("td", { class: "number" }, format(score(system, segment), metric().digits));

// The cells of an output below those units of the base that a block has: equal spans are a dotted line,
// gaps a dash, other text is written out, and what is inserted stands before the next column.
function gridCells({ text: base, compare }, text, [first, end], isLast) {
  const found = compare(base, text);
  const [runs, { starts }, { starts: refStarts }] = [runsOf(found, 0), ...found.sides];
  const cells = [];
  // As much of a span as there is room for.
  const written = (span, most) => {
    let room = most;
    return runs.flatMap(({ start, stop, state: drawn }) => {
      const part = text.slice(Math.max(start, starts[span[0]]), Math.min(stop, starts[span[1]])).trim();
      const shown = room > 0 && part ? cutText(part, room) : "";
      room -= Array.from(part).length;
      return shown ? [runNode(shown, { state: drawn })] : [];
    });
  };
  let inserted = null;
  for (const { equal, ref, hyp: span } of found.steps) {
    const [start, stop] = [Math.max(ref[0], first), Math.min(ref[1], end)];
    const own = text.slice(starts[span[0]], starts[span[1]]).trim();
    const isHere = ref[0] >= first && (ref[0] < end || isLast);
    if (ref[0] === ref[1] && isHere && own) inserted = make("span", { class: "inserted", title: own }, written(span, MOST_SHOWN));
    if (start >= stop) continue;
    const width = stop - start;
    const lost = found.states[1].slice(start, stop);
    const gap = () => runNode("–", { state: lost.includes("missing") ? "missing" : lost.find((each) => each !== "same") ?? "missing", isSigns: !CONTENT.test(base.slice(refStarts[start], refStarts[stop])) });
    // What goes on from the block before was written there.
    const content = equal ? null : !own ? gap() : isHere ? written(span, width + MOST_SHOWN) : "…";
    cells.push(make("td", { class: equal ? "same" : "differs", colspan: width, title: equal || !own ? null : own, lang: data.lang }, inserted, content));
    inserted = null;
  }
  return [...cells, make("td", { class: "rest" }, inserted)];
}

// The base of the grid: the reference, or A if A and B are compared with each other.
function gridBase(segment) {
  if (state.against === "pair" && state.b !== NONE) return { name: `A${say(": ")}${data.systems[pairOf()[0]]}`, text: data.hyps[pairOf()[0]][segment], compare: difference };
  return { name: data.refs.length > 1 ? data.references[0] : say("Reference"), text: data.refs[0][segment], compare: matching };
}

const textWidth = (text) => 4 + LETTER * [...text].reduce((sum, char) => sum + (IS_WIDE.test(char) ? 1 : 0.65), 0);

// The width that each column of the base needs, in pixels: for its own text, and for what outputs have there.
function columnWidths(base, units, texts) {
  const widths = units.map((unit) => Math.max(COLUMN, textWidth(unit.trim())));
  for (const text of texts) {
    const { sides: [hyp], steps } = difference(base, text);
    let inserted = 0;
    for (const { equal, ref: [start, stop], hyp: span } of steps) {
      const own = equal ? "" : text.slice(hyp.starts[span[0]], hyp.starts[span[1]]).trim();
      const needed = inserted + (own ? textWidth(cutText(own, stop - start + MOST_SHOWN)) : 0);
      inserted = start === stop ? needed : 0;
      for (let i = start; i < stop; i++) widths[i] = Math.max(widths[i], needed / (stop - start));
    }
  }
  return widths;
}

// The room of a block: the segment stands beside the list, or fills the window. The width is kept,
// because reading it from a page that has changed would lay it out.
let readerWidth = null;
addEventListener("resize", () => { readerWidth = null; });
const gridRoom = () => (wide.matches ? ((readerWidth ??= reader.clientWidth) * 2) / 3 - 60 : innerWidth - 30) - NAMES;

// Where the units of the base are cut into blocks that fit.
function blocksOf(widths) {
  const most = gridRoom();
  const cuts = [0];
  let sum = 0;
  widths.forEach((width, i) => {
    sum += width;
    if (sum <= most || i === cuts[cuts.length - 1]) return;
    cuts.push(i);
    sum = width;
  });
  return cuts.map((cut, k) => [cut, cuts[k + 1] ?? widths.length]);
}

// Only the first block is drawn at once, because the others are often out of sight; this draws them.
let drawOthers = () => {};
export const completeOutputs = () => drawOthers();

function gridTable(segment) {
  const base = gridBase(segment);
  const { units } = unitsOf(base.text, new Map());
  const groups = groupedOutputs(segment);
  const blocks = blocksOf(columnWidths(base.text, units, groups.map(({ text }) => text)));
  const names = (systems, k) => systems.map((i, at) => [at ? ", " : null, k ? isolated(data.systems[i]) : systemButton(i)]);
  const blockTable = ([first, end], k) => make("table", { class: "outputs aligned-outputs", dir: directionOf(base.text) }, make("caption", { class: "unseen" }, say("All systems, aligned")), make("tbody", {},
    make("tr", { class: "base" }, make("th", { scope: "row" }, isolated(base.name)), k ? null : make("td", {}),
      units.slice(first, end).map((unit) => make("td", { lang: data.lang }, unit.trim() ? unit : "")), make("td", {})),
    groups.map(({ text, systems }) => make("tr", { class: systems.includes(state.system) ? "chosen" : null },
      make("th", { scope: "row" }, names(systems, k)), k ? null : scoreCell(systems[0], segment), gridCells(base, text, [first, end], k === blocks.length - 1)))));
  const node = make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": say("All systems, aligned") }, blockTable(blocks[0], 0));
  drawOthers = () => {
    drawOthers = () => {};
    node.append(...blocks.slice(1).map((block, k) => blockTable(block, k + 1)));
  };
  return node;
}

function textTable(segment) {
  const rows = groupedOutputs(segment).map(({ text, systems }) => {
    const nodes = text ? markedText(text, spannedRuns(runsOf(matching(data.refs[0][segment], text), 0), systems[0], segment), { words: state.search }) : make("ins", { class: "run extra" }, say("(empty)"));
    return make("tr", { class: systems.includes(state.system) ? "chosen" : null },
      make("th", { scope: "row" }, systems.map((i, k) => [k ? ", " : null, systemButton(i)])),
      scoreCell(systems[0], segment), make("td", { lang: data.lang, dir: "auto", class: "output" }, nodes));
  });
  const refs = data.refs.map((side, i) => make("tr", { class: "reference" },
    make("th", { scope: "row" }, data.refs.length > 1 ? isolated(data.references[i]) : say("Reference")), make("td", {}),
    make("td", { lang: data.lang, dir: "auto", class: "output" }, marked(side[segment] || say("(empty)"), state.search))));
  return table(["System", `#${metric().name}`, "Output"], [...refs, ...rows], { class: "outputs texts-of-outputs" }, say("Outputs by score"));
}

// The outputs of all systems, in one of the views; those of a segment are drawn once, although its
// explanation is read after it is first shown.
let outputsDrawn = { key: "", node: null };
export function outputs() {
  const key = JSON.stringify([Math.round(gridRoom()), state.metric, state.segment, state.system, state.against, state.a, state.b, state.search, state.language]);
  if (outputsDrawn.key !== key) outputsDrawn = { key, node: drawOutputs() };
  return outputsDrawn.node;
}

function drawOutputs() {
  const { segment } = state;
  const node = make("section", { class: "all-outputs" });
  const draw = () => {
    const choices = Object.entries(views).map(([view, name]) => make("button", {
      type: "button", "data-view": view, "aria-pressed": String(view === outputsView),
      onclick: () => {
        outputsView = view;
        draw();
        completeOutputs();
        node.querySelector(`[data-view=${view}]`).focus();
      },
    }, say(name)));
    const legendOf = outputsView === "texts" ? null : make("p", { class: "key" },
      make("span", {}, make("span", { class: "as-base" }), " ", say(state.against === "pair" && state.b !== NONE ? "as in A" : "as in the reference")),
      make("span", {}, make("ins", { class: "run extra" }, say("other text")), " ", make("del", { class: "run missing" }, "–"), " ", say(ERRORS.missing)));
    node.replaceChildren(...[make("div", { class: "heading" }, make("h4", {}, say("All systems")), make("div", { class: "choices", role: "group", "aria-label": say("All systems") }, choices)),
      outputsView === "grid" ? gridTable(segment) : textTable(segment), legendOf].filter(Boolean));
  };
  draw();
  return node;
}
