// The table of systems follows the filters: the segments that they leave, in histograms and means.

import { metric } from "./shown-metric.js";
import { format } from "./figures.js";
import { countText, data, make, say } from "./dom.js";
import { state } from "./state.js";
import { score } from "./explained.js";
import { selectedSegments } from "./filters.js";
import { hundredths } from "./svg.js";

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
