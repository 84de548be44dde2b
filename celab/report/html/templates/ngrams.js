// N-grams of the references that only one of two systems has, over all segments.

import { data, isolated, make, say, table } from "./dom.js";
import { unitsOf, wordEdges } from "./diff.js";
import { openSegment } from "./scatter.js";
import { nameOf } from "./outputs.js";
import { listChosen } from "./chips.js";
import { tableMenu } from "./copying.js";

const MOST_NGRAMS = 15;
const LONGEST = 4; // units
const PUNCTUATION = /[\p{P}\p{S}\s]/u;

// The n-grams of a text; of a reference, those that begin and end with words.
function ngramsOfText(text, isBound) {
  const { units } = unitsOf(text, new Map());
  const edges = isBound ? wordEdges(units) : null;
  const ngrams = new Set();
  units.forEach((_, start) => {
    for (let stop = start + 1; stop <= Math.min(units.length, start + 2 * LONGEST - 1) && !(PUNCTUATION.test(units[stop - 1]) && units[stop - 1].trim()); stop++) {
      const ngram = units.slice(start, stop);
      if (ngram.filter((unit) => unit.trim()).length > LONGEST) break;
      if (units[start].trim() && units[stop - 1].trim() && (!edges || (edges[start] && edges[stop]))) ngrams.add(ngram.join(""));
    }
  });
  return ngrams;
}

// In how many segments only A has an n-gram of a reference, and only B; and one of these segments.
function countExclusive(a, b) {
  const exclusive = new Map();
  data.segments.forEach((_, segment) => {
    const [ofA, ofB] = [a, b].map((system) => ngramsOfText(data.hyps[system][segment]));
    for (const ngram of new Set(data.refs.flatMap((side) => [...ngramsOfText(side[segment], true)]))) {
      if (ofA.has(ngram) === ofB.has(ngram) || [...ngram].length < 2) continue; // single characters say little
      const counts = exclusive.get(ngram) ?? [0, 0, segment];
      counts[ofA.has(ngram) ? 0 : 1] += 1;
      exclusive.set(ngram, counts);
    }
  });
  return exclusive;
}

// How far the counts of an n-gram favor one side: its log odds by their standard error.
const oddsOf = (counts, side) => {
  const [x, y] = [counts[side] + 0.5, counts[1 - side] + 0.5];
  return Math.log(x / y) / Math.sqrt(1 / x + 1 / y);
};

// The n-grams that favor one side most. Of nested n-grams, the longest that is as frequent stays.
function favored(exclusive, side) {
  const ranked = [...exclusive].filter(([, counts]) => counts[side] > counts[1 - side])
    .map(([text, counts]) => ({ text, counts, odds: oddsOf(counts, side) }))
    .sort((x, y) => y.odds - x.odds || y.text.length - x.text.length || (x.text < y.text ? -1 : 1));
  const chosen = [];
  for (const { text, counts } of ranked) {
    if (chosen.length === MOST_NGRAMS) break;
    const longer = ranked.filter((other) => other.text.includes(text) && other.counts[side] >= 0.8 * counts[side])
      .reduce((best, other) => (other.text.length > best.text.length ? other : best), { text, counts });
    if (!chosen.some((other) => other.text.includes(longer.text) || longer.text.includes(other.text))) chosen.push(longer);
  }
  return chosen;
}

function ngramTable(exclusive, side, [a, b]) {
  const rows = favored(exclusive, side).map(({ text, counts }) => [
    make("button", { type: "button", class: "plain", lang: data.lang, onclick: () => listChosen({ a, b, search: text }) }, isolated(text)),
    String(counts[0]), String(counts[1]),
    make("button", { type: "button", class: "plain", onclick: () => openSegment({ segment: counts[2], system: a }, a, b) }, nameOf(counts[2]))]);
  const ngrams = table(["N-gram", "#A only", "#B only", "#segment"], rows, {}, say("More often in {0}, by log odds", "AB"[side]));
  return make("div", {}, ngrams, tableMenu(ngrams.querySelector("table")));
}

export function ngramsOf(a, b) {
  const node = make("details", { class: "only-one" }, make("summary", {}, say("N-grams of the reference that only one of them has")));
  node.addEventListener("toggle", () => {
    if (node.childElementCount > 1) return;
    const exclusive = countExclusive(a, b);
    node.append(make("div", { class: "side-by-side" }, [0, 1].map((side) => ngramTable(exclusive, side, [a, b]))),
      make("p", { class: "note" }, say("Number of segments, of all; n-grams of two to four characters or words, whole words without punctuation; of nested n-grams, the longest that is as frequent.")));
  });
  return node;
}
