// What two texts share and where they differ, for every output and every metric: no data are needed
// but the texts. CJK is compared by character, other scripts by word.

import { CJK, ERRORS, UNSPACED } from "./constants.js";
import { data, make, say } from "./dom.js";

// CJK and UNSPACED, ranges of characters, come from celab/findings/differences/diff.py, which takes the same units.
const WORD = `(?:(?![${CJK}${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`;
const UNIT = new RegExp(`[${CJK}]\\p{M}*|[${UNSPACED}]\\p{M}*|${WORD}(?:[.,'’-]${WORD})*|\\s+|[\\s\\S]`, "gu");
export const CONTENT = /[\p{L}\p{N}]/u;
const MAX_DIFF_CELLS = 1_000_000; // of a table; longer texts are cut at what is unique in both
const ANCHOR = 4; // units
const LONG_WORD = 4; // letters of a word that can be moved alone
// A match counts more inside a run of matches than alone, so that few runs are found instead of many
// scattered characters.
const [OF_CONTENT, OF_SIGN, OF_SPACE, NEW_RUN] = [4, 3, 1, 2];

// Where words begin and end among tokens: true before token i. The browser knows the words of many
// languages; where it does not, every token is a word.
const segmenter = "Segmenter" in Intl ? new Intl.Segmenter(data.lang || undefined, { granularity: "word" }) : null;
export const IS_CJK = new RegExp(`^[${CJK}]$`, "u");
export const IS_WIDE = new RegExp(`^[${CJK}\\u3000-\\u303f\\uff00-\\uff60…—“”]$`, "u"); // as wide as it is high
export function wordEdges(tokens) {
  const starts = tokens.reduce((places, token) => [...places, places[places.length - 1] + token.length], [0]);
  const edges = segmenter && new Set(Array.from(segmenter.segment(tokens.join("")), ({ index }) => index));
  return starts.map((start, i) => i === 0 || i === tokens.length || !edges || edges.has(start)
    || !IS_CJK.test(tokens[i - 1]) || !IS_CJK.test(tokens[i]));
}

const weightOfUnit = (text) => (CONTENT.test(text) ? OF_CONTENT : text.trim() ? OF_SIGN : OF_SPACE);

// The units of a text: where each begins, what it is compared by, and what a match of it counts.
export function unitsOf(text, numbers) {
  const units = text.match(UNIT) ?? [];
  const starts = [0];
  const keys = new Int32Array(units.length);
  const weights = new Uint8Array(units.length);
  units.forEach((unit, i) => {
    starts.push(starts[i] + unit.length);
    const key = unit.normalize("NFKC"); // full-width signs are those of half the width
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    keys[i] = numbers.get(key);
    weights[i] = weightOfUnit(unit);
  });
  return { text, units, starts, keys, weights };
}

// Matched places of x[x0:x1] and y[y0:y1] by dynamic programming, added to `pairs` in order.
function alignTable(x, y, weights, [x0, x1, y0, y1], pairs) {
  const [n, m] = [x1 - x0, y1 - y0];
  if (!n || !m) return;
  const from = new Uint8Array((n + 1) * (m + 1)); // 1 up, 2 left, 4 match, 8 inside a run
  let [best, nextBest] = [new Int32Array(m + 1), new Int32Array(m + 1)];
  let [runs, nextRuns] = [new Int32Array(m + 1).fill(-1e9), new Int32Array(m + 1)];
  for (let i = 1; i <= n; i++) {
    nextRuns.fill(-1e9);
    for (let j = 1; j <= m; j++) {
      let way = best[j] >= nextBest[j - 1] ? 1 : 2;
      let value = way === 1 ? best[j] : nextBest[j - 1];
      if (x[x0 + i - 1] === y[y0 + j - 1]) {
        const inside = runs[j - 1];
        const opened = best[j - 1] - NEW_RUN;
        nextRuns[j] = weights[x0 + i - 1] + Math.max(inside, opened);
        if (nextRuns[j] > value) {
          value = nextRuns[j];
          way = 4;
        }
        if (inside >= opened) way |= 8;
      }
      nextBest[j] = value;
      from[i * (m + 1) + j] = way;
    }
    [best, nextBest, runs, nextRuns] = [nextBest, best, nextRuns, runs];
  }
  const found = [];
  for (let [i, j, inRun] = [n, m, false]; i && j;) {
    const way = from[i * (m + 1) + j];
    if (inRun || way & 4) {
      inRun = Boolean(way & 8);
      found.push([x0 + --i, y0 + --j]);
    } else if (way & 1) i--;
    else j--;
  }
  pairs.push(...found.reverse());
}

