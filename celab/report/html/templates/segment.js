// One segment: where the score of one output comes from, and the outputs of all systems. It stands
// beside the list on wide screens, and over the page on narrow ones.

import { ERRORS } from "./constants.js";
import { metric } from "./shown-metric.js";
import { format } from "./figures.js";
import { copyButton, data, isolated, make, phrase, say } from "./dom.js";
import { nameOf, rowOf, title } from "./outputs.js";
import { change, state } from "./state.js";
import { blockId, blocks, explainedOf, isExplained, isLoaded, load, score } from "./explained.js";
import { LEVELS, findingsOf, kindsOfOutput } from "./findings.js";
import { planner } from "./later.js";
import { ELEMENTS, markedText, runsOf } from "./diff.js";
import { matching } from "./matching.js";
import { drawSpans, spannedRuns } from "./spans.js";
import { judgmentsLine } from "./judges.js";
import { activate, active, arrange, drawn, isChosen, kindBadges, lineOf, listed, open, placeRows, setActive, viewport } from "./rows.js";
import { combinedScore, figure, viewOf } from "./arithmetic.js";
import { documentSection } from "./documents.js";
import { stackedPair, stackedTokens } from "./pair.js";
import { completeOutputs, outputs } from "./grid.js";
import { commandText, segmentMenu } from "./takeaway.js";
import { markupInWords, markupText } from "./markup.js";
import { filters, showEdges } from "./controls.js";
import { uncover } from "./parts.js";

export const dialog = document.getElementById("segment");
export const reader = document.getElementById("reader");
export const wide = matchMedia("(min-width: 1100px)");

// Both texts with their differences, as in the list; of A and B, both stand above.
function differenceView(isSaid) {
  if (isSaid) return [];
  const views = data.refs.flatMap((_, k) => [
    data.refs.length > 1 ? make("h4", {}, phrase("Against {0}", isolated(data.references[k]))) : null,
    make("div", { class: "against" }, linesAgainst(k))]);
  return [...views.filter(Boolean), diffLegend()];
}

// The command that explains an output that the report does not explain.
function commandView() {
  const text = metric().explained === null ? null : commandText();
  return [text === null ? null : make("details", { class: "command" }, make("summary", {}, say("How this score was matched")),
      make("p", { class: "note" }, say("Not explained in this report. This command explains it:")),
      make("div", { class: "code" }, make("pre", { tabindex: "0" }, text), copyButton(() => text)))].filter(Boolean);
}

// An output in another language, or a refusal, has nothing in common with the reference that would explain it;
// an empty one neither, but it is compared: all of the reference is missing.
const openOutput = () => rowOf(state.segment, state.system);
const isOf = (kinds) => kindsOfOutput(openOutput()).some((kind) => kinds.includes(kind));
const isPlain = () => isOf(["other-language", "refusal"]);
const isNoTranslation = () => isPlain() || isOf(["empty"]);
const plainView = () => [make("div", { class: "against" },
  data.refs.map((side, k) => lineOf(data.refs.length > 1 ? data.references[k] : say("ref"), side[state.segment] || say("(empty)"), "ref")),
  lineOf(say("hyp"), data.hyps[state.system][state.segment], "hyp"))];

function linesAgainst(k) {
  const [ref, hyp] = [data.refs[k][state.segment], data.hyps[state.system][state.segment]];
  const found = matching(ref, hyp);
  const line = (name, text, side, kind) => lineOf(name, text
    ? markedText(text, side ? runsOf(found, side) : spannedRuns(runsOf(found, side), state.system, state.segment), { words: state.search }) : make("ins", { class: "run extra" }, say("(empty)")), kind);
  return [line(say("ref"), ref, 1, "ref"), line(say("hyp"), hyp, 0, "hyp")];
}

// What the marks mean; errors that people have marked are there if the report has any.
export const diffLegend = () => make("p", { class: "key" },
  ["missing", "extra", "moved", ...(metric().synonyms.length ? ["synonym"] : [])].map((name) => make("span", {}, make(ELEMENTS[name], { class: `run ${name}` }, say(ERRORS[name] ?? name)))),
  make("span", {}, make("del", { class: "run missing signs" }, say("punctuation"))),
  data.span_summary ? make("span", {}, `${say("marked by people")}${say(": ")}`, LEVELS.toReversed().map((level, i) => [i ? " " : null, make("span", { class: `error-span ${level}` }, say(level))])) : null);

// A pair of sentences with its texts, hypothesis first.
export const withTexts = (pair, system) => ({ ...pair, texts: [data.hyps[system][state.segment], data.refs[pair.ref][state.segment]] });

const readingNotice = () => make("p", { class: "notice reading" }, say("Reading the explanation …"));

