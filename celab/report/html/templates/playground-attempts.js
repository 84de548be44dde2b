// The last attempts of the reader, kept in this browser: texts and settings, as the URL has them.

import { byId, isolated, make, say } from "./dom.js";
import { problemOf } from "./playground.js";
import { readTexts, state, writeTexts } from "./playground-texts.js";
import { TOUR, showTexts, stepState } from "./playground-tour.js";

const MOST_ATTEMPTS = 10;
const ATTEMPTS = "celab-attempts";
const MOST_SHOWN = 30; // characters of a text in the list

// The browser may refuse to store anything; the attempts are kept as long as the page then.
let attempts = [];
function loadAttempts() {
  try {
    const stored = JSON.parse(localStorage.getItem(ATTEMPTS) ?? "[]");
    attempts = stored.filter((item) => typeof item === "string" && readTexts(item)).slice(0, MOST_ATTEMPTS);
  } catch { /* those of the page */ }
}
loadAttempts();
addEventListener("storage", () => { loadAttempts(); showAttempts(); }); // another tab has changed them

// Texts too long for the browser push out the oldest attempts.
function storeAttempts() {
  for (let n = attempts.length; n >= 0; n--) {
    try {
      if (n) localStorage.setItem(ATTEMPTS, JSON.stringify(attempts.slice(0, n)));
      else localStorage.removeItem(ATTEMPTS);
      return;
    } catch { /* fewer, then */ }
  }
}

const textsOf = ({ refs, hyps }) => JSON.stringify([refs, hyps]);

// Called when a field is left and when the page is; an attempt with the same texts is replaced.
export function keepAttempt() {
  const isBlank = (texts) => texts.every((text) => !text.trim());
  const isOfTour = state.step !== null || TOUR.some((_, i) => textsOf(stepState(i)) === textsOf(state));
  if (isOfTour || isBlank(state.hyps) || problemOf()) return;
  attempts = [writeTexts().toString(), ...attempts.filter((item) => textsOf(readTexts(item)) !== textsOf(state))].slice(0, MOST_ATTEMPTS);
  storeAttempts();
  showAttempts();
}

function reopen(item) {
  keepAttempt();
  Object.assign(state, readTexts(item), { chosen: 0 });
  showTexts();
}

export function showAttempts() {
  const list = byId("attempts");
  list.hidden = !attempts.length;
  list.querySelector("summary").textContent = say("Last attempts ({0})", attempts.length);
  list.querySelector("ol").replaceChildren(...attempts.map((item) => {
    const { refs, hyps } = readTexts(item);
    const cut = (text) => ([...text].length > MOST_SHOWN ? `${[...text].slice(0, MOST_SHOWN).join("")}…` : text);
    const texts = (side) => side.map((text, i) => [i ? " · " : "", isolated(cut(text))]);
    return make("li", {}, make("button", { type: "button", class: "plain", onclick: () => reopen(item) }, texts(refs), " → ", texts(hyps)));
  }));
}

byId("attempts").querySelector("ol ~ button").addEventListener("click", () => {
  attempts = [];
  storeAttempts();
  showAttempts();
  byId("fields").querySelector("textarea").focus();
});
addEventListener("pagehide", keepAttempt);
document.addEventListener("visibilitychange", () => document.hidden && keepAttempt());
