// Errors that people have marked in outputs, drawn over their texts and tokens; whether the metric saw
// them, which is that it leaves a character of theirs unmatched.

import { format } from "./figures.js";
import { countText, data, make, say, table } from "./dom.js";
import { rowOf } from "./outputs.js";
import { state } from "./state.js";
import { LEVELS, findingsOf, levelOf } from "./findings.js";
import { markedText, plainRuns, spanText } from "./diff.js";
import { lineOf } from "./rows.js";

const spansOf = (system, segment) => findingsOf("people", rowOf(segment, system)).map((finding) => {
  const { kind: category, note: severity, span, value: [seen, cost] } = finding;
  return { start: span?.[0] ?? null, end: span?.[1] ?? null, severity, category, seen, cost, level: levelOf(finding) };
});

const severityText = ({ severity, level }) => (level === "other" ? severity ?? "" : say(level));
// The errors in an output for a line of text: what was marked, its severity and its category.
export function markedErrorsText(system, segment) {
  const characters = Array.from(data.hyps[system][segment]);
  return spansOf(system, segment).map((span) => {
    const text = span.start === null ? say("no place in the output") : characters.slice(span.start, span.end).join("");
    const verdict = [severityText(span), span.category].filter(Boolean).join(say(", "));
    return verdict ? `${text}${say(": ")}${verdict}` : text;
  }).join(say("; "));
}

const seeingMetric = () => data.metrics.find(({ key }) => key === data.span_summary.metric)?.name ?? data.span_summary.metric;

// Ends of spans are in characters; those of runs in units of JavaScript's strings.
function placedSpans(system, segment) {
  const characters = Array.from(data.hyps[system][segment]);
  const place = (n) => characters.slice(0, n).join("").length;
  return spansOf(system, segment).filter(({ start }) => start !== null).map((span) => ({ ...span, start: place(span.start), stop: place(span.end) }));
}

// Runs cut at the ends of spans; what lies in several has the gravest.
export function spannedRuns(runs, system, segment) {
  const spans = placedSpans(system, segment);
  if (!spans.length) return runs;
  const order = [...LEVELS, "other"];
  return runs.flatMap((run) => {
    const inside = spans.filter(({ start, stop }) => start < run.stop && stop > run.start);
    const ends = [run.start, run.stop, ...inside.flatMap(({ start, stop }) => [start, stop])].filter((end) => run.start <= end && end <= run.stop);
    const cuts = [...new Set(ends)].sort((x, y) => x - y);
    return cuts.slice(1).map((stop, i) => {
      const over = inside.filter((span) => span.start < stop && span.stop > cuts[i]).sort((x, y) => order.indexOf(x.level) - order.indexOf(y.level));
      return { ...run, start: cuts[i], stop, span: over[0], closes: over.filter((span) => span.stop === stop) };
    });
  });
}

// The same over the tokens of an explanation, if these are the characters of the output one by one.
function markTokens(container, system, segment) {
  const tokens = [...container.querySelectorAll(".aligned .hypothesis .token, .stacked:not(.versus) .line:last-child .token")];
  const lengths = tokens.map((node) => Array.from(node.querySelector(".t").textContent.replace(/[\s␣]/gu, "")).length);
  const places = []; // of the characters that are no spaces
  Array.from(data.hyps[system][segment]).forEach((character, at) => { if (character.trim() && character !== "␣") places.push(at); });
  if (lengths.reduce((sum, n) => sum + n, 0) !== places.length) return false;
  let at = 0;
  tokens.forEach((node, i) => {
    const [first, last] = [places[at], places[at + lengths[i] - 1]];
    at += lengths[i];
    if (!lengths[i]) return;
    const span = spansOf(system, segment).find(({ start, end }) => start !== null && start <= last && end > first);
    if (!span) return;
    node.querySelector(".t").classList.add("error-span", span.level);
    node.title = spanText(span);
  });
  return true;
}

// What was marked in the output that is read: a table, over which stands the text if no other has the marks.
export function drawSpans(inner) {
  const spans = spansOf(state.system, state.segment);
  if (!spans.length) return;
  const { system, segment } = state;
  const before = inner.querySelector(".all-outputs");
  const legend = inner.querySelector(".legend, .key");
  const isDrawn = inner.querySelector(".aligned") ? markTokens(inner, system, segment) : inner.querySelector(".against .error-span") !== null;
  const text = data.hyps[system][segment];
  const characters = Array.from(text);
  const placed = spans.filter(({ start }) => start !== null);
  const rows = spans.map(({ start, end, severity, category, seen, cost, level }) => [
    start === null ? "–" : make("bdi", { lang: data.lang, class: `error-span ${level}` }, characters.slice(start, end).join("")),
    severityText({ severity, level }) || "–", category || "–",
    seen === null ? say("no place in the output") : seen ? say("seen") : make("b", {}, say("not seen")), cost === null ? "–" : format(cost, 4)]);
  const section = make("section", { class: "marked-errors" },
    make("h4", {}, say("{0}, {1} seen by {2}", countText(spans.length, "marked error"), String(placed.filter(({ seen }) => seen).length), seeingMetric())),
    isDrawn || !text ? null : make("div", { class: "against" }, lineOf(say("hyp"), markedText(text, spannedRuns(plainRuns(text), system, segment)), "hyp")),
    table(["Text", "Severity", "Category", "Seen", "#Cost"], rows, { class: "errors" }, say("Seen: the metric leaves a character of it unmatched. Cost: the precision that its n-grams lack.")));
  if (legend) legend.after(section);
  else before.before(section);
}