// How the metric matched an output.
function explanation() {
  if (isNoTranslation()) return { why: [], folded: [] };
  if (!isExplained(state.system, state.segment)) return { why: [], folded: commandView() };
  if (!isLoaded(state.segment)) return { why: [readingNotice()], folded: [] };
  const explained = explainedOf(state.system, state.segment);
  if (!explained) return { why: [make("p", { class: "notice" }, say("This browser cannot read the explanations of this report: it has no DecompressionStream."))], folded: [] };
  data.labels = blocks.get(blockId(state.segment)).labels;
  // The reference that the output matches best is first.
  const against = [...explained.against].sort((x, y) => (y.values[0] - x.values[0]) * (metric().higher ? 1 : -1));
  const views = against.map((pair) => viewOf(withTexts(pair, state.system)));
  const several = against.length > 1 || data.references.length > 1;
  const heading = (i) => (several ? [make("h4", {}, phrase("Against {0}", isolated(data.references[against[i].ref])),
    `${say(": ")}${figure(against[i].values[0])}`)] : []);
  return {
    why: [...views.flatMap(({ first: tokens, why }, i) => [...heading(i), ...tokens, ...why]), ...(combinedScore(explained) ?? [])],
    folded: views.flatMap(({ folded }, i) => [...heading(i), ...folded]),
  };
}

// How several references make one score: "mean of 2: 0.812 · 0.361", the best first.
function combinedText() {
  const explained = isExplained(state.system, state.segment) && explainedOf(state.system, state.segment);
  if (!explained || explained.against.length < 2) return null;
  const scores = explained.against.map((pair) => pair.values[0]).sort((x, y) => (y - x) * (metric().higher ? 1 : -1)).map(figure);
  return say(explained.combine === "max" ? "best of {0}: {1}" : "mean of {0}: {1}", String(scores.length), scores.join(" · "));
}

function topBar() {
  const button = (step, text, label, act, disabled) => make("button", {
    type: "button", "data-step": step, "aria-label": label, title: label, onclick: act, disabled,
  }, text);
  return make("div", { class: "bar" },
    make("h2", { id: "segment-heading" }, say("Segment {0}", nameOf(state.segment)), " ",
      make("small", {}, isolated(title(state.segment)))),
    segmentMenu(),
    button("previous", "‹", say("Previous in the list (k)"), () => open(active - 1), active <= 0),
    button("next", "›", say("Next in the list (j)"), () => open(active + 1), active >= listed.length - 1),
    button("close", "×", say("Close (Esc)"), closeSegment));
}

// Selector of the focused button, so that the button that replaces it gets the focus again.
function focusedButton() {
  const { step, system } = (dialog.contains(document.activeElement) && document.activeElement.dataset) || {};
  if (system !== undefined) return `[data-system="${state.system}"]`;
  return step === undefined ? null : `[data-step="${step}"]:not(:disabled)`;
}

const isPair = () => state.a >= 0 && state.b >= 0 && state.a !== state.b;

// Whether the report explains how the output was matched, or both of a pair.
function isMatched() {
  const has = (system) => isExplained(system, state.segment);
  return (has(state.system) && !isNoTranslation()) || (isPair() && state.against !== "pair" && has(state.a) && has(state.b));
}

const whyHeading = () => make("h3", { id: "why", tabindex: "-1" }, say("How {0} matched it", metric().name));

// What the output has lost and added of the source, and its text with the marks.
function markupSection() {
  const findings = findingsOf("markup", openOutput());
  if (!findings.length) return null;
  return make("div", { class: "markup-findings" }, markupInWords(openOutput()).map((parts) => make("p", { class: "finding-line" }, parts)),
    findings.some(({ note, span }) => note === "added" && span)
      ? make("div", { class: "against" }, lineOf(say("hyp"), markupText(state.system, state.segment, "added", state.search), "hyp")) : null);
}

// The texts and all systems; `drawBelow` draws what stands below them.
function content() {
  const value = format(score(state.system, state.segment), metric().digits);
  const heading = make("h3", {}, isolated(data.systems[state.system]), `${say(": ")}${metric().name} ${value}`,
    data.refs.length > 1 ? [" ", make("small", { class: "combined" }, combinedText())] : null, kindBadges(openOutput()), isMatched() ? [" ", whyButton()] : null);
  const source = data.source && make("p", { class: "source", dir: "auto" }, make("small", {}, say("Source")), " ",
    make("bdi", { dir: "auto" }, markupText(state.system, state.segment, "lost", state.search)));
  const isSaid = isPair() && [state.a, state.b].includes(state.system); // both texts stand above
  return make("div", { class: "inner", tabindex: "0", role: "group", "aria-labelledby": "segment-heading", "data-segment": state.segment, "aria-busy": "true" },
    source, isPair() ? stackedPair(state.a, state.b) : null, isSaid && !isMatched() ? null : heading, judgmentsLine(), markupSection(),
    isPlain() ? plainView() : differenceView(isSaid), outputs());
}

