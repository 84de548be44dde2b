// Findings in the report: a filter, lines of the list while it is set, a part of the segment, and counts
// that list their outputs.

import { data, make, say } from "./dom.js";
import { EVERY, initial, state } from "./state.js";
import { addedNodes, findingBadges, findingChoices, findingsInWords, findingsOf, isFinding, listByCount, lostNodes } from "./markup-findings.js";
import { rowsOf, segmentOf } from "./filters.js";
import { lineOf } from "./rows.js";
import { listChosen } from "./chips.js";
import { fillFacet } from "./facets.js";
import { filters } from "./main.js";

export function fillFindings() {
  if (!filters.finding) return;
  const rows = rowsOf(["finding"]);
  const other = (row) => segmentOf(row) * data.systems.length + state.b;
  fillFacet(filters.finding, findingChoices((wanted) => rows.filter((row) => wanted.has(row) || (state.b >= 0 && wanted.has(other(row)))).length));
  filters.finding.value = state.finding;
}

// Lines of the list while findings are filtered: the source has what was lost.
export const findingRows = (segment, system, words, short) => [
  lineOf(say("src"), [state.a === EVERY ? null : [findingBadges(system, segment), " "], lostNodes(system, segment, words, short)], "other"),
  lineOf(say("hyp"), addedNodes(system, segment, words, short), "hyp"),
];

// The findings about the output that is read, and its text with their marks.
export function findingSection(system, segment) {
  const findings = findingsOf(system, segment);
  if (!findings.length) return null;
  const hasMarks = findings.some(({ inOutput }) => inOutput.length);
  return make("div", { class: "markup-findings" },
    findingsInWords(system, segment).map((parts) => make("p", { class: "finding-line" }, parts)),
    hasMarks ? make("div", { class: "against" }, lineOf(say("hyp"), addedNodes(system, segment, state.search), "hyp")) : null);
}

listByCount("#kinds-of-findings", isFinding, (a, finding) =>
  listChosen({ ...initial(), language: state.language, metric: state.metric, a, finding }));
