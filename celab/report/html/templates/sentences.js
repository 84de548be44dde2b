// Two sentences with every token marked; the links of a token are shown on hover and focus.

import { ERRORS, STATES, TITLES } from "./constants.js";
import { brief } from "./figures.js";
import { countText, data, isolated, make, roving, say, visible } from "./dom.js";
import { IS_CJK } from "./diff.js";

// STATES and TITLES, by mark, come from celab/tables/palette.py.
export const SIDES = ["hypothesis", "reference"];
export const tokensOf = ([separator, text]) => (separator === "" ? Array.from(text) : text.split(separator));

// Tokens as the text has them, because a metric may fold case, width or script; as they are if they are not found there.
function asWritten(tokens, text) {
  const fold = (part) => part.normalize("NFKC").toLowerCase();
  const characters = Array.from(text);
  let at = 0;
  const written = tokens.map((token) => {
    while (token.trim() && characters[at]?.trim() === "") at++;
    return characters.slice(at, (at += Array.from(token).length)).join("");
  });
  const isSame = (part, token) => fold(part) === fold(token) || (IS_CJK.test(part) && IS_CJK.test(token));
  return written.every((part, i) => isSame(part, tokens[i])) ? written : tokens;
}

// The tokens of a pair of sentences; `pair.texts` are these sentences, if they are known.
export const writtenTokens = (pair) => pair.tokens.map((side, i) => (pair.texts ? asWritten(tokensOf(side), pair.texts[i]) : tokensOf(side)));

// Scripts that are written from right to left.
const isRightToLeft = (text) => /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u.test(text);
export const directionOf = (text) => (isRightToLeft(text) ? "rtl" : null);

// The n-gram as it is written: with a space only where tokens would run together.
export function ngramText(tokens, [start, stop]) {
  if (tokens.includes(" ")) return tokens.slice(start, stop).join("").replaceAll(" ", "␣"); // letters
  const isCharacter = (token) => [...token].length === 1 && token > "\u007f";
  return tokens.slice(start, stop).reduce((text, token, i, all) =>
    text + (i && !(isCharacter(all[i - 1]) && isCharacter(token)) ? " " : "") + token, "");
}

export const namesOf = (labels) => labels.map((label) => data.labels[label]);
const linkText = (link) => visible([
  `${link.texts[1]} ${link.mark} ${link.texts[0]}`,
  `${say(TITLES[link.mark])}${link.labels.length ? `: ${namesOf(link.labels).join(", ")}` : ""}`,
  say("weight {0}", brief(link.weight)),
  ...(link.cuts.length ? [say("crosses a word boundary: only part of {0}", link.cuts.join(", "))] : []),
].join(" — "));

// How a token is drawn: what is not matched is missing from the hypothesis, or extra in it.
const stateOf = (mark, side) => (mark === "." ? (side ? "missing" : "extra") : STATES[mark]);
const stateTitle = (state) => say(ERRORS[state] ?? Object.values(TITLES)[Object.values(STATES).indexOf(state)]);

// The first and the last token of each run of errors, so that a run has one frame.
export function frameRuns(nodes, stateOfNode) {
  nodes.forEach((node, i) => {
    const own = stateOfNode(node);
    node.classList.toggle("begins", own !== null && (i === 0 || stateOfNode(nodes[i - 1]) !== own));
    node.classList.toggle("ends", own !== null && (i === nodes.length - 1 || stateOfNode(nodes[i + 1]) !== own));
  });
}
export const errorOf = (node) => (node.dataset.state in ERRORS ? node.dataset.state : null);

// `spans` and `pieces` have the hypothesis first, like all data.
export function linksOf(pair, tokens) {
  return pair.links.map(([weight, h0, h1, r0, r1, pieces = [[h0, h1, r0, r1]]]) => {
    const spans = [[h0, h1], [r0, r1]];
    const parts = pieces.map(([a, b, c, d, ...more]) => ({
      spans: [[a, b], [c, d]], labels: more.filter(Number.isInteger), cuts: more.filter((item) => !Number.isInteger(item)),
    }));
    const labels = [...new Set(parts.flatMap((part) => part.labels))];
    const texts = spans.map((span, side) => ngramText(tokens[side], span));
    const cuts = [...new Set(parts.flatMap((part) => part.cuts))];
    return { weight, spans, parts, labels, cuts, texts, mark: labels.length ? "~" : "=" };
  });
}

// The elements of the tokens; a token is highlighted together with the tokens it is linked to.
export class Sentences {
  constructor(tokens, marks, links, name = "") {
    this.links = links;
    this.direction = directionOf(tokens[1].join(" "));
    this.name = name; // of the translation, if two are shown together
    this.status = make("p", { class: "said", role: "status", "aria-live": "polite" });
    this.nodes = tokens.map((side, i) => side.map((token, at) => this.token(token, marks[i][at], i, at)));
    for (const { spans } of links.flatMap(({ parts }) => parts.filter(({ cuts }) => cuts?.length)))
      spans.forEach(([start, stop], side) => this.nodes[side].slice(start, stop).forEach((node) => {
        node.classList.add("cut");
        node.title = say("linked across a word boundary");
      }));
    this.nodes.forEach((side) => frameRuns(side, errorOf));
    this.clear();
  }

