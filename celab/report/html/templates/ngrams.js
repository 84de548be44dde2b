// N-grams of the reference that only one of two systems covers.

import { countText, data, isolated, make, say, table } from "./dom.js";
import { explainedOf, load } from "./explained.js";
import { wordEdges } from "./diff.js";
import { ngramText } from "./sentences.js";
import { countNgrams } from "./arithmetic.js";
import { sidesOf } from "./versus.js";
import { openSegment } from "./scatter.js";
import { listChosen } from "./chips.js";
import { tableMenu } from "./copying.js";

const MOST_NGRAMS = 15;
const PUNCTUATION = /[\p{P}\p{S}\s]/u;

// Counts the n-grams of the reference that one translation covers and the other does not.
async function countExclusive(a, b) {
  const exclusive = new Map(); // counts of both, and one segment
  let n = 0;
  await Promise.all(data.segments.map((_, segment) => load(segment)));
  data.segments.forEach((_, segment) => {
    const both = [a, b].map((system) => explainedOf(system, segment));
    if (!both[0] || !both[1]) return;
    n += 1;
    both[0].against.forEach((pair, k) => {
      const sides = [pair, both[1].against[k]].map(sidesOf);
      const tokens = sides[0].tokens[1];
      const edges = wordEdges(tokens);
      for (let order = 1, at = 0; at < sides[0].ngrams.length; order++)
        for (let start = 0; start < countNgrams(tokens.length, order); start++, at++) {
          const [x, y] = sides.map(({ ngrams, partly }) => (partly[at] ?? (ngrams[at] === "." ? 0 : 1)) > 0.5);
          if (x === y || !edges[start] || !edges[start + order]) continue; // parts of words say little
          const text = ngramText(tokens, [start, start + order]);
          if (PUNCTUATION.test(text) || [...text].length < 2) continue; // single characters say little
          const counts = exclusive.get(text) ?? [0, 0, segment];
          counts[x ? 0 : 1] += 1;
          exclusive.set(text, counts);
        }
    });
  });
  return { n, exclusive };
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
    make("button", { type: "button", class: "plain", onclick: () => openSegment(counts[2], a, b) }, String(counts[2] + 1))]);
  const ngrams = table(["N-gram", "#A only", "#B only", "#segment"], rows, {}, say("Covered by {0} only, by log odds", "AB"[side]));
  return make("div", {}, ngrams, tableMenu(ngrams.querySelector("table")));
}

export function ngramsOf(a, b) {
  const node = make("details", { class: "only-one" }, make("summary", {}, say("N-grams of the reference that only one of them covers")));
  node.addEventListener("toggle", async () => {
    if (node.childElementCount > 1) return;
    const waiting = make("p", { class: "note" }, say("Counting …"));
    node.append(waiting);
    const { n, exclusive } = await countExclusive(a, b);
    waiting.replaceWith(make("div", { class: "side-by-side" }, [0, 1].map((side) => ngramTable(exclusive, side, [a, b]))),
      make("p", { class: "note" }, say("Counted in the {0} that are explained for both, of two characters or more, whole words without punctuation; of nested n-grams, the longest that is as frequent. Choose an n-gram to search for it.",
        countText(n, "segment"))));
  });
  return node;
}