function drawBelow(inner) {
  completeOutputs();
  const last = inner.querySelector(":scope > .all-outputs");
  const before = [...inner.children].slice([...inner.children].indexOf(last) + 1);
  const { why, folded } = explanation();
  const matches = [...(isPair() ? stackedTokens(state.a, state.b) : []), ...why];
  last.after(...[isMatched() ? whyHeading() : null, ...matches, documentSection(), ...folded].filter(Boolean));
  for (const node of [...before, ...inner.querySelectorAll(":scope > .marked-errors")]) node.remove();
  inner.querySelector(".combined")?.replaceChildren(combinedText() ?? "");
  drawSpans(inner);
  showEdges();
  if (isLoaded(state.segment)) inner.removeAttribute("aria-busy");
}

// Leads to the arithmetic, which stands below all systems.
const whyButton = () => make("button", { type: "button", class: "plain", "data-step": "why", onclick: () => {
  const target = document.getElementById("why");
  target.scrollIntoView();
  target.focus({ preventScroll: true });
} }, say("Why this score?"));

const [followLater, drawLater] = [planner(), planner()];

export function show() {
  for (const node of drawn.values()) {
    const row = listed[Number(node.dataset.place)] ?? NaN;
    node.classList.toggle("chosen", isChosen(row));
  }
  if (state.segment === null) return hide();
  const before = dialog.querySelector(".inner");
  const isOpening = !dialog.open;
  const isOther = isOpening || before.dataset.segment !== String(state.segment);
  const top = isOther ? 0 : before.scrollTop; // of another system
  const place = listed.findIndex(isChosen);
  const isMoved = place >= 0 && place !== active;
  if (isMoved && isOther) setActive(place);
  else if (isMoved) activate(place, false);
  const selector = focusedButton();
  const inner = content();
  dialog.replaceChildren(topBar(), inner);
  if (isOther) beginBelow(inner);
  else {
    completeBelow(inner);
    inner.scrollTop = top;
  }
  if (isOpening) reveal();
  if (isOpening || (isMoved && isOther)) followLater(follow);
  const focused = selector && dialog.querySelector(selector);
  if (focused || (isOpening && !wide.matches)) (focused || dialog.querySelector("[data-step=close]")).focus({ preventScroll: true });
}

// The list moves to the row of the segment.
const follow = () => activate(active, viewport.contains(document.activeElement));

// The texts are seen first; what stands below them is drawn after that.
function beginBelow(inner) {
  if (isMatched()) inner.append(whyHeading(), readingNotice());
  drawSpans(inner);
  drawLater(() => isShown(inner) && readBelow(inner));
}

function completeBelow(inner) {
  drawBelow(inner);
  if (!isLoaded(state.segment)) readBelow(inner);
}

const readBelow = (inner) => load(state.segment).then(() => isShown(inner) && drawBelow(inner));
const isShown = (inner) => inner.isConnected && state.segment !== null;

// Beside the list, which keeps the focus; or over the page.
function reveal() {
  uncover(reader);
  if (!wide.matches) {
    document.documentElement.classList.add("behind");
    return dialog.showModal();
  }
  dialog.setAttribute("open", "");
  reader.classList.add("open");
  arrange();
  reader.scrollIntoView();
}

function hide() {
  if (!dialog.open) return;
  reader.classList.remove("open");
  dialog.close();
  placeRows();
  activate(active, false);
}

function closeSegment() {
  change({ segment: null, system: null });
  activate(active);
}

// The keys are said below the list.
function showKeys() {
  const keys = document.getElementById("keys");
  uncover(keys);
  keys.scrollIntoView({ block: "center" });
  keys.focus({ preventScroll: true });
}

export const focusSegment = () => dialog.querySelector(".inner").focus();

dialog.addEventListener("close", () => {
  document.documentElement.classList.toggle("behind", dialog.matches(":modal"));
  if (state.segment !== null && !dialog.open) closeSegment(); // by Esc
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog && dialog.matches(":modal")) closeSegment();
});
document.addEventListener("keydown", (event) => {
  const isTyped = event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea");
  if (event.key === "?" && !isTyped) return showKeys();
  if (event.key === "/" && !isTyped && state.segment === null) {
    event.preventDefault();
    return filters.search.focus();
  }
  if (state.segment === null || isTyped) return;
  const step = { j: "next", k: "previous" }[event.key];
  if (step) dialog.querySelector(`[data-step="${step}"]`).click();
  else if (event.key === "Escape" && !dialog.matches(":modal")) closeSegment();
});
wide.addEventListener("change", () => {
  if (!dialog.open) return;
  reader.classList.remove("open");
  dialog.close();
  arrange();
  show();
});
