// From counts to score, with the numbers filled in, for TESLA-CELAB (n-grams), TESLA-M and TESLA-S (words).

import { SAID, STATES } from "./constants.js";
import { metric } from "./shown-metric.js";
import { brief, format } from "./figures.js";
import { countText, data, isolated, make, meter, phrase, roving, say, table, visible } from "./dom.js";
import { wordEdges } from "./diff.js";
import { SIDES, Sentences, legend, linksOf, namesOf, ngramText, piecesNode, tokensOf, writtenTokens } from "./sentences.js";
import { unmatchedPanel } from "./unmatched.js";

// Formats a figure with the digits of the current metric.
export const figure = (value) => format(value, metric().digits);
const fraction = (numerator, denominator) => make("span", { class: "fraction" },
  make("span", {}, numerator), make("span", {}, denominator));

function equation(name, ...sides) {
  return make("p", { class: "equation" }, make("var", {}, say(name)),
    sides.map((side) => [make("span", { class: "op" }, "="), side]));
}

// Number of n-grams of an order in n tokens.
const countNgrams = (n, order) => Math.max(0, n - order + 1);

// How each n-gram of one side was matched, by order, then position: as its own link, `+` if it lies
// inside a linked one, `.` if not.
export function ngramMarks(n, maxOrder, links, side) {
  const marks = Array.from({ length: maxOrder }, (_, i) => Array(countNgrams(n, i + 1)).fill("."));
  for (const { spans } of links) {
    const [start, stop] = spans[side];
    for (let order = 1; order <= stop - start; order++)
      marks[order - 1].fill("+", start, stop - order + 1);
  }
  for (const mark of ["~", "="])
    for (const { spans: { [side]: [start, stop] } } of links.filter((link) => link.mark === mark))
      marks[stop - start - 1][start] = mark;
  return marks.filter((row) => row.length);
}

// The n-grams of one side as [{order, items: [{span, mark, cover, weight}]}]; `weights` are those of
// the tokens, if n-grams have weights.
function ordersOf(marks, partly, weights, decay) {
  const weigh = (start, order) => decay ** (order - 1) *
    weights.slice(start, start + order).reduce((sum, weight) => sum + weight, 0) / order;
  let index = 0;
  return marks.map((row, i) => ({
    order: i + 1,
    items: row.map((mark, start) => {
      const k = index++;
      return {
        span: [start, start + i + 1], mark,
        cover: partly[k] ?? (mark === "." ? 0 : 1), partly: k in partly,
        weight: weights ? weigh(start, i + 1) : 1, weighted: Boolean(weights),
      };
    }),
  }));
}

function ngramNode(tokens, { span, mark, cover, partly, weight, weighted }) {
  return make("span", { class: "token ngram begins ends", "data-state": STATES[mark] },
    make("span", { class: "t", lang: data.lang }, ngramText(tokens, span)),
    make("span", { class: "m" }, partly ? `${mark} ${brief(cover)}` : mark,
      weighted ? `${partly ? " ·" : ""} ${brief(weight)}` : null));
}

// Built only when opened, because a long sentence has hundreds of n-grams.
function ngramDetails(side, tokens, orders) {
  const node = make("details", {}, make("summary", {}, say(`n-grams of the ${SIDES[side]}`)));
  node.addEventListener("toggle", () => {
    if (node.childElementCount > 1) return;
    node.append(...orders.map(({ order, items }) => make("div", { class: "ngrams" },
      make("b", {}, `${order}`), make("div", {}, items.map((item) => ngramNode(tokens, item))))));
  });
  return node;
}

const coverOf = (items) => items.reduce((total, item) => total + item.cover * item.weight, 0);
const weightOf = (items) => items.reduce((total, item) => total + item.weight, 0);
const bothSides = (orders, i) => [1, 0].map((side) => orders[side][i]?.items ?? []);

// Covered and all n-grams of each order, as bars.
function orderBars(orders) {
  const n = Math.max(orders[0].length, orders[1].length);
  const cell = (items) => make("td", {}, make("span", { class: "share" },
    meter(items.length ? coverOf(items) / weightOf(items) : 0),
    make("span", { class: "number" }, items.length ? `${brief(coverOf(items))} / ${brief(weightOf(items))}` : "–")));
  const row = (name, sides) => make("tr", {}, make("th", { scope: "row", class: "number" }, name), sides.map(cell));
  const all = [1, 0].map((side) => orders[side].flatMap(({ items }) => items));
  const last = row(say("all"), all);
  last.classList.add("sum");
  return table(["#order", "reference", "hypothesis"], [
    ...Array.from({ length: n }, (_, i) => row(String(i + 1), bothSides(orders, i))), last,
  ], { class: "orders" }, say("Covered n-grams of all n-grams, by order"));
}

