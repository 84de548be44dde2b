// Why not matched? Choosing an unmatched token shows the nearest word of the other side, why the two
// are not matched, the score as synonyms, and the line for a lexicon of one's own.

import { REASONS } from "./constants.js";
import { copyButton, data, isolated, make, say } from "./dom.js";
import { SIDES, ngramText } from "./sentences.js";
import { figure } from "./arithmetic.js";

// `pair.unmatched` has rows of side (0 hypothesis, 1 reference), span, nearest span or nothing, reason,
// score or null, and the numbers of the lexicon groups in `data.labels`.
function unmatchedOf(pair, tokens) {
  const wordText = (side, span) => (tokens[side].includes(" ") ? tokens[side].slice(...span).join("") : ngramText(tokens[side], span));
  const words = (pair.unmatched ?? []).map(([side, start, stop, first, last, reason, score, ...groups]) => ({
    side, span: [start, stop], nearest: first < 0 ? null : [first, last], reason: REASONS[reason], score, groups,
    text: wordText(side, [start, stop]),
    nearestText: first < 0 ? "" : wordText(1 - side, [first, last]),
  }));
  return words.map((word) => ({ ...word, texts: word.side ? [word.nearestText, word.text] : [word.text, word.nearestText] }));
}

// Why words cannot be matched that have more tokens than the longest n-gram.
function lengthText({ text, nearestText, span, nearest }, maxOrder) {
  const sizes = [[text, span[1] - span[0]], [nearestText, nearest[1] - nearest[0]]];
  return sizes.filter(([, size]) => size > maxOrder).map(([word, size]) => say([...word].length === size
    ? "{0} has {1} characters; --max-order is {2}." : "{0} has {1} tokens; --max-order is {2}.", word, size, maxOrder)).join(" ");
}

function reasonText(word, groupsOf, maxOrder) {
  const { reason, texts: [hyp, ref], side } = word;
  const known = (text) => (groupsOf.get(text) ?? []).length > 0;
  if (reason === "alone") return say(side ? "No unmatched word of the hypothesis is near." : "No unmatched word of the reference is near.");
  if (reason === "no lexicon") return say("The metric has no lexicon.");
  if (reason === "apart") return say("{0} and {1} are in the lexicon, but in no common group.", ref, hyp);
  if (reason === "too long") return lengthText(word, maxOrder);
  if (reason === "no gain") return say("{0} and {1} are synonyms, but a link between them gains nothing.", ref, hyp);
  const absent = [ref, hyp].filter((text) => !known(text));
  return absent.length === 2 ? say("{0} and {1} are not in the lexicon.", ...absent) : say("{0} is not in the lexicon.", absent[0] ?? hyp);
}

function groupList(text, groups) {
  if (!groups.length) return null;
  return [make("dt", { lang: data.lang }, isolated(text)),
    groups.map((group) => make("dd", { lang: data.lang }, isolated(data.labels[group])))];
}

// The line for a lexicon, once a person has said that the two words mean the same.
function lexiconLine(line, ref, hyp) {
  const place = make("p", { class: "lexicon-line" });
  place.append(make("button", { type: "button", "data-same": "", onclick: () => {
    const copy = copyButton(() => `${line}\n`, "Copy as a line of a lexicon");
    place.replaceChildren(make("code", { lang: data.lang }, isolated(`${ref} ⇥ ${hyp}`)), " ", copy);
    copy.focus();
  } }, say("They mean the same")));
  return place;
}

const WIDEST_PLACE = 6; // tokens of a place in which two words can be taken for each other

// The panel below the alignment; null if every word is matched.
export function unmatchedPanel(pair, tokens, sentences, maxOrder) {
  const words = unmatchedOf(pair, tokens);
  if (!words.length) return null;
  const groupsOf = new Map(words.map((word) => [word.text, word.groups]));
  const panel = make("div", { class: "unmatched", role: "group", "aria-live": "polite", "aria-label": say("Why not matched?") });
  const columnsOf = [0, 1].map((side) => pair.columns.flatMap((width, k) => (k % 2 === side ? Array(width).fill(k >> 1) : [])));
  const placesOf = (side, [start, stop]) => [columnsOf[side][start], columnsOf[side][stop - 1]];
  const isInOnePlace = ({ side, span, nearest }) => {
    const [[first, last], others] = [placesOf(side, span), placesOf(1 - side, nearest)];
    return first === others[0] && last === others[1]
      && pair.columns.slice(2 * first, 2 * last + 2).every((width) => width <= WIDEST_PLACE);
  };
  // As `plausible` of celab/metrics/explaining: in one place, and neither word is a single character unless both are, or twice as long.
  const isPlausible = (word) => {
    if (!word.nearest || !isInOnePlace(word)) return false;
    const [short, long] = word.texts.map((text) => [...text].length).sort((x, y) => x - y);
    const ofLetters = [tokens[word.side].slice(...word.span), tokens[1 - word.side].slice(...word.nearest)].flat().some((token) => [...token].length > 1);
    return short === 1 || ofLetters ? (short === 1) === (long === 1) : long < 2 * short;
  };
  const nodesOf = ({ side, span, nearest }) => [sentences.nodes[side].slice(...span), nearest ? sentences.nodes[1 - side].slice(...nearest) : []];

  const choose = (word) => {
    for (const node of sentences.nodes.flat()) node.classList.remove("asked", "candidate");
    const [own, others] = nodesOf(word);
    own.forEach((node) => node.classList.add("asked"));
    others.forEach((node) => node.classList.add("candidate"));
    for (const { side, span: [start, stop] } of words)
      sentences.nodes[side].slice(start, stop).forEach((node) => node.setAttribute("aria-pressed", String(own.includes(node))));
    const [hyp, ref] = word.texts;
    const couldMatch = word.nearest && word.reason !== "too long";
    const gain = !couldMatch || !isPlausible(word) ? null : typeof word.score !== "number"
      ? make("p", { class: "note" }, say("celab explain computes the score that they would have as synonyms."))
      : make("p", { class: "gain" }, say("As synonyms:"), " ", make("b", {}, `${figure(pair.values[0])} → ${figure(word.score)}`));
    // Words that are merely near are no candidates for a lexicon: both must stand between the same matches.
    const line = couldMatch && isPlausible(word) ? `${ref}\t${hyp}` : null;
    panel.replaceChildren(
      make("h4", {}, say("Why not matched?")),
      make("p", { class: "words" }, make("b", { lang: data.lang }, isolated(word.text)), " ",
        make("small", {}, say(SIDES[word.side])),
        word.nearest ? [" – ", make("b", { lang: data.lang }, isolated(word.nearestText)), " ", make("small", {}, say(SIDES[1 - word.side]))] : null),
      make("p", {}, reasonText(word, groupsOf, maxOrder)),
      ...(gain ? [gain] : []),
      ...(line ? [lexiconLine(line, ref, hyp)] : []),
      make("dl", {}, ...[[ref, groupsOf.get(ref)], [hyp, groupsOf.get(hyp)]].flatMap(([text, groups]) => groupList(text, groups ?? []) ?? []).flat()),
    );
  };
  for (const word of words)
    nodesOf(word)[0].forEach((node) => {
      node.classList.add("why");
      node.setAttribute("role", "button");
      node.setAttribute("aria-pressed", "false");
      node.addEventListener("click", () => choose(word));
      node.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        choose(word);
      });
    });
  const worthOf = (word) => (isPlausible(word) ? 1 : 0) + (word.score ?? -1) / 1000;
  choose(words.reduce((best, word) => (worthOf(word) > worthOf(best) ? word : best)));
  return panel;
}
