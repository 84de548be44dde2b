// The playground: what is typed goes to the server that this page came from, and its answer is shown.

import { showMetric } from "./shown-metric.js";
import { format } from "./figures.js";
import { byId, copyButton, data, make, say } from "./dom.js";
import { combinedScore, viewOf } from "./arithmetic.js";
import { inWords, markSetting, problemOfRefs, problemOfText, settingOf, showBusy, showProblems } from "./playground-problems.js";
import { PRESETS, askPresets, followDefaults, presetSettings, showSettings } from "./playground-settings.js";
import { againstHeading, comparedPair, finishDrawings, joinLabels, showVersus } from "./playground-pair.js";
import { TOUR, leaveTour } from "./playground-tour.js";
import { keepAttempt } from "./playground-attempts.js";
import { showCode } from "./playground-code.js";
import { linkToPage } from "./playground-main.js";
import { reportOnTexts } from "./playground-report.js";
import { MOST_FIELDS, state } from "./playground-texts.js";

export let explained = null; // the explanation shown
showMetric(() => explained);

const pause = (seconds) => new Promise((resolve) => { setTimeout(resolve, 1000 * seconds); });

// `tell` gets what to show if the server wants the request again later, as while a lexicon is prepared.
export async function post(path, body, signal, tell = () => {}) {
  const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal };
  const response = await fetch(path, request).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new Error(say("The server does not answer. Is celab serve still running?"));
  });
  const text = await response.text();
  const answer = text.startsWith("{") ? JSON.parse(text) : { error: text }; // plain if the server is overloaded
  const later = response.headers.get("Retry-After");
  if (later !== null) {
    tell(say("The lexicon is being prepared, or the server is busy; this page tries again by itself."));
    await pause(later);
    signal?.throwIfAborted();
    return post(path, body, signal, tell);
  }
  if (!response.ok) throw Object.assign(new Error(inWords(answer.error)), { canAlign: answer.can_align, setting: settingOf(answer.error) });
  return answer;
}

export const notice = (text, tag = "p") => make(tag, { class: "notice" }, text);
export const warningsOf = (answer, tag) => (answer.warnings ?? []).map((text) => notice(inWords(text), tag));
export const requestOf = (hypothesis, settings) => ({ reference: state.refs, hypothesis, settings });
export const unlessAborted = (act) => (error) => error.name === "AbortError" || act(error);

// ---- scores -------------------------------------------------------------------------------------

let asking = new AbortController();
let began = 0;

// Why nothing, or not all of the texts, can be scored, or null.
export const problemOf = () => problemOfRefs() ?? state.hyps.map(problemOfText).find(Boolean) ?? null;

function showProblem(problem, setting = "") {
  explained = null;
  markSetting(setting, problem);
  showVersus([]);
  byId("alignment").replaceChildren(notice(problem));
  byId("result").replaceChildren();
  for (const id of ["alignment", "result"]) byId(id).classList.remove("waiting");
}

export function ask() {
  asking.abort();
  asking = new AbortController();
  began = performance.now();
  const { signal } = asking;
  requestAnimationFrame(showCode); // later, so as not to delay the request
  const problem = problemOfRefs();
  showProblems();
  askPresets(problem === null ? signal : null);
  if (problem) {
    state.hyps.forEach((_, i) => showScore(i, null));
    showProblem(problem);
    return;
  }
  // A text that is too long has no score; the others keep theirs.
  const requests = state.hyps.map((text, i) => (problemOfText(text) ? showScore(i, null) : post("/score", requestOf(text, state.settings), signal, showProblem)
    .then((answer) => { showScore(i, answer); return answer; }, unlessAborted(() => showScore(i, null)))));
  showBusy(state.hyps);
  for (const id of ["alignment", "result"]) byId(id).classList.add("waiting");
  // The explanations take longer, so they are requested after the scores have arrived.
  Promise.all(requests).then(async (scores) => {
    signal.throwIfAborted();
    const tooLong = problemOfText(state.hyps[state.chosen]);
    if (tooLong) return showProblem(tooLong);
    const places = comparedPair() ?? [state.chosen];
    const answers = joinLabels(await Promise.all(places.map((i) => post("/explain", requestOf(state.hyps[i], state.settings), signal, showProblem))));
    const answer = answers[places.indexOf(state.chosen)];
    explained = { ...answer, digits: data.digits, signature: scores[state.chosen]?.signature ?? answer.signature };
    followDefaults();
    showVersus(answers);
    showResult();
  }).catch(unlessAborted((error) => showProblem(error.message, error.setting)));
}