// How the n-grams were matched: an n-gram has a link of its own, or lies inside a linked one.
function ngramSplit(orders) {
  const marks = ["=", "~", "+", "."];
  const count = (items, mark) => String(items.filter((item) => item.mark === mark).length);
  const n = Math.max(orders[0].length, orders[1].length);
  const rows = Array.from({ length: n }, (_, i) => [String(i + 1),
    ...bothSides(orders, i).flatMap((items) => marks.map((mark) => count(items, mark)))]);
  const heads = ["#linked, equal", "#linked, synonym", "#inside a link", "#not covered"];
  const counts = table(["#order", ...heads, ...heads], rows, { class: "counts" }, say("N-grams by order and how they were matched"));
  const groups = ["reference", "hypothesis"].map((name) =>
    make("th", { colspan: heads.length, scope: "colgroup" }, say(name)));
  counts.querySelector("thead").prepend(make("tr", {}, make("td", {}), groups));
  return make("details", {}, make("summary", {}, say("How the n-grams were matched")), counts);
}

// The spans of the runs of unmatched tokens, longest first.
function missingRuns(marks) {
  const runs = [];
  [...marks].forEach((mark, at) => {
    if (mark !== ".") return;
    if (runs.length && runs[runs.length - 1][1] === at) runs[runs.length - 1][1] += 1;
    else runs.push([at, at + 1]);
  });
  return runs.sort((a, b) => (b[1] - b[0]) - (a[1] - a[0]));
}

const MOST_RUNS = 8; // missing runs of tokens that are shown
const MOST_MISSING = 16; // characters of what is missing
const shortened = (text) => {
  const inner = text.replace(/^[\p{P}\s]+(?=.)|(?<=.)[\p{P}\s]+$/gu, "") || text;
  return [...inner].length > MOST_MISSING ? `${[...inner].slice(0, MOST_MISSING - 1).join("")}…` : inner;
};

// What is missing first, in the word that it is part of; then the counts.
function summary(pair, tokens, orders) {
  const items = orders.flatMap(({ items: ofOrder }) => ofOrder);
  const [covered, all] = [coverOf(items), weightOf(items)];
  const share = Math.min((100 * covered) / all, covered < all - 1e-6 ? 99 : 100); // 100% is all of it
  const counts = pair.weights ? say("{0} of the weight of the reference’s n-grams is covered.", `${Math.round(share)}%`)
    : say("{0} of {1} n-grams of the reference are covered.", brief(covered), brief(all));
  const runs = missingRuns(pair.marks[1]);
  const text = (span) => make("b", { lang: data.lang, dir: "auto" }, shortened(ngramText(tokens[1], span)));
  const around = runs.length === 1 ? aroundOf(tokens[1], runs[0]) : null;
  const pieces = make("span", {}, ...runs.slice(0, MOST_RUNS).flatMap((run, i) => [i ? say(", ") : null, text(run)]));
  const first = !runs.length ? (covered < all - 1e-6 ? say(SAID.EVERY_TOKEN) : null)
    : around ? phrase("Missing: {0} (in {1}).", pieces, text(around))
      : runs.length <= MOST_RUNS ? phrase("Missing: {0}.", pieces)
        : phrase("Missing: {0} and {1} more.", pieces, String(runs.length - MOST_RUNS));
  const excess = pair.length && say("{0} times as long as the reference: × {1}.",
    format(tokens[0].length / tokens[1].length, 2), format(pair.length, 2));
  return make("p", { class: "summary" }, first, first ? " " : null, make("small", {}, counts, excess ? ` ${excess}` : null));
}

// The word that a part of it is in; null if the run itself begins and ends with words.
function aroundOf(tokens, [start, stop]) {
  const edges = wordEdges(tokens);
  const span = [edges.lastIndexOf(true, start), edges.indexOf(true, stop)];
  return span[0] === start && span[1] === stop ? null : span;
}

function celabEquations(pair, orders, settings) {
  const [score, precision, recall] = pair.values.map(figure);
  const total = (side) => orders[side].reduce((sum, { items }) =>
    items.reduce((weight, item) => weight + item.weight, sum), 0);
  const [nHyp, nRef] = [total(0), total(1)].map(brief);
  const [cHyp, cRef] = pair.covered.map(brief);
  const f = brief(settings.f);
  const limited = (side, factor) => [side, pair.length ? ` × ${factor}` : null];
  return make("div", { class: "equations" },
    equation("recall", fraction("C(ref)", "N(ref)"), fraction(cRef, nRef), recall),
    nHyp !== "0" ? equation("precision", fraction("C(hyp)", "N(hyp)"), fraction(cHyp, nHyp), precision)
      : equation("precision", say(orders[0].length
        ? "{0} (the hypothesis weighs nothing)" : "{0} (the hypothesis is empty)", precision)),
    equation("score",
      limited(fraction("C(ref) + f · C(hyp)", "N(ref) + f · N(hyp)"), say("length factor")),
      limited(fraction(`${cRef} + ${f} · ${cHyp}`, `${nRef} + ${f} · ${nHyp}`), format(pair.length, 4)), make("b", {}, score)));
}

