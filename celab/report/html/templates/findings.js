// What is said about outputs: findings of all checks in one shape (celab/report/html/findings.py), and
// the filters by them. A filter has choices, and a choice the outputs of which it is true.

import { ERROR_TITLES } from "./constants.js";
import { data, say } from "./dom.js";
import { nSegments } from "./outputs.js";

// Rows are written as steps from one to the next or, if they are many, as bits.
function readRows(written) {
  let row = 0;
  if (typeof written !== "string") return written.map((step) => (row += step));
  const rows = [];
  for (let i = 0; i < written.length; i++) {
    const digit = parseInt(written[i], 16);
    for (let k = 0; k < 4; k++) if (digit & (8 >> k)) rows.push(4 * i + k);
  }
  return rows;
}

// By check and, if a check has nothing but kinds, by kind: rows, and the finding of a row by its place.
const groups = (data.findings ?? []).map(({ check, kind, verdict = true, rows, ...columns }) => {
  const isBare = Object.keys(columns).length === 0;
  const findingAt = (i) => ({ kind: typeof kind === "string" ? kind : kind[i], ...Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[i]])) });
  return { check, verdict, isBare, findingAt, rows: readRows(rows) };
});
const groupsOf = (...checks) => groups.filter(({ check }) => checks.includes(check));

// All findings of a check, with their rows; and those of one row.
const kept = new Map();
const keep = (key, compute) => (kept.has(key) ? kept : kept.set(key, compute())).get(key);
export const allFindings = (check) => keep(check, () => groupsOf(check).flatMap(({ rows, findingAt }) => rows.map((row, i) => ({ row, ...findingAt(i) }))));
const by = (column, check) => keep(`${check} by ${column}`, () => {
  const findings = new Map();
  for (const finding of allFindings(check)) {
    if (!findings.has(finding[column])) findings.set(finding[column], []);
    findings.get(finding[column]).push(finding);
  }
  return findings;
});
export const findingsOf = (check, row) => by("row", check).get(row) ?? [];
export const findingsOfTerm = (term) => by("value", "terms").get(term) ?? [];

// The kinds that checks have found, in their order.
const kindsOf = (...checks) => [...new Set(checks.flatMap((check) => allFindings(check).map(({ kind }) => kind)))];

// ---- filters ------------------------------------------------------------------------------------

export const kindsOfOutput = (row) => [...findingsOf("outputs", row), ...findingsOf("references", row)].map(({ kind }) => kind);
// Producers without a filter of their own.
const OWN = ["outputs", "references", "differences", "terms", "people"];
const others = [...new Set(groups.map(({ check }) => check))].filter((check) => !OWN.includes(check));
export const otherFindings = (row) => others.flatMap((check) => findingsOf(check, row));
// Outputs that something is said against. Copies in references, and what is right, are no fault of an output.
export const faultyRows = () => groups.filter(({ check }) => !["references", "differences", "people"].includes(check))
  .flatMap(({ rows, findingAt }) => rows.filter((_, i) => isMissed(findingAt(i))));
export const glossary = data.glossary ?? [];
export const isMissed = ({ kind }) => kind !== "right";

// Errors that people have marked.
export const LEVELS = ["critical", "major", "minor"]; // the gravest first
export const levelOf = ({ note }) => LEVELS.find((level) => (note ?? "").toLowerCase().includes(level)) ?? "other";

// A choice: its value, its name, what is true of its findings, and whether it is listed if it is not chosen.
const ofKind = (kind, name = () => say(kind)) => ({ value: kind, name, is: (finding) => finding.kind === kind, isListed: true });
// All of several kinds are a choice before them.
const withAny = (value, name, kinds, isIncluded = () => true) => {
  const included = kinds.filter(isIncluded);
  return [...(included.length ? [{ value, name, is: ({ kind }) => included.includes(kind), isListed: included.length > 1 }] : []), ...kinds.map((kind) => ofKind(kind))];
};

function termChoices() {
  const isListOfMisses = !data.metrics[0].scores; // what is right is not in it
  return glossary.flatMap(([term], i) => [
    { value: String(i), name: () => term, is: isListOfMisses ? isMissed : () => true, findings: () => findingsOfTerm(i), isListed: true },
    { value: `${i}:missed`, name: () => say("{0}, missed", term), is: isMissed, findings: () => findingsOfTerm(i), isListed: false }]);
}
const USES = { forbidden: "a forbidden term", untranslated: "the source term", missed: "nothing known" };
const useChoices = () => Object.entries(USES).map(([kind, name]) => ({ ...ofKind(kind, () => say(name)), value: kind === "missed" ? "nothing" : kind }));

function markChoices() {
  const marked = allFindings("people");
  if (!marked.length) return [];
  const isOf = (category, severity) => ({ kind, note }) => kind === (category ?? "") && (note ?? "") === (severity ?? "");
  return [
    { value: "any", name: () => say("with an error"), is: () => true, isListed: true },
    { value: "unseen", name: () => say("not seen"), is: ({ value: [seen] }) => seen === false, isListed: true },
    ...[...LEVELS, "other"].filter((level) => marked.some((finding) => levelOf(finding) === level))
      .map((level) => ({ value: level, name: () => say(level), is: (finding) => levelOf(finding) === level, isListed: true })),
    ...kindsOf("people").filter(Boolean).map((kind) => ({ ...ofKind(kind, () => kind), value: `category:${kind}`, isListed: false })),
    ...(data.span_summary?.counts ?? []).map(([category, severity], i) => ({
      value: `kind:${i}`, name: () => [category, severity].filter(Boolean).join(", ") || "–", is: isOf(category, severity), isListed: false })),
  ];
}

// By their keys in the URL: a heading, the text of no choice, the checks and the choices.
export const FACETS = Object.entries({
  error: ["Difference from the reference", "all outputs", ["differences"], (data.errors?.kinds ?? []).map((kind) => ofKind(kind, () => say(ERROR_TITLES[kind])))],
  kind: ["Kind of output", "all outputs", ["outputs", "references"],
    withAny("not translations", () => say("look broken"), kindsOf("outputs", "references"), (kind) => groups.some(({ check, verdict, findingAt }) => verdict && check === "outputs" && findingAt(0).kind === kind))],
  finding: ["Finding", "all outputs", others, withAny("any", () => say("any finding"), kindsOf(...others))],
  term: ["Term", "all terms", ["terms"], termChoices()],
  ...(data.metrics[0].scores ? {} : { use: ["In its place", "all misses", ["terms"], glossary.length ? useChoices() : []] }),
  marked: ["Marked errors", "all outputs", ["people"], markChoices()],
}).map(([key, [label, all, checks, choices]]) => ({ key, label, all, checks, choices: new Map(choices.map((choice) => [choice.value, choice])) }))
  .filter(({ choices }) => choices.size);

// The outputs of which a choice is true: 1 at their places.
export function outputsOf({ choices, checks }, value) {
  const choice = choices.get(value);
  if (choice.outputs) return choice.outputs;
  choice.outputs = new Uint8Array(data.systems.length * nSegments);
  const take = (rows) => rows.forEach((row) => { choice.outputs[row] = 1; });
  const takeFrom = (findings) => take(findings.filter(choice.is).map(({ row }) => row));
  if (choice.findings) takeFrom(choice.findings());
  else for (const check of checks) {
    if (groupsOf(check).some(({ isBare }) => !isBare)) takeFrom(allFindings(check));
    else for (const { rows, findingAt } of groupsOf(check)) if (choice.is(findingAt(0))) take(rows); // thousands that need no list
  }
  return choice.outputs;
}