// Places of runs that both have once, in the longest order that both keep.
function anchorsOf(x, y, [x0, x1, y0, y1]) {
  const unique = (keys, start, stop) => {
    const places = new Map();
    for (let i = start; i + ANCHOR <= stop; i++) {
      const key = keys.subarray(i, i + ANCHOR).join();
      places.set(key, places.has(key) ? -1 : i);
    }
    return places;
  };
  const inY = unique(y, y0, y1);
  const shared = [...unique(x, x0, x1)].map(([key, i]) => [i, inY.get(key) ?? -1]).filter(([i, j]) => i >= 0 && j >= 0);
  const ends = []; // of increasing chains, by their length
  const before = new Map();
  for (const pair of shared) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle][1] < pair[1]) low = middle + 1;
      else high = middle;
    }
    before.set(pair, ends[low - 1] ?? null);
    ends[low] = pair;
  }
  const chain = [];
  for (let pair = ends[ends.length - 1] ?? null; pair; pair = before.get(pair)) chain.push(pair);
  return chain.reverse();
}

function alignUnits(x, y) {
  let [x0, x1, y0, y1] = [0, x.keys.length, 0, y.keys.length];
  const pairs = [];
  const tail = [];
  while (x0 < x1 && y0 < y1 && x.keys[x0] === y.keys[y0]) pairs.push([x0++, y0++]);
  while (x0 < x1 && y0 < y1 && x.keys[x1 - 1] === y.keys[y1 - 1]) tail.push([--x1, --y1]);
  if ((x1 - x0) * (y1 - y0) <= MAX_DIFF_CELLS) alignTable(x.keys, y.keys, x.weights, [x0, x1, y0, y1], pairs);
  else {
    for (const [i, j] of [...anchorsOf(x.keys, y.keys, [x0, x1, y0, y1]), [x1, y1]]) {
      if (i < x0 || j < y0) continue; // inside the run before
      if ((i - x0) * (j - y0) <= MAX_DIFF_CELLS) alignTable(x.keys, y.keys, x.weights, [x0, i, y0, j], pairs);
      [x0, y0] = [i, j];
      while (x0 < x1 && y0 < y1 && x.keys[x0] === y.keys[y0]) pairs.push([x0++, y0++]);
    }
  }
  return withoutStraySigns([...pairs, ...tail.reverse()], x, y);
}

// Without matches of nothing but signs and spaces in the middle of other text: they would cut a run.
const STRAY = 3; // units that differ on either side
function withoutStraySigns(pairs, x, y) {
  const runs = [];
  for (const pair of pairs) {
    const last = runs[runs.length - 1]?.at(-1);
    if (last && pair[0] === last[0] + 1 && pair[1] === last[1] + 1) runs[runs.length - 1].push(pair);
    else runs.push([pair]);
  }
  const ends = [[-1, -1], [x.keys.length, y.keys.length]];
  const gap = (before, after) => Math.max(after[0] - before[0], after[1] - before[1]) - 1;
  return runs.filter((run, k) => run.some(([i]) => x.weights[i] === OF_CONTENT)
    || gap(runs[k - 1]?.at(-1) ?? ends[0], run[0]) < STRAY || gap(run.at(-1), runs[k + 1]?.[0] ?? ends[1]) < STRAY).flat();
}

// Runs that both texts have, but in other places: marked as moved in `states`.
function findMoved(x, y, states) {
  const free = (side, i) => states[side][i] === "free";
  const places = new Map();
  x.keys.forEach((key, i) => free(1, i) && places.set(key, [...(places.get(key) ?? []), i]));
  for (let j = 0; j < y.keys.length; j++) {
    if (!free(0, j)) continue;
    let [start, length] = [0, 0];
    for (const i of places.get(y.keys[j]) ?? []) {
      let n = 0;
      while (free(1, i + n) && free(0, j + n) && x.keys[i + n] === y.keys[j + n]) n++;
      if (n > length) [start, length] = [i, n];
    }
    const moved = y.units.slice(j, j + length).filter((unit) => CONTENT.test(unit));
    if (moved.length < 2 && !moved.some((unit) => [...unit].length >= LONG_WORD)) continue;
    states[0].fill("moved", j, j + length);
    states[1].fill("moved", start, start + length);
    j += length - 1;
  }
}

const compared = new Map(); // results, the last ones
const MOST_COMPARED = 400;

// The difference of an output from a reference: units and states of both, output first, as everywhere;
// `steps` are spans of both from left to right, equal or not.
export function difference(ref, hyp) {
  const key = `${ref}\u0000${hyp}`;
  if (compared.has(key)) return compared.get(key);
  const numbers = new Map();
  const [x, y] = [unitsOf(ref, numbers), unitsOf(hyp, numbers)];
  const pairs = alignUnits(x, y);
  const states = [Array(y.keys.length).fill("free"), Array(x.keys.length).fill("free")];
  const steps = [];
  const step = (equal, ref0, ref1, hyp0, hyp1) => {
    const last = steps[steps.length - 1];
    if (last && last.equal === equal && equal) [last.ref[1], last.hyp[1]] = [ref1, hyp1];
    else steps.push({ equal, ref: [ref0, ref1], hyp: [hyp0, hyp1] });
  };
  let [i, j] = [0, 0];
  for (const [r, h] of [...pairs, [x.keys.length, y.keys.length]]) {
    if (i < r || j < h) step(false, i, r, j, h);
    if (r < x.keys.length && h < y.keys.length) {
      step(true, r, r + 1, h, h + 1);
      states[0][h] = states[1][r] = "same";
    }
    [i, j] = [r + 1, h + 1];
  }
  findMoved(x, y, states);
  [y, x].forEach((side, k) => side.units.forEach((unit, at) => {
    if (states[k][at] === "free") states[k][at] = unit.trim() ? ["extra", "missing"][k] : "same";
  }));
  const result = { sides: [y, x], states, steps };
  if (compared.size >= MOST_COMPARED) compared.delete(compared.keys().next().value);
  compared.set(key, result);
  return result;
}

