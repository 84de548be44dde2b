// The language of the page, and its URL.

import { byId, data, make, say, sayBy } from "./dom.js";
import { ask, showFields } from "./playground.js";
import { readTexts, state, writeTexts } from "./playground-texts.js";
import { language, showSettings } from "./playground-settings.js";
import { showPicture } from "./playground-picture.js";
import { TOUR, go, showSteps, stepState } from "./playground-tour.js";
import { keepAttempt, showAttempts } from "./playground-attempts.js";
import { FORMS, showCode } from "./playground-code.js";
import { lookUp, showFiles } from "./playground-report.js";

function setLanguage(lang) {
  state.language = lang;
  sayBy(lang === "zh" ? data.words : {});
  document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";
  const button = byId("language");
  button.textContent = lang === "zh" ? "English" : "中文";
  button.lang = lang === "zh" ? "en" : "zh";
  for (const node of document.querySelectorAll("[data-say]")) node.textContent = say(node.dataset.say);
  byId("steps").replaceChildren(...TOUR.map(({ title }, i) =>
    make("button", { type: "button", onclick: () => go(i) }, say(title))));
  byId("tabs").replaceChildren(...Object.keys(FORMS).map((name) => make("button", {
    type: "button", "data-form": name, onclick: () => { state.copied = name; showCode(); } }, say(name))));
  showPicture();
  showSteps();
  showSettings();
  showFields();
  showAttempts();
  showFiles();
  ask();
  lookUp();
}
byId("language").addEventListener("click", () => setLanguage(state.language === "en" ? "zh" : "en"));

function fragment() {
  const parameters = state.step === null ? writeTexts() : new URLSearchParams({ step: state.step + 1 });
  if (state.language !== browserLanguage) parameters.set("page", state.language);
  if (state.copied !== "Python") parameters.set("code", state.copied);
  if (state.chosen) parameters.set("chosen", state.chosen + 1);
  return `#${parameters}`;
}

export function linkToPage() {
  return `${location.href.split("#")[0]}${fragment()}`;
}

// Written when the reader stops typing, because browsers limit how often the URL may change.
let writing = 0;
export function writeUrl() {
  clearTimeout(writing);
  writing = setTimeout(() => history.replaceState(null, "", fragment()), 250);
}

function readUrl() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const step = Number(parameters.get("step") ?? 0) - 1;
  Object.assign(state, readTexts(parameters) ?? stepState(step));
  const chosen = Number(parameters.get("chosen") ?? 1) - 1;
  state.chosen = state.hyps[chosen] === undefined ? 0 : chosen;
  state.copied = parameters.get("code") in FORMS ? parameters.get("code") : "Python";
  data.lang = language();
  setLanguage(["en", "zh"].find((name) => name === parameters.get("page")) ?? browserLanguage);
}

const browserLanguage = navigator.language.startsWith("zh") ? "zh" : "en";
addEventListener("hashchange", () => { keepAttempt(); readUrl(); });
readUrl();
