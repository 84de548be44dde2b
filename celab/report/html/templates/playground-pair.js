// Two translations against the same reference, and the drawings of the page as SVG.

import { SAID } from "./constants.js";
import { format } from "./figures.js";
import { byId, copyButton, data, make, say } from "./dom.js";
import { legend } from "./sentences.js";
import { versusView } from "./versus.js";
import { standaloneSvg } from "./svg.js";
import { problemOfText } from "./playground-problems.js";
import { letterOf } from "./playground.js";
import { state } from "./playground-texts.js";

// The translations that are compared: the first, and the chosen one or the second.
export function comparedPair() {
  const places = [0, state.chosen || 1];
  return places.every((i) => state.hyps[i]?.trim() && !problemOfText(state.hyps[i])) ? places : null;
}

// Answers have tables of labels of their own; the page has one for all.
export function joinLabels(answers) {
  data.labels = [];
  for (const answer of answers) {
    const offset = data.labels.length;
    data.labels.push(...answer.labels);
    // Labels are the whole numbers from a place on; cuts of words are texts.
    const shift = (row, from) => row.splice(from, row.length, ...row.slice(from).map((item) => (Number.isInteger(item) ? item + offset : item)));
    for (const pair of answer.against.flatMap((against) => against.parts ?? [against])) {
      for (const [, , , , , pieces = []] of pair.links) pieces.forEach((piece) => shift(piece, 4));
      for (const word of pair.unmatched ?? []) shift(word, 7);
    }
  }
  return answers;
}

export const againstHeading = ({ against }, { ref }) => (against.length > 1 ? make("h4", {}, say("Against reference {0}", ref + 1)) : null);

export function showVersus(answers) {
  const section = byId("versus");
  section.hidden = answers.length < 2;
  if (section.hidden) return section.querySelector("div").replaceChildren();
  const names = comparedPair().map(letterOf);
  const scores = answers.map(({ values }, i) => `${names[i]} ${format(values[0], data.digits)}`);
  byId("versus-heading").textContent = say("{0} and {1} side by side", ...names);
  const views = answers[0].against.flatMap((pair, k) => [againstHeading(answers[0], pair), versusView([pair, answers[1].against[k]].map((side, i) => ({ ...side, texts: [state.hyps[comparedPair()[i]], state.refs[pair.ref]] })), names)]);
  section.querySelector("div").replaceChildren(...[make("p", { class: "summary" }, scores.join(" · ")), ...views, legend("~+."),
    make("p", { class: "note" }, say(SAID.FRAMED))].filter(Boolean));
  finishDrawings(section);
}

// Headings are those of the page, and every alignment can be copied.
export function finishDrawings(section) {
  for (const heading of section.querySelectorAll("h4")) heading.setAttribute("aria-level", "3"); // below an h2
  const key = section.querySelector(".legend");
  for (const sentences of section.querySelectorAll(".sentences")) {
    const drawing = () => standaloneSvg([sentences.firstElementChild, key], drawingTitle());
    const last = sentences.nextElementSibling === key ? key : sentences;
    last.after(make("p", { class: "take" }, copyButton(drawing, "Copy as SVG")));
  }
}

const drawingTitle = () => `TESLA-CELAB: ${[...state.refs, ...state.hyps].join(" / ")}`;
