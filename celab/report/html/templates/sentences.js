// Two sentences with every token marked, and their links, shown where the pointer or the focus is.

// STATES and TITLES, by mark, come from celab/report/palette.py.
const SIDES = ["hypothesis", "reference"];
const tokensOf = ([between, text]) => (between === "" ? Array.from(text) : text.split(between));

// The n-gram as one would write it: a space only where its tokens would run together.
function spelled(tokens, [start, stop]) {
  if (tokens.includes(" ")) return tokens.slice(start, stop).join("").replaceAll(" ", "␣"); // letters
  const alone = (token) => [...token].length === 1 && token > "\u007f";
  return tokens.slice(start, stop).reduce((text, token, i, all) =>
    text + (i && !(alone(all[i - 1]) && alone(token)) ? " " : "") + token, "");
}

const namesOf = (labels) => labels.map((label) => data.labels[label]);
const linkText = (link) => visible([
  `${link.texts[1]} ${link.mark} ${link.texts[0]}`,
  `${say(TITLES[link.mark])}${link.labels.length ? `: ${namesOf(link.labels).join(", ")}` : ""}`,
  say("weight {0}", brief(link.weight)),
  ...(link.cuts.length ? [say("crosses a word boundary: only part of {0}", link.cuts.join(", "))] : []),
].join(" — "));

// `spans` and `pieces` have the hypothesis first, as all that comes from the data.
function linksOf(pair, tokens) {
  return pair.links.map(([weight, h0, h1, r0, r1, pieces = [[h0, h1, r0, r1]]]) => {
    const spans = [[h0, h1], [r0, r1]];
    const parts = pieces.map(([a, b, c, d, ...more]) => ({
      spans: [[a, b], [c, d]], labels: more.filter(Number.isInteger), cuts: more.filter((one) => !Number.isInteger(one)),
    }));
    const labels = [...new Set(parts.flatMap((part) => part.labels))];
    const texts = spans.map((span, side) => spelled(tokens[side], span));
    const cuts = [...new Set(parts.flatMap((part) => part.cuts))];
    return { weight, spans, parts, labels, cuts, texts, mark: labels.length ? "~" : "=" };
  });
}

// The tokens' elements, lit up together with what they are linked to.
class Sentences {
  constructor(tokens, marks, links, name = "") {
    this.links = links;
    this.name = name; // of the translation, if two are shown together
    this.said = make("p", { class: "said", role: "status", "aria-live": "polite" });
    this.nodes = tokens.map((side, i) => side.map((token, at) => this.token(token, marks[i][at], i, at)));
    for (const { spans } of links.flatMap(({ parts }) => parts.filter(({ cuts }) => cuts?.length)))
      spans.forEach(([start, stop], side) => this.nodes[side].slice(start, stop).forEach((node) => {
        node.classList.add("cut");
        node.title = say("linked across a word boundary");
      }));
    this.rest();
  }

  token(text, mark, side, at) {
    const shown = text.trim() === "" ? "␣" : text;
    return make("span", {
      class: `token${[...text].length > 1 ? " word" : ""}`, "data-state": STATES[mark],
      role: "img", "aria-label": `${text}, ${say(TITLES[mark])}, ${say(SIDES[side])}`,
      onmouseenter: () => this.light(this.at(side, at), [side, at]),
      onmouseleave: () => this.rest(),
      onfocus: () => this.light(this.at(side, at), [side, at]),
      onblur: () => this.rest(),
    }, make("span", { class: "t" }, shown), make("span", { class: "m" }, mark));
  }

  at(side, at) {
    return this.links.filter(({ spans }) => spans[side][0] <= at && at < spans[side][1]);
  }

  light(links, from = null, keep = false) {
    if (!keep) this.rest();
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
    if (links.length > 3) lines.push(say("and {0}", counted(links.length - 3, "more link")));
    if (from) this.nodes[from[0]][from[1]].classList.add("from");
    this.said.textContent = this.name + (lines.join("\n") || say("This token has no link of its own."));
  }

  rest() {
    for (const node of this.nodes.flat()) node.classList.remove("lit", "piece", "from");
    this.said.textContent = this.name + say("Hover over a token or a link, or reach it with Tab and the arrow keys, to see what it is linked to.");
  }

  // Columns in which what is aligned stands one over the other; `widths` in tokens, by turns.
  aligned(widths) {
    const columns = [];
    const at = [0, 0];
    for (let k = 0; k < widths.length; k += 2) {
      const parts = [0, 1].map((side) => {
        const some = this.nodes[side].slice(at[side], (at[side] += widths[k + side]));
        return make("span", { class: `side ${SIDES[side]}`, lang: data.lang }, some);
      });
      columns.push(make("span", { class: "column" }, parts[1], parts[0]));
    }
    const names = make("span", { class: "column names", "aria-hidden": "true" },
      make("span", { class: "side reference" }, say("ref")), make("span", { class: "side hypothesis" }, say("hyp")));
    return this.framed(make("div", { class: "aligned" }, names, columns));
  }

  // One sentence over the other.
  stacked() {
    return this.framed(make("div", { class: "stacked" }, [1, 0].map((side) =>
      make("div", { class: "line" }, make("span", { class: "name", "aria-hidden": "true" }, say(["hyp", "ref"][side])),
        make("span", { class: "side", lang: data.lang }, this.nodes[side])))));
  }

  framed(node) {
    node.setAttribute("role", "group");
    node.setAttribute("aria-label", say("Reference and hypothesis, token by token"));
    roving(node, ".token");
    return make("div", { class: "sentences" }, node, this.said);
  }

  // A table row that lights up its links.
  lighting(links, cells, numeric) {
    return make("tr", {
      class: "link", onmouseenter: () => this.light(links), onmouseleave: () => this.rest(),
      onfocus: () => this.light(links), onblur: () => this.rest(),
    }, cells.map((cell, i) => make("td", { class: numeric.includes(i) ? "number" : null,
      lang: numeric.includes(i) ? null : data.lang }, cell)));
  }
}

function legend(marks) {
  return make("p", { class: "legend" }, [...marks].map((mark) =>
    make("span", { class: "token", "data-state": STATES[mark] },
      make("span", { class: "t" }, say(TITLES[mark])), make("span", { class: "m" }, mark))));
}

function piecesNode(link, tokens) {
  // Such as 个=个 女儿~闺女 [cilin Ah14A01=], reference first.
  return link.parts.map(({ spans, labels, cuts }, i) => {
    const mark = labels.length ? "~" : "=";
    return make("span", { class: "piece-pair", "data-state": STATES[mark] }, i ? " " : null,
      isolated(spelled(tokens[1], spans[1])), mark, isolated(spelled(tokens[0], spans[0])),
      labels.length ? make("small", { lang: "en" }, ` [${namesOf(labels).join(", ")}]`) : null,
      cuts.length ? make("abbr", { class: "cuts",
        title: say("The link takes only a part of {0}, the longest word of the lexicon at that place.", cuts.join(", ")),
      }, ` ✂ ${cuts.join(", ")}`) : null);
  });
}
