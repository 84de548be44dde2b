// The choices of the filters, each with how many outputs the other filters leave of it, and the
// table of systems, whose histograms follow the filters.

import { metric } from "./shown-metric.js";
import { format, grouped } from "./figures.js";
import { countText, data, make, say } from "./dom.js";
import { EVERY, NONE, score, state } from "./state.js";
import { ANY_KIND, outputsOfKind, rowsOf, segmentOf, selectedSegments, systemOf } from "./filters.js";
import { hundredths } from "./svg.js";
import { filters } from "./main.js";

export function fillFacet(select, options) {
  select?.replaceChildren(...options.map(([value, text, count]) =>
    make("option", { value }, count === undefined ? text : `${text} (${grouped(count)})`)));
}

// How many rows the other filters leave, by a number of each.
function countRows(without, numberOf, n) {
  const counts = new Array(n).fill(0);
  for (const row of rowsOf([without])) counts[numberOf(row)]++;
  return counts;
}

// The choices of a filter whose values are segments in groups: documents, domains, lengths.
function groupsOf(without, names, numberOf, first, valueOf = (i) => i) {
  const counts = countRows(without, (row) => numberOf(segmentOf(row)), names.length);
  return [first, ...names.map((name, i) => [valueOf(i), name, counts[i]])];
}

// Systems in the order of their rank by the metric, with counts if the filters leave not all.
function systemsOf(first) {
  const counts = countRows("a", systemOf, data.systems.length);
  const isWhole = counts.every((count, i) => count === data.segments.length || i === state.b);
  const ranked = metric().ranked ?? data.systems.map((_, i) => i);
  return [...first, ...ranked.map((i) => [i, data.systems[i], isWhole ? undefined : counts[i]])];
}

// The kinds of outputs; one of B counts for the row that compares it with another.
function kindChoices() {
  const rows = new Set(rowsOf(["kind"]));
  const n = data.systems.length;
  const counted = (kind) => {
    const places = outputsOfKind(kind).flatMap((set, system) => [...set].flatMap((segment) =>
      (system === state.b ? data.systems.map((_, i) => segment * n + i) : [segment * n + system])));
    return new Set(places.filter((row) => rows.has(row))).size;
  };
  return [["", say("all outputs")], ...[ANY_KIND, ...Object.keys(data.kinds)].map((kind) => [kind, say(kind), counted(kind)])];
}

export function fillFacets() {
  const { domain, length } = data.buckets;
  fillFacet(filters.a, systemsOf(data.systems.length > 1 ? [[EVERY, say("all systems")]] : []));
  if (filters.document) fillFacet(filters.document, groupsOf("document", data.documents, (segment) => data.segments[segment], [NONE, say("all documents")]));
  if (filters.domain) fillFacet(filters.domain, groupsOf("domain", domain[0], (segment) => domain[1][segment], [NONE, say("all domains")]));
  if (filters.bucket) fillFacet(filters.bucket, groupsOf("bucket", length[0], (segment) => length[1][segment], ["", say("all lengths")], (i) => `length:${i}`));
  if (filters.kind) fillFacet(filters.kind, kindChoices());
}

// How many scores are in each bar of a histogram; what is below the first belongs to it.
function countScores(segments, system, lows) {
  const counts = lows.map(() => 0);
  for (const segment of segments) {
    const value = score(system, segment) + 1e-9;
    let bar = lows.length - 1;
    while (bar > 0 && lows[bar] > value) bar--;
    counts[bar]++;
  }
  return counts;
}

// The segments that the filters leave, in the histograms of all systems, with their means.
export function showSelection() {
  const board = document.querySelector(`.of-metric[data-metric="${state.metric}"] .board`);
  if (!board) return;
  const segments = selectedSegments();
  const isWhole = segments.length === data.segments.length;
  for (const cell of board.querySelectorAll("td.score")) cell.dataset.copy ??= cell.textContent.trim(); // without the mean
  if (isWhole && !board.classList.contains("selected")) return;
  const rows = [...board.tBodies[0].rows].map((row) => {
    const system = Number(row.dataset.system);
    const bars = [...row.querySelectorAll(".histogram [data-low]")];
    return { row, system, bars, counts: isWhole ? bars.map(() => 0) : countScores(segments, system, bars.map((node) => Number(node.dataset.low))) };
  });
  const tallest = Math.max(1, ...rows.flatMap(({ counts }) => counts));
  board.classList.toggle("selected", !isWhole);
  for (const { row, system, bars, counts } of rows) {
    row.querySelector(".taken")?.remove();
    const taken = bars.map((node, i) => (counts[i] ? barOf(node.querySelector(".hit"), counts[i] / tallest) : "")).join("");
    if (taken) bars.at(-1).after(make("svg:path", { class: "taken", d: taken }));
    showMean(row.querySelector("td.score"), system, isWhole ? [] : segments);
  }
  const note = document.getElementById(`selected-${state.metric}`);
  note.hidden = isWhole;
  note.textContent = say("Dark bars, on a scale of their own, and the means below the scores: the {0} that the filters leave.", countText(segments.length, "segment"));
}

// A part of a bar, from below, as a path.
function barOf(whole, share) {
  const [height, x, width] = ["height", "x", "width"].map((name) => Number(whole.getAttribute(name)));
  const tall = hundredths(height * share);
  return `M${x} ${hundredths(height - height * share)}h${width}v${tall}h${-width}z`;
}

function showMean(cell, system, segments) {
  cell.querySelector(".of-selection")?.remove();
  if (!segments.length) return;
  const mean = segments.reduce((sum, segment) => sum + score(system, segment), 0) / segments.length;
  cell.append(make("small", { class: "of-selection", title: say("mean of the {0} that the filters leave", countText(segments.length, "segment")) }, format(mean, metric().digits)));
}