function celabView(pair, settings) {
  const tokens = writtenTokens(pair);
  const links = linksOf(pair, tokens);
  const sentences = new Sentences(tokens, pair.marks, links);
  const orders = [0, 1].map((side) => ordersOf(
    ngramMarks(tokens[side].length, settings.max_order, links, side),
    pair.partly[side], pair.weights?.[side], settings.decay));
  const ngramsInside = ([start, stop]) => ((stop - start) * (stop - start + 1)) / 2;
  const linkRows = links.map((link) => sentences.linkRow([link], [
    format(link.weight, 3), link.texts[1], link.texts[0], piecesNode(link, tokens),
    say("{0} ref, {1} hyp", ngramsInside(link.spans[1]), ngramsInside(link.spans[0]))], [0, 4]));
  const headings = ["#weight", "reference", "hypothesis", "pieces", "#covers n-grams"];
  const linkTable = table(headings, linkRows, { class: "links" }, say("Links"));
  roving(linkTable, "tr.link", { ArrowDown: 1, ArrowUp: -1 });
  const linkDetails = make("details", { class: "all-links" }, make("summary", {}, countText(links.length, "link")), links.length ? linkTable : null);
  return {
    first: [
      summary(pair, tokens, orders[1]),
      sentences.aligned(pair.columns), legend("~+."),
    ],
    why: [
      unmatchedPanel(pair, pair.tokens.map(tokensOf), sentences, settings.max_order), make("h4", {}, say("From counts to score")),
      orderBars(orders), celabEquations(pair, orders, settings),
      make("p", { class: "note" }, say(pair.weights
        ? "C sums the weights of the covered n-grams of a side, N of all of them."
        : "C counts the covered n-grams of a side, N all of them.")),
    ],
    folded: [linkDetails, ngramSplit(orders), ngramDetails(1, tokens[1], orders[1]), ngramDetails(0, tokens[0], orders[0])],
  };
}

// The score over all references, as an equation; null if there is only one.
export function combinedScore({ combine, values, against }) {
  if (against.length < 2) return null;
  const scores = against.map((pair) => figure(pair.values[0]));
  const expression = combine === "max" ? `max(${scores.join(", ")})` : fraction(scores.join(" + "), scores.length);
  return [make("h4", {}, say("All {0} references", scores.length)),
    make("div", { class: "equations" }, equation("score", expression, make("b", {}, figure(values[0]))))];
}

const SIMILARITIES = { ms: "lemma, synonyms, tag", lem: "lemma", pos: "tag" };

export function wordLinks([order, , , links], forms, groups) {
  return links.map(([h, r, similarity, weight, marks, ...apart]) => {
    // Positions of the words on both sides; those of a skip bigram need not be adjacent.
    const places = apart.length ? apart : [h, r].map((start) => [...marks].map((_, i) => start + i));
    const parts = [...marks].map((mark, i) => ({
      spans: places.map((side) => [side[i], side[i] + 1]), mark,
      labels: mark === "~" ? groups.get(places.map((side) => side[i]).join(",")) ?? [] : [], cuts: [],
    }));
    const spans = places.map((side) => [side[0], side[order - 1] + 1]);
    return {
      weight, similarity, spans, parts, cuts: [],
      mark: ["t", "~", "="].find((mark) => marks.includes(mark)),
      labels: [...new Set(parts.flatMap((part) => part.labels))],
      texts: places.map((positions, side) => positions.map((at, i) =>
        `${i === 0 ? "" : at === positions[i - 1] + 1 ? " " : " … "}${forms[side][at]}`).join("")),
    };
  });
}

const lemmaOf = ([forms, lemmas], at) => lemmas[at] || forms[at];

function wordPieces(link, words) {
  return link.parts.map(({ spans, mark, labels }, i) => {
    const [hyp, ref] = spans.map(([at], side) => lemmaOf(words[side], at));
    const text = [isolated(ref), mark === "t" ? "/" : mark, isolated(hyp), mark === "t" ? ` ${words[1][2][spans[1][0]]}` : null];
    return make("span", { class: "piece-pair", "data-state": STATES[mark] }, i ? " " : null, text,
      labels.length ? make("small", { lang: "en" }, ` [${namesOf(labels).join(", ")}]`) : null);
  });
}