// One side of a difference as runs of characters: [{start, stop, state}]. Spaces between two runs of
// the same state belong to them.
export function runsOf({ sides, states }, side) {
  const { starts, units } = sides[side];
  const runs = [];
  units.forEach((unit, i) => {
    const last = runs[runs.length - 1];
    const isGap = !unit.trim() && last && states[side][i + 1] === last.state;
    if (last && (last.state === states[side][i] || isGap)) last.stop = starts[i + 1];
    else runs.push({ start: starts[i], stop: starts[i + 1], state: states[side][i] });
  });
  return runs;
}

// Where the words stand that are searched for: [start, stop] of each.
export function hitsOf(text, words) {
  const [inText, inWords] = [text.toLowerCase(), words.toLowerCase()];
  if (!words || inText.length !== text.length) return [];
  const hits = [];
  for (let at = inText.indexOf(inWords); at >= 0; at = inText.indexOf(inWords, at + inWords.length))
    hits.push([at, at + inWords.length]);
  return hits;
}

// Runs cut at the hits of a search.
function cutRuns(runs, hits) {
  return runs.flatMap((run) => {
    const inside = hits.filter(([start, stop]) => start < run.stop && stop > run.start);
    const parts = [];
    let at = run.start;
    for (const [start, stop] of inside) {
      if (start > at) parts.push({ ...run, start: at, stop: start });
      parts.push({ ...run, start: Math.max(start, at), stop: Math.min(stop, run.stop), hit: true });
      at = Math.min(stop, run.stop);
    }
    if (at < run.stop) parts.push({ ...run, start: at });
    return parts;
  });
}

export const ELEMENTS = { missing: "del", extra: "ins", moved: "em", elsewhere: "em", synonym: "em", a: "ins", b: "ins" };
const [KEPT, ELIDED] = [8, 22]; // characters beside a difference; of equal text that are left out

// What people have said of an error.
export const spanText = ({ severity, category, seen }) => [severity, category, seen === null ? say("no place in the output") : seen ? say("seen") : say("not seen")].filter(Boolean).join(", ");

// A part of a span, with its severity where it ends.
function spanNode(content, { span, closes }) {
  return make("span", { class: `error-span ${span.level}`, title: spanText(span),
    "data-ends": closes.length ? closes.map(({ level, severity }) => (level === "other" ? severity : say(level))).join(", ") : null }, content);
}

// A run as an element; equal text is plain.
export function runNode(text, { state, hit, by, span, closes, element = ELEMENTS[state], isSigns = typeof text === "string" && !CONTENT.test(text) }) {
  const plain = hit ? make("mark", {}, text) : text;
  const content = span ? spanNode(plain, { span, closes }) : plain;
  return element ? make(element, { class: `run ${state}${isSigns ? " signs" : ""}`, "data-by": by,
    title: state === "elsewhere" ? say(ERRORS.elsewhere) : null }, content) : content;
}

// A text with its runs marked. In the list (`short`), long equal text is left out, and so is what
// stands before the first hit of a search.
export function markedText(text, runs, { short = false, words = "" } = {}) {
  const cut = cutRuns(runs, hitsOf(text, words));
  const first = cut.findIndex(({ hit }) => hit);
  const begin = short && first >= 0 && cut[first].start > ELIDED ? Math.max(0, cut[first].start - KEPT) : 0;
  const nodes = begin ? ["…"] : [];
  cut.forEach((run, i) => {
    if (run.stop <= begin) return;
    const part = text.slice(Math.max(run.start, begin), run.stop);
    const isLong = short && run.state === "same" && !run.hit && !run.span && part.length > ELIDED;
    if (!isLong) nodes.push(runNode(part, run));
    else {
      const characters = Array.from(part);
      const head = i ? characters.slice(0, KEPT).join("") : "";
      const tail = i < cut.length - 1 ? characters.slice(-KEPT).join("") : "";
      nodes.push(cut.length === 1 ? part : `${head}…${tail}`);
    }
  });
  return nodes;
}

// The runs of a text that is compared with nothing.
export const plainRuns = (text) => (text ? [{ start: 0, stop: text.length, state: "same" }] : []);