function showScore(i, answer) {
  const node = byId("fields").querySelectorAll(".value")[i];
  const text = answer === null ? "–" : format(answer.score, data.digits);
  const bar = make("i");
  bar.style.width = `${answer === null ? 0 : 100 * answer.score}%`;
  node.classList.remove("waiting");
  node.dataset.ms = Math.round(performance.now() - began);
  node.replaceChildren(make("b", {}, text), make("span", { class: "meter", "aria-hidden": "true" }, bar),
    answer?.output ? make("small", { class: "kind" }, say(answer.output)) : "",
    answer === null ? "" : make("small", {}, say("precision {0}, recall {1}", ...[answer.precision, answer.recall].map((rate) => format(rate, data.digits)))));
}

function showResult() {
  const result = byId("result");
  const step = TOUR[state.step];
  const opened = [...result.querySelectorAll("details")].map((node) => node.open);
  const views = explained.against.map((pair) => viewOf({ ...pair, texts: [state.hyps[state.chosen], state.refs[pair.ref]] }));
  const shown = (parts) => views.flatMap((view, k) => [againstHeading(explained, explained.against[k]), ...parts(view)]).filter(Boolean);
  byId("alignment").replaceChildren(...warningsOf(explained), ...shown(({ first }) => first));
  result.replaceChildren(...shown(({ why, folded }) => [...why, ...folded]), ...(combinedScore(explained) ?? []),
    make("p", { class: "signature" }, make("code", {}, explained.signature)));
  finishDrawings(byId("alignment"));
  for (const heading of result.querySelectorAll("h4")) heading.setAttribute("aria-level", "3"); // below an h2
  result.querySelectorAll("details").forEach((node, i) => { node.open = opened[i] || Boolean(step?.opens); });
  const links = [...result.querySelectorAll("tr.link")];
  if (step?.lights) links.find((row) => row.cells[1].textContent.includes(step.lights))?.dispatchEvent(new MouseEvent("mouseenter"));
  for (const node of [byId("alignment"), result]) node.classList.remove("waiting");
  result.dataset.ms = Math.round(performance.now() - began);
}

// ---- texts --------------------------------------------------------------------------------------

// What the reader changed is asked for, and is no part of the tour.
export function edited() {
  leaveTour();
  ask();
}

// Texts of the reader's own are scored by the settings of the paper, not by those of a step of the tour.
function editedTexts() {
  if (state.step !== null && Object.keys(state.settings).length) {
    state.settings = presetSettings(PRESETS[0]);
    showSettings();
  }
  edited();
}

function field(kind, i, label) {
  const texts = state[kind];
  const area = make("textarea", {
    id: `${kind}-${i}`, rows: 1, dir: "auto", lang: data.lang, spellcheck: "false",
    oninput: (event) => { texts[i] = event.target.value; editedTexts(); },
    onchange: keepAttempt,
    onfocus: () => { if (kind === "hyps" && state.chosen !== i) { state.chosen = i; showChosen(); ask(); } },
  });
  area.value = texts[i];
  const remove = texts.length < 2 ? null : make("button", {
    type: "button", class: "remove", "aria-label": `${say("Remove")}: ${label}`,
    onclick: () => { keepAttempt(); texts.splice(i, 1); state.chosen = Math.min(state.chosen, state.hyps.length - 1); showFields(); editedTexts(); },
  }, "×");
  return make("div", { class: "field", "data-kind": kind },
    make("div", { class: "name" }, make("label", { for: area.id }, label), remove), area,
    kind === "hyps" ? make("output", { class: "value", for: area.id }) : null);
}

export const letterOf = (i) => "ABCDEF"[i];

export function showFields() {
  const labels = { refs: (i) => `${say("Reference")} ${i + 1}`, hyps: (i) => say("Translation {0}", letterOf(i)) };
  const rows = (kind, name) => state[kind].map((_, i) => field(kind, i, state[kind].length > 1 ? labels[kind](i) : say(name)));
  const more = (kind, text, ...values) => make("button", { type: "button", "data-more": kind, disabled: state[kind].length >= MOST_FIELDS,
    onclick: () => { state[kind].push(""); if (kind === "hyps") state.chosen = state.hyps.length - 1; showFields(); editedTexts();
      byId(`${kind}-${state[kind].length - 1}`).focus(); } }, say(text, ...values));
  byId("fields").replaceChildren(...rows("refs", "Reference"), ...rows("hyps", "Translation"),
    make("div", { class: "adding" }, more("hyps", "Add translation {0}", letterOf(Math.min(state.hyps.length, MOST_FIELDS - 1))), more("refs", "Add a reference"),
      copyButton(linkToPage, "Copy link"), make("button", { type: "button", "data-report": "", onclick: (event) => reportOnTexts(event.target.nextElementSibling) }, say("Report of these texts")),
      make("span", { role: "status", "aria-live": "polite" })));
  showChosen();
}

function showChosen() {
  const several = state.hyps.length > 1;
  byId("fields").querySelectorAll("[data-kind=hyps]").forEach((node, i) =>
    node.classList.toggle("chosen", several && i === state.chosen));
  const heading = byId("result-heading");
  heading.textContent = several ? say("Where the score of translation {0} comes from", letterOf(state.chosen)) : say("Where the score comes from");
}