export function wordMarks(links, lengths) {
  // A word has the mark of its heaviest match by the first similarity.
  const marks = lengths.map((n) => Array(n).fill("."));
  for (const { spans, parts } of [...links].sort((x, y) => x.weight - y.weight))
    for (const side of [0, 1]) marks[side][spans[side][0]] = parts[0].mark;
  return marks;
}

function wordsView(pair, settings) {
  const forms = pair.words.map(([side]) => side);
  const groups = new Map(pair.groups.map(([h, r, ...labels]) => [`${h},${r}`, labels]));
  const features = pair.features.map((feature) => ({ feature, links: wordLinks(feature, forms, groups) }));
  const first = features[0]?.links ?? [];
  const marks = wordMarks(first, forms.map((side) => side.length));
  const sentences = new Sentences(forms, marks, first);
  pair.words.forEach((words, side) => sentences.nodes[side].forEach((node, at) => {
    const [, , tags, functional] = words;
    node.title = visible(`${lemmaOf(words, at)} / ${tags[at]}${functional.includes(at) ? `${say(", ")}${say("function word")}` : ""}`);
    node.classList.toggle("function", functional.includes(at));
  }));
  const rows = features.map(({ feature: [order, similarity, numbers] }) =>
    [String(order), say(SIMILARITIES[similarity] ?? similarity), ...numbers.map(figure)]);
  const fs = features.map(({ feature: [, , numbers] }) => figure(numbers[5]));
  const { alpha, average } = settings;
  const mean = average === "geometric"
    ? [`(${fs.join(" · ")})`, make("sup", {}, `1/${fs.length}`)] : fraction(fs.join(" + "), fs.length);
  const n = forms[1].length;
  const unmatched = forms[1].filter((_, at) => marks[1][at] === ".");
  const missing = unmatched.length ? phrase("Missing: {0}.", make("b", { lang: data.lang, dir: "auto" }, unmatched.join(" "))) : null;
  return {
    first: [
      make("p", { class: "summary" }, missing, missing ? " " : null,
        make("small", {}, say("{0} of {1} of the reference are matched.", n - unmatched.length, countText(n, "word")))),
      sentences.stacked(), legend("~t."),
    ],
    why: [
      make("h4", {}, say("From matches to score")),
      table(["#order", "by", "#S", "#hyp weight", "#ref weight", "#P", "#R", "#F"], rows, { class: "counts" }, say("Matches by order")),
      make("div", { class: "equations" },
        equation("P", fraction("S", say("hyp weight"))), equation("R", fraction("S", say("ref weight"))),
        equation("F", fraction("P · R", `${brief(alpha)} · P + ${brief(1 - alpha)} · R`)),
        fs.length ? equation("score", mean, make("b", {}, figure(pair.values[0])))
          : equation("score", make("b", {}, figure(pair.values[0])))),
    ],
    folded: features.map(({ feature, links }) => featureDetails(feature, links, sentences, pair.words)),
  };
}

function featureDetails([order, similarity], links, sentences, words) {
  const by = say(SIMILARITIES[similarity] ?? similarity);
  const node = make("details", {}, make("summary", {},
    say("{0} of order {1}, by {2}", countText(links.length, "match", "matches"), order, by)));
  node.addEventListener("toggle", () => {
    if (node.childElementCount > 1) return;
    const matches = table(["#weight", "#similarity", "reference", "hypothesis", "lemmas"], links.map((link) =>
      sentences.linkRow([link], [brief(link.weight), format(link.similarity, 3), link.texts[1], link.texts[0],
        wordPieces(link, words)], [0, 1])), { class: "links" }, say("Links"));
    roving(matches, "tr.link", { ArrowDown: 1, ArrowUp: -1 });
    node.append(matches);
  });
  return node;
}

// A mean has a view for each part, whose settings are its own.
export function viewOf(pair, settings = metric().settings) {
  if (!pair.parts) return pair.words ? wordsView(pair, settings) : celabView(pair, settings);
  const parts = pair.parts.map((part, i) => viewOf({ ...part, texts: pair.texts }, metric().parts[i].settings));
  const heading = (i) => [
    make("h4", {}, say("Part {0} of {1}", i + 1, pair.parts.length)),
    make("p", { class: "note signature" }, make("code", {}, metric().parts[i].signature))];
  const scores = pair.parts.map((part) => figure(part.values[0]));
  return {
    first: parts.flatMap(({ first }, i) => [...heading(i), ...first]),
    why: [...parts.flatMap(({ why }, i) => [...heading(i), ...why]),
      make("h4", {}, say("Mean of {0} parts", scores.length)),
      make("div", { class: "equations" }, equation("score", fraction(scores.join(" + "), scores.length),
        make("b", {}, figure(pair.values[0]))))],
    folded: parts.flatMap(({ folded }) => folded),
  };
}
