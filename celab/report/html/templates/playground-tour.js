// The tour: texts with a lesson each. It ends when a text or a setting is changed.

import { byId, data, say } from "./dom.js";
import { ask, showFields } from "./playground.js";
import { language, showSettings } from "./playground-settings.js";
import { keepAttempt } from "./playground-attempts.js";
import { state } from "./playground-texts.js";

export const TOUR = [
  { title: "1 Equal text", ref: "买雨伞", hyp: "买伞", settings: { lexicon: "none" },
    text: "Both texts say “buy an umbrella”. The first rule links n-grams (runs of 1 to 4 characters) that are equal: here 买 and 伞. That covers 2 of the 6 n-grams of the reference; without a lexicon, the score stays low." },
  { title: "2 Synonyms", ref: "雨伞", hyp: "伞",
    text: "The second rule links words of one synonym group of the lexicon. 雨伞 and 伞 both mean umbrella. They are linked although one has two characters and the other has one." },
  { title: "3 In pieces", ref: "买雨伞", hyp: "买伞", lights: "买",
    text: "The third rule links n-grams that can be cut into linked pieces in the same order: 买=买 and 雨伞~伞 make 买雨伞 a match for 买伞. No word segmentation is needed." },
  { title: "4 Covering", ref: "买雨伞", hyp: "买伞", opens: true,
    text: "雨 and 买雨 have no partner in the translation. They lie inside 买雨伞, which is linked, so they count as covered (+ in the lists of n-grams below). All n-grams are linked or covered, and the score is 1." },
  { title: "5 The score", ref: "买雨伞", hyp: "他买伞",
    text: "Recall is the covered part of the reference, precision that of the translation. The extra 他 costs precision only. The score counts both, precision with weight f = 0.25. The weights of all links of an n-gram sum to 1 at most, so nothing counts twice; the best weights are found exactly." },
  { title: "6 A wrong link", ref: "下午要下雨，你最好买把雨伞。", hyp: "下午会下雨，你最好买伞。", lights: "把",
    text: "The metric does not know what a word means in its sentence. Here it links 把, which counts umbrellas, with 下, which is part of 下雨 (to rain), because one group of the lexicon has both as measure words. Read the links before you rely on a score." },
  { title: "7 Your turn", ref: "医生建议他马上戒烟。", hyp: "大夫建议他立刻戒烟。", more: ["医生让他多喝水。"],
    text: "Change a text, add a translation, or switch the lexicon and the other settings. Point at a character to see what it is linked to." },
];

const FIRST = { ref: "买雨伞", hyp: "买伞" }; // what the page opens with, by the default settings

export function leaveTour() {
  state.step = null;
  showSteps();
}

export const press = (id, chosen) => [...byId(id).children].forEach((node, i) =>
  node.setAttribute("aria-pressed", String(i === chosen)));

export function showSteps() {
  const { step } = state;
  press("steps", step);
  byId("lesson").textContent = say(step === null ? "Choose a step to see how the score comes about." : TOUR[step].text);
  const focused = document.activeElement;
  byId("back").disabled = step === null || step === 0;
  byId("next").disabled = step === TOUR.length - 1;
  if (focused?.disabled) byId(focused.id === "next" ? "back" : "next").focus(); // a disabled button would lose it
}

// The texts and settings of a step, or those that the page opens with.
export function stepState(step) {
  const { ref, hyp, settings = {}, more = [] } = TOUR[step] ?? FIRST;
  return { step: TOUR[step] ? step : null, refs: [ref], hyps: [hyp, ...more], chosen: 0, settings: { ...settings } };
}

// Shows texts and settings that do not come from the fields.
export function showTexts() {
  data.lang = language();
  byId("result").replaceChildren(); // close details; they stay open only while typing
  showSteps();
  showSettings();
  showFields();
  ask();
}

export function go(step) {
  if (!TOUR[step]) return;
  keepAttempt();
  Object.assign(state, stepState(step));
  showTexts();
}

byId("back").addEventListener("click", () => go(state.step - 1));
byId("next").addEventListener("click", () => go((state.step ?? -1) + 1));
// Arrow keys turn the steps, except where they move something else.
document.addEventListener("keydown", (event) => {
  const direction = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const isModified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
  if (!direction || isModified || event.defaultPrevented || state.step === null) return;
  if (!event.target.closest("input, select, textarea, .token, .link, .scroll, pre")) go(state.step + direction);
});
