// Two translations with the reference between them.

import { metric } from "./shown-metric.js";
import { data, make, roving, say } from "./dom.js";
import { Sentences, errorOf, frameRuns, linksOf, writtenTokens } from "./sentences.js";
import { ngramMarks, wordLinks, wordMarks } from "./arithmetic.js";

// Tokens, marks and links of a translation, hypothesis first; a mean is shown by its first part.
function sidesOf(pair) {
  if (pair.parts) return sidesOf({ ...pair.parts[0], texts: pair.texts });
  if (!pair.words) {
    const tokens = writtenTokens(pair);
    const links = linksOf(pair, tokens);
    const { settings } = metric().parts?.[0] ?? metric();
    const ngrams = ngramMarks(tokens[1].length, settings.max_order, links, 1).flat();
    return { tokens, marks: pair.marks, links, ngrams, partly: pair.partly[1] };
  }
  const forms = pair.words.map(([side]) => side);
  const groups = new Map(pair.groups.map(([h, r, ...labels]) => [`${h},${r}`, labels]));
  const links = pair.features.length ? wordLinks(pair.features[0], forms, groups) : [];
  const marks = wordMarks(links, forms.map((side) => side.length));
  return { tokens: forms, marks, links, ngrams: marks[1], partly: {} };
}

// Tokens that only one of the translations matched are framed, with the letter of the other; `pairs` are those of the translations
// with the same reference.
export function versusView(pairs, names = ["A", "B"]) {
  const both = pairs.map(sidesOf);
  const [first, second] = both.map(({ tokens, marks, links }, side) => new Sentences(tokens, marks, links, `${names[side]}${say(": ")}`));
  const refs = first.nodes[1];
  const missed = both.map(({ marks }) => [...marks[1]].map((mark) => mark === "."));
  second.nodes[1] = refs; // both share the tokens of the reference
  refs.forEach((node, at) => {
    for (const event of ["mouseenter", "focus"]) node.addEventListener(event, () => second.highlight(second.linksAt(1, at), [1, at], true));
    for (const event of ["mouseleave", "blur"]) node.addEventListener(event, () => second.clear());
    if (missed[0][at] === missed[1][at]) return;
    const name = names[missed[0][at] ? 0 : 1];
    node.classList.add("only");
    node.dataset.state = "missing"; // from one of them
    node.dataset.by = name;
    node.setAttribute("aria-label", `${node.querySelector(".t").textContent}, ${say("missing from {0} only", name)}`);
  });
  both.forEach(({ links }, side) => links.flatMap(({ parts }) => parts).forEach(({ spans: [[h0, h1], [r0, r1]], labels }) => {
    const only = missed[1 - side].slice(r0, r1).map((isMissed, i) => isMissed && !missed[side][r0 + i]);
    // Of equal tokens each has its own partner; words of one group are linked as wholes.
    const single = !labels.length && h1 - h0 === r1 - r0;
    [first, second][side].nodes[0].slice(h0, h1).forEach((node, i) => {
      if (single ? only[i] : only.includes(true)) node.classList.add("only");
    });
  }));
  // One frame and one letter for a run.
  const kindOf = (node) => (node.classList.contains("only") ? `only ${node.dataset.by ?? ""}` : errorOf(node));
  for (const nodes of [first.nodes[0], refs, second.nodes[0]]) frameRuns(nodes, kindOf);
  for (const node of refs) if (node.dataset.by && node.classList.contains("begins")) node.querySelector(".m").textContent = node.dataset.by;
  const line = (name, nodes) => make("div", { class: "line" }, make("span", { class: "name", "aria-hidden": "true" }, name),
    make("span", { class: "side", lang: data.lang }, nodes));
  const lines = make("div", {
    class: "stacked versus", dir: first.direction, role: "group", "aria-label": say("Both translations and the reference, token by token"),
  }, line(names[0], first.nodes[0]), line(say("ref"), refs), line(names[1], second.nodes[0]));
  roving(lines, ".token");
  return make("div", { class: "sentences" }, lines, first.status, second.status);
}
