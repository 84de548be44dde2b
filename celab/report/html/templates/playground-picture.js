// The idea in one picture: two texts with the same meaning, their links, and the n-grams that these cover.

import { STATES } from "./constants.js";
import { format } from "./figures.js";
import { byId, data, make, say } from "./dom.js";
import { linksOf, ngramText, tokensOf } from "./sentences.js";
import { ngramMarks } from "./arithmetic.js";

const PICTURE = { width: 240, height: 150, step: 62, rows: [42, 128] }; // of the reference, then of the translation

// Tokens of the reference stand in a row, those of the translation below what they are linked to.
export function showPicture() {
  const { explanation, scores } = data.picture;
  const [pair] = explanation.against;
  const tokens = pair.tokens.map(tokensOf);
  const pieces = linksOf(pair, tokens).flatMap(({ parts }) => parts);
  const left = (PICTURE.width - PICTURE.step * (tokens[1].length - 1)) / 2;
  const middle = ([start, stop]) => left + ((start + stop - 1) / 2) * PICTURE.step;
  const placeOf = (side, at) => (side ? left + at * PICTURE.step
    : middle(pieces.find(({ spans: [[start, stop]] }) => start <= at && at < stop).spans[1]));
  const text = (side) => tokens[side].map((token, at) =>
    make("svg:text", { x: placeOf(side, at), y: PICTURE.rows[1 - side], class: "character", lang: "zh" }, token));
  const link = ({ spans: [hyp, ref], labels }) => {
    const kind = STATES[labels.length ? "~" : "="];
    const [from, to] = [placeOf(1, ref[0]) - 18, placeOf(1, ref[1] - 1) + 18];
    const x = middle(ref);
    return make("svg:g", { "data-state": kind, class: "link-drawn" },
      make("svg:path", { d: `M${from} 56H${to}M${x} 56V92M${placeOf(0, hyp[0]) - 18} 92h36`, pathLength: 1 }),
      make("svg:text", { x: x + 8, y: 79 }, labels.length ? "~" : "="));
  };
  const drawing = byId("picture");
  drawing.setAttribute("viewBox", `0 0 ${PICTURE.width} ${PICTURE.height}`);
  drawing.setAttribute("aria-label", `${tokens[1].join("")} / ${tokens[0].join("")}: ${pieces.map(({ spans, labels }) =>
    [ngramText(tokens[1], spans[1]), ngramText(tokens[0], spans[0])].join(labels.length ? " ~ " : " = ")).join(", ")}`);
  drawing.replaceChildren(...text(1), ...pieces.map(link), ...text(0));

  const marks = ngramMarks(tokens[1].length, explanation.settings.max_order, linksOf(pair, tokens), 1);
  let place = 0;
  byId("picture-ngrams").replaceChildren(...marks.map((row, i) => make("div", {}, row.map((mark, start) => {
    const node = make("span", { class: "token", "data-state": mark === "." ? "unmatched" : "equal" },
      make("span", { class: "t", lang: "zh" }, ngramText(tokens[1], [start, start + i + 1])), make("span", { class: "m" }, mark === "." ? "." : "✓"));
    node.style.animationDelay = `${1 + 0.25 * place++}s`;
    return node;
  }))));
  byId("picture-caption").replaceChildren(
    make("b", {}, Object.entries(scores).map(([name, score]) => `${name} ${format(score, 2)}`).join(" · ")),
    make("span", {}, say("Both texts mean “buy an umbrella”. Two links, one between equal characters and one between synonyms, cover {0} of {1} n-grams of the reference.",
      marks.flat().filter((mark) => mark !== ".").length, place)));
}
