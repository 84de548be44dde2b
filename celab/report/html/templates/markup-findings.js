// What must survive translation: placeholders, tags and the like that an output has lost or added. They
// are a filter, badges of an output, and marks in its source and its text.

const ANY_FINDING = "any"; // value of the filter
const findingsOfRow = new Map();
(data.findings ?? []).forEach(([system, segment, kind, lost, added, inSource, inOutput]) => {
  const row = segment * data.systems.length + system;
  if (!findingsOfRow.has(row)) findingsOfRow.set(row, []);
  findingsOfRow.get(row).push({ kind, lost, added, inSource, inOutput });
});
const findingsOf = (system, segment) => findingsOfRow.get(segment * data.systems.length + system) ?? [];
const findingKinds = [...new Set((data.findings ?? []).map(([, , kind]) => kind))];
const isFinding = (value) => value === ANY_FINDING ? findingKinds.length > 0 : findingKinds.includes(value);
const nameOfFinding = (value) => (value === ANY_FINDING ? say("any finding") : say(value));

// A filter: the rows with a finding of a kind; null if there is none.
const rowsOfFinding = new Map();
function rowsWithFinding(value) {
  if (!value) return null;
  if (!rowsOfFinding.has(value)) {
    const rows = [...findingsOfRow].filter(([, findings]) => value === ANY_FINDING || findings.some(({ kind }) => kind === value));
    rowsOfFinding.set(value, new Set(rows.map(([row]) => row)));
  }
  return rowsOfFinding.get(value);
}

function fillFindings() {
  if (!filters.finding) return;
  const rows = rowsOf(["finding"]);
  const other = (row) => segmentOf(row) * data.systems.length + state.b;
  const count = (value) => rows.filter((row) => rowsWithFinding(value).has(row) || (state.b >= 0 && rowsWithFinding(value).has(other(row)))).length;
  const values = findingKinds.length > 1 ? [ANY_FINDING, ...findingKinds] : findingKinds;
  fillFacet(filters.finding, [["", say("all outputs")], ...values.map((value) => [value, nameOfFinding(value), count(value)])]);
  filters.finding.value = state.finding;
}

const pieces = (texts) => texts.map((text) => shownPiece(text)).join(" ");
// White space alone would not be seen.
const shownPiece = (text) => (text.trim() ? text : text.replaceAll(" ", "␣").replaceAll("\u00a0", "⍽").replaceAll("\u3000", "□"));
const lossText = ({ kind, lost, added }) => [say(kind), lost.length ? say("lost: {0}", pieces(lost)) : "", added.length ? say("added: {0}", pieces(added)) : ""].filter(Boolean).join(" · ");

// The kinds of an output's findings; the title says what was lost and added.
const findingBadges = (system, segment) => findingsOf(system, segment).map((finding) =>
  [" ", make("small", { class: "kind finding", title: lossText(finding) }, say(finding.kind))]);

// A text as runs, with the places of findings marked. Their ends are in characters, those of runs in
// units of JavaScript's strings.
function runsAt(text, spans, state) {
  const characters = Array.from(text);
  const place = (n) => characters.slice(0, n).join("").length;
  const runs = [];
  let at = 0;
  for (const [start, stop] of spans.map((span) => span.map(place)).sort(([x], [y]) => x - y)) {
    if (stop <= at) continue;
    if (start > at) runs.push({ start: at, stop: start, state: "same" });
    runs.push({ start: Math.max(start, at), stop, state });
    at = stop;
  }
  if (at < text.length) runs.push({ start: at, stop: text.length, state: "same" });
  return runs;
}

// A mark is a run as of a difference; white space in it is shown by signs.
function findingNodes(text, spans, state, words, short = false) {
  const runs = runsAt(text, spans, state);
  const blank = (run) => run.state === state && !text.slice(run.start, run.stop).trim();
  if (!runs.some(blank)) return markedText(text, runs, { words, short });
  return runs.map((run) => (blank(run) ? runNode(shownPiece(text.slice(run.start, run.stop)), run) : markedText(text.slice(run.start, run.stop), [{ ...run, start: 0, stop: run.stop - run.start }], { words })));
}
// What stands in neither text, such as an inline code, is written after it.
function placedNodes(text, places, names, state, words, short) {
  const apart = names.filter((_, i) => !places[i]);
  return [findingNodes(text, places.filter(Boolean), state, words, short),
    apart.map((name) => [" ", make(ELEMENTS[state], { class: `run ${state}` }, shownPiece(name))])];
}
const lostNodes = (system, segment, words = "", short = false) => {
  const findings = findingsOf(system, segment);
  return placedNodes(data.source[segment], findings.flatMap(({ inSource }) => inSource), findings.flatMap(({ lost }) => lost), "missing", words, short);
};
const addedNodes = (system, segment, words = "", short = false) => {
  const findings = findingsOf(system, segment);
  return placedNodes(data.hyps[system][segment], findings.flatMap(({ inOutput }) => inOutput), findings.flatMap(({ added }) => added), "extra", words, short);
};

// The lines of the list while findings are filtered: the source has what was lost.
const findingRows = (segment, system, words, short) => [
  lineOf(say("src"), [state.a === EVERY ? null : [findingBadges(system, segment), " "], lostNodes(system, segment, words, short)], "other"),
  lineOf(say("hyp"), addedNodes(system, segment, words, short), "hyp"),
];

// Each finding in words, because a code that was lost is in neither text.
const findingsInWords = (system, segment) => findingsOf(system, segment).map(({ kind, lost, added }) => make("p", { class: "finding-line" },
  make("small", { class: "kind finding" }, say(kind)), " ",
  lost.length ? [say("lost"), " ", lost.map((text) => [make("del", { class: "run missing" }, shownPiece(text)), " "])] : null,
  added.length ? [say("added"), " ", added.map((text) => [make("ins", { class: "run extra" }, shownPiece(text)), " "])] : null));

// The findings about the output that is read, and its text with their marks.
function findingSection(system, segment) {
  if (!findingsOf(system, segment).length) return null;
  const hasMarks = findingsOf(system, segment).some(({ inOutput }) => inOutput.length);
  return make("div", { class: "markup-findings" }, findingsInWords(system, segment),
    hasMarks ? make("div", { class: "against" }, lineOf(say("hyp"), addedNodes(system, segment, state.search), "hyp")) : null);
}

// A table of systems by kinds: a count lists these outputs.
function listByCount(place, key, isKnown) {
  for (const row of document.querySelectorAll(`${place} tbody tr`)) {
    const system = data.systems.indexOf(row.cells[0].textContent);
    [...row.cells].slice(1).forEach((cell, i) => {
      const kind = row.closest("table").tHead.rows[0].cells[i + 1].dataset.kind;
      if (system < 0 || !isKnown(kind) || cell.textContent.trim() === "0") return;
      cell.replaceChildren(make("button", { type: "button", class: "plain", "data-kind": kind, ...saying(["title"], "List these outputs"),
        onclick: () => listChosen({ ...initial(), language: state.language, metric: state.metric, a: system, [key]: kind }) }, cell.textContent.trim()));
    });
  }
}
listByCount("#kinds-of-findings", "finding", isFinding);
