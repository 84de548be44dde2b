// What the list of segments is limited to: a chip for each limit, which removes it.

import { ERROR_TITLES } from "./constants.js";
import { metric } from "./shown-metric.js";
import { format } from "./figures.js";
import { data, isolated, make, phrase, say } from "./dom.js";
import { EVERY, NONE, boxOf, change, state } from "./state.js";
import { markChoices } from "./spans.js";
import { termText } from "./terms.js";
import { nameOfFinding } from "./markup-findings.js";
import { judgeOf } from "./judges.js";
import { activate } from "./rows.js";
import { KINDS, bucketLabel } from "./buckets.js";

const chips = document.getElementById("chips");

export function limits() {
  const range = (low, high) => (low === "" ? `≤ ${high}` : high === "" ? `≥ ${low}` : `${low}–${high}`);
  const [kind, number] = state.bucket.split(":");
  const judge = judgeOf(state.axis);
  const box = boxOf(state.box)?.map((end, i) => format(end, judge && i < 2 ? judge.digits : metric().digits));
  return [
    data.systems.length > 1 && state.a !== EVERY && [say("System"), data.systems[state.a], { a: EVERY }],
    state.b !== NONE && [say("Compared with"), data.systems[state.b], { b: NONE }],
    state.document !== NONE && [say("Document"), data.documents[state.document], { document: NONE }],
    state.domain !== NONE && [say("Domain"), data.buckets.domain[0][state.domain], { domain: NONE }],
    state.error && [say("Difference from the reference"), say(ERROR_TITLES[state.error]), { error: "" }],
    state.kind && [say("Kind of output"), say(state.kind), { kind: "" }],
    state.finding && [say("Finding"), nameOfFinding(state.finding), { finding: "" }],
    state.term && [say("Term"), termText(state.term), { term: "" }],
    state.marked && [say("Marked errors"), markChoices().find(([value]) => value === state.marked)[1], { marked: "" }],
    (state.min || state.max) && [say("Score"), range(state.min, state.max), { min: "", max: "" }],
    state.b !== NONE && state.least && [say("Difference"), `≥ ${state.least}`, { least: "" }],
    kind && [say(KINDS[kind]), bucketLabel(kind, Number(number)), { bucket: "" }],
    box && [say("Area"), `${judge ? metric().name : "A"} ${box[2]}–${box[3]}, ${judge ? judge.name : "B"} ${box[0]}–${box[1]}`, { box: "" }],
    state.search && [say("Search"), state.search, { search: "" }],
  ].filter(Boolean);
}

export function showChips() {
  const nodes = limits().map(([name, value, without]) => make("button", {
    type: "button", class: "chip", "data-chip": Object.keys(without)[0], "aria-label": say("Remove {0}: {1}", name, value),
    onclick: () => {
      change(without, true);
      document.getElementById("segments-heading").focus({ preventScroll: true });
    },
  }, phrase("{0}: {1}", name, isolated(value)), make("span", { "aria-hidden": "true" }, " ×")));
  chips.replaceChildren(...nodes, ...(nodes.length ? [make("button", { type: "reset", form: "filters" }, say("Clear all"))] : []));
}

// Lists what was chosen elsewhere in the page, and moves there.
export function listChosen(changes) {
  change({ segment: null, system: null, ...changes }, true);
  document.getElementById("segments-heading").scrollIntoView();
  activate(0); // so that the arrow keys move in the list
}
