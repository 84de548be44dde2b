// What the metric that is shown can match of two texts: their difference, in which nothing that it matches is missing or
// extra. It matches text wherever it stands, as often as n-grams have it, and synonyms of its lexicon. A character that it
// counts in another place is `elsewhere`; only runs that the alignment of both texts moves are `moved`.

import { metric } from "./shown-metric.js";
import { difference } from "./diff.js";

const UNMATCHED = ["extra", "missing"]; // kinds of unmatched text in the output and in the reference
const folded = (text) => text.normalize("NFKC").toLowerCase();

// The numbers of a word's groups. `synonyms` of a metric are the words of each group that occur in the texts.
function groupsOfWords() {
  const groups = new Map();
  metric().synonyms.forEach((words, number) => words.split(" ").forEach((word) => groups.set(folded(word), [...(groups.get(folded(word)) ?? []), number])));
  return { groups, longest: Math.max(0, ...[...groups.keys()].map((word) => word.length)) };
}

// Where words of the lexicon stand in a text.
function wordsIn({ units }) {
  const { groups, longest } = (metric().words ??= groupsOfWords());
  const words = [];
  const keys = units.map((unit) => folded(unit.trim()));
  keys.forEach((key, start) => {
    let word = key;
    for (let stop = start + 1; word && word.length <= longest && stop <= keys.length; word += keys[stop++])
      if (groups.has(word)) words.push({ groups: groups.get(word), start, stop });
  });
  return words;
}

function statesOf({ sides, states }) {
  const keys = sides.map((side) => new Set(side.keys));
  const words = sides.map(wordsIn);
  return sides.map((side, k) => {
    const own = states[k].map((state, i) => (state === UNMATCHED[k] && keys[1 - k].has(side.keys[i]) ? "elsewhere" : state));
    const others = new Set(words[1 - k].flatMap(({ groups }) => groups));
    for (const { groups, start, stop } of words[k])
      if (groups.some((group) => others.has(group)))
        for (let i = start; i < stop; i++) if (own[i] === UNMATCHED[k] || own[i] === "elsewhere") own[i] = "synonym";
    return own;
  });
}

export function matching(ref, hyp) {
  const found = difference(ref, hyp);
  found.matched ??= new Map(); // states by metric
  if (!found.matched.has(metric())) found.matched.set(metric(), statesOf(found));
  return { ...found, states: found.matched.get(metric()) };
}