  token(text, mark, side, at) {
    const label = text.trim() === "" ? "␣" : text;
    const state = stateOf(mark, side);
    return make("span", {
      class: `token${[...text].length > 1 ? " word" : ""}`, "data-state": state,
      role: "img", "aria-label": `${text}, ${stateTitle(state)}, ${say(SIDES[side])}`,
      onmouseenter: () => this.highlight(this.linksAt(side, at), [side, at]),
      onmouseleave: () => this.clear(),
      onfocus: () => this.highlight(this.linksAt(side, at), [side, at]),
      onblur: () => this.clear(),
    }, make("span", { class: "t" }, label), make("span", { class: "m" }));
  }

  linksAt(side, at) {
    return this.links.filter(({ spans }) => spans[side][0] <= at && at < spans[side][1]);
  }

  highlight(links, from = null, keep = false) {
    if (!keep) this.clear();
    for (const { spans, parts } of links) {
      for (const side of [0, 1])
        for (let i = spans[side][0]; i < spans[side][1]; i++) this.nodes[side][i].classList.add("lit");
      for (const part of parts) {
        const within = from ? from[1] - part.spans[from[0]][0] : 0;
        if (from && (within < 0 || from[1] >= part.spans[from[0]][1])) continue;
        for (const side of [0, 1])
          for (let i = part.spans[side][0]; i < part.spans[side][1]; i++)
            // Of equal tokens each has its own partner; words of one group are linked as wholes.
            if (!from || part.labels.length || i === part.spans[side][0] + within)
              this.nodes[side][i].classList.add("piece");
      }
    }
    const lines = links.slice(0, 3).map(linkText);
    if (links.length > 3) lines.push(say("and {0}", countText(links.length - 3, "more link")));
    if (from) this.nodes[from[0]][from[1]].classList.add("from");
    this.status.textContent = this.name + (lines.join("\n") || say("This token has no link of its own."));
  }

  clear() {
    for (const node of this.nodes.flat()) node.classList.remove("lit", "piece", "from");
    this.status.textContent = this.name + say(matchMedia("(hover: none)").matches
      ? "Tap a token to see what it is linked to."
      : "Hover over a token or a link, or reach it with Tab and the arrow keys, to see what it is linked to.");
  }

  // Columns of aligned tokens, reference on top; `widths`, in tokens, alternate hypothesis and reference.
  aligned(widths) {
    const columns = [];
    const at = [0, 0];
    for (let k = 0; k < widths.length; k += 2) {
      const parts = [0, 1].map((side) => {
        const nodes = this.nodes[side].slice(at[side], (at[side] += widths[k + side]));
        return make("span", { class: `side ${SIDES[side]}`, lang: data.lang }, nodes);
      });
      columns.push(make("span", { class: "column" }, parts[1], parts[0]));
    }
    const names = make("span", { class: "column names", "aria-hidden": "true" },
      make("span", { class: "side reference" }, say("ref")), make("span", { class: "side hypothesis" }, say("hyp")));
    return this.frame(make("div", { class: "aligned", dir: this.direction }, names, columns));
  }

  // The reference above the hypothesis.
  stacked() {
    return this.frame(make("div", { class: "stacked", dir: this.direction }, [1, 0].map((side) =>
      make("div", { class: "line" }, make("span", { class: "name", "aria-hidden": "true" }, say(["hyp", "ref"][side])),
        make("span", { class: "side", lang: data.lang }, this.nodes[side])))));
  }

  frame(node) {
    node.setAttribute("role", "group");
    node.setAttribute("aria-label", say("Reference and hypothesis, token by token"));
    roving(node, ".token");
    return make("div", { class: "sentences" }, node, this.status);
  }

  // A table row that highlights its links.
  linkRow(links, cells, numeric) {
    return make("tr", {
      class: "link", onmouseenter: () => this.highlight(links), onmouseleave: () => this.clear(),
      onfocus: () => this.highlight(links), onblur: () => this.clear(),
    }, cells.map((cell, i) => make("td", { class: numeric.includes(i) ? "number" : null,
      lang: numeric.includes(i) ? null : data.lang }, cell)));
  }
}

// What the marks mean: the ways to match by their marks, then errors, then links across a word boundary.
export function legend(marks) {
  const states = [...marks].flatMap((mark) => (mark === "." ? ["missing", "extra"] : [STATES[mark]]));
  const entry = (state, text, kind = "") => make("span", { class: `token begins ends${kind}`, "data-state": state }, make("span", { class: "t" }, text));
  return make("p", { class: "legend" }, states.map((state) => entry(state, stateTitle(state))),
    marks.includes("+") ? [entry("moved", say(ERRORS.moved)), entry("elsewhere", say(ERRORS.elsewhere)), entry("synonym", say("part of a word"), " cut")] : null);
}

export function piecesNode(link, tokens) {
  // Such as 个=个 女儿~闺女 [cilin Ah14A01=], reference first.
  return link.parts.map(({ spans, labels, cuts }, i) => {
    const mark = labels.length ? "~" : "=";
    return make("span", { class: "piece-pair", "data-state": STATES[mark] }, i ? " " : null,
      isolated(ngramText(tokens[1], spans[1])), mark, isolated(ngramText(tokens[0], spans[0])),
      labels.length ? make("small", { lang: "en" }, ` [${namesOf(labels).join(", ")}]`) : null,
      cuts.length ? make("abbr", { class: "cuts",
        title: say("The link takes only a part of {0}, the longest word of the lexicon at that place.", cuts.join(", ")),
      }, ` ✂ ${cuts.join(", ")}`) : null);
  });
}
