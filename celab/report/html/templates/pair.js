// Two systems: how they compare, the score of every segment, buckets, and what only one matches.

const two = document.getElementById("two"); // null if there is one system
const KINDS = { length: "Length", domain: "Domain", document: "Document", score: "Score" };
const N_RANGES = 5; // number of score ranges
const MOST_NGRAMS = 15;

// The chosen systems, or the best ones.
function pairOf() {
  const a = state.a >= 0 ? state.a : metric().ranked.find((system) => system !== state.b);
  return [a, state.b >= 0 ? state.b : metric().ranked.find((system) => system !== a)];
}

function figuresOf(a, b) {
  const n = data.systems.length;
  const [i, j] = a < b ? [a, b] : [b, a];
  const [apart, low, high, p, wins, ties] = metric().pairs[(i * (2 * n - i - 1)) / 2 + j - i - 1];
  const losses = data.segments.length - wins - ties;
  const interval = low === null ? null : [low, high];
  return a < b ? { apart, interval, p, wins, ties, losses }
    : { apart: -apart, interval: interval && [-high, -low], p, wins: losses, ties, losses: wins };
}

const gain = (a, b, segment) => (score(a, segment) - score(b, segment)) * (metric().higher ? 1 : -1);

function verdict(a, b) {
  const { digits, name, higher } = metric();
  const { apart, interval, p, wins, ties, losses } = figuresOf(a, b);
  const [first, second] = (apart > 0) === higher ? [a, b] : [b, a];
  const significant = p < 0.05 && apart !== 0;
  const ends = interval === null ? ""
    : say("{0} interval {1} to {2}, ", "95%", ...interval.map((end) => signed(end, digits)));
  return [
    make("p", { class: "verdict" }, significant
      ? [make("b", {}, isolated(data.systems[first])), ` ${say(higher ? "scores significantly higher than" : "scores significantly lower than")} `, make("b", {}, isolated(data.systems[second]))]
      : say("No significant difference"),
    ` ${say("by {0}: A − B = {1}", name, signed(apart, digits))} (${ends}p ${p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`}).`),
    sharesOf(wins, ties, losses),
  ];
}

// Wins, ties and losses as parts of one bar, whose widths are exact: the labels are above it.
function sharesOf(wins, ties, losses) {
  const total = wins + ties + losses;
  const parts = [
    ["wins", wins, "A scores better: {0}"], ["ties", ties, "equal: {0}"], ["losses", losses, "B scores better: {0}"],
  ].filter(([, count]) => count);
  const bars = parts.map(([kind, count]) => {
    const part = make("i", { class: kind });
    part.style.width = `${(100 * count) / total}%`;
    return part;
  });
  return make("div", { class: "shares" },
    make("p", {}, parts.map(([kind, count, text]) => make("span", { class: kind }, say(text, count.toLocaleString("en"))))),
    make("div", { class: "parts", "aria-hidden": "true" }, bars));
}

const SIZE = 320;
const EDGE = 44; // space for the labels of the axes
const isolatedLabel = (name) => make("svg:tspan", { class: "isolated" }, name);

function scatterOf(a, b) {
  const { digits, name } = metric();
  const most = scale();
  const across = (value) => EDGE + (value / most) * (SIZE - EDGE - 8);
  const places = data.segments.map((_, segment) => [across(score(b, segment)), SIZE - across(score(a, segment))]);
  const dots = ["", "", ""]; // equal, A better, B better
  places.forEach(([x, y], segment) => {
    const by = gain(a, b, segment);
    dots[Math.abs(by) < 5e-7 ? 0 : by > 0 ? 1 : 2] += `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => share * most);
  const text = (x, y, anchor, ...children) => make("svg:text", { x, y, "text-anchor": anchor }, ...children);
  const near = make("svg:circle", { class: "near" });
  const status = make("p", { class: "note", "aria-hidden": "true" }, say("Click a dot to open its segment."));
  const drawing = make("svg:svg", {
    class: "segments", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img",
    "aria-label": say("Segment scores by {0}: {1} upwards, {2} to the right. The list of segments has the same numbers.",
      name, data.systems[a], data.systems[b]),
  },
  ticks.map((tick) => [
    make("svg:path", { class: "tick", d: `M${across(tick)} 8V${SIZE - EDGE}M${EDGE} ${SIZE - across(tick)}H${SIZE - 8}` }),
    text(across(tick), SIZE - EDGE + 13, "middle", brief(tick)),
    text(EDGE - 4, SIZE - across(tick) + 4, "end", brief(tick)),
  ]),
  make("svg:path", { class: "equal", d: `M${across(0)} ${SIZE - across(0)}L${across(most)} ${SIZE - across(most)}` }),
  dots.map((path, i) => make("svg:path", { class: `dots ${["tie", "win", "loss"][i]}`, d: path || "M0 0" })),
  text((SIZE + EDGE) / 2, SIZE - 4, "middle", "B: ", isolatedLabel(data.systems[b])),
  make("svg:text", { transform: `translate(9 ${(SIZE - EDGE) / 2}) rotate(-90)`, "text-anchor": "middle" }, "A: ", isolatedLabel(data.systems[a])),
  near);
  // The segment of the dot at the pointer, or null.
  const nearest = (event) => {
    const box = drawing.getBoundingClientRect();
    const at = [event.clientX - box.x, event.clientY - box.y].map((place) => (place * SIZE) / box.width);
    const distance = ([x, y]) => (x - at[0]) ** 2 + (y - at[1]) ** 2;
    const best = places.reduce((closest, place, segment) => (distance(place) < distance(places[closest]) ? segment : closest), 0);
    return distance(places[best]) < 150 ? best : null;
  };
  drawing.addEventListener("mousemove", (event) => {
    const segment = nearest(event);
    drawing.classList.toggle("over", segment !== null);
    near.setAttribute("r", segment === null ? 0 : 6);
    ["cx", "cy"].forEach((name, i) => near.setAttribute(name, places[segment ?? 0][i]));
    status.textContent = segment === null ? say("Click a dot to open its segment.")
      : say("Segment {0}: A {1}, B {2}", segment + 1, ...[a, b].map((system) => format(score(system, segment), digits)));
  });
  drawing.addEventListener("click", (event) => {
    const segment = nearest(event);
    if (segment !== null) openSegment(segment, a, b);
  });
  return make("figure", { class: "pair-scatter" }, make("figcaption", {}, say("Segment scores")), drawing, status);
}

function openSegment(segment, a, b) {
  change({ a, b, segment, system: a }, true);
}

const kinds = () => Object.keys(KINDS).filter((kind) => data.buckets[kind] || kind === "score"
  || (kind === "document" && data.documents.length > 1));

function bucketOf(kind, segment, [a, b]) {
  if (kind === "document") return data.segments[segment];
  if (kind !== "score") return data.buckets[kind][1][segment];
  return Math.min(N_RANGES - 1, Math.floor(((score(a, segment) + score(b, segment)) / 2 / scale()) * N_RANGES));
}

function bucketLabel(kind, number) {
  if (kind === "document") return data.documents[number];
  if (kind !== "score") return data.buckets[kind][0][number];
  return [number, number + 1].map((k) => brief((k * scale()) / N_RANGES)).join("–");
}

function bucketsOf(a, b) {
  const { digits } = metric();
  const buckets = new Map();
  data.segments.forEach((_, segment) => {
    const key = bucketOf(state.by, segment, [a, b]);
    const sums = buckets.get(key) ?? [0, 0, 0, 0, 0, 0]; // segments, A, B, wins, ties, losses
    const by = gain(a, b, segment);
    sums[0] += 1;
    sums[1] += score(a, segment);
    sums[2] += score(b, segment);
    sums[Math.abs(by) < 5e-7 ? 4 : by > 0 ? 3 : 5] += 1;
    buckets.set(key, sums);
  });
  const keys = [...buckets.keys()].sort((x, y) => x - y);
  const rows = keys.map((key) => {
    const [n, sumA, sumB, ...counts] = buckets.get(key);
    return [
      make("button", { type: "button", class: "plain", "data-bucket": key, onclick: () => {
        change({ a, b, bucket: `${state.by}:${key}` }, true);
        document.getElementById("segments-heading").focus();
      } }, isolated(bucketLabel(state.by, key))),
      String(n), format(sumA / n, digits), format(sumB / n, digits), signed((sumA - sumB) / n, digits), counts.join(" / "),
    ];
  });
  const choices = kinds().map((kind) => make("button", {
    type: "button", "data-by": kind, "aria-pressed": String(kind === state.by), onclick: () => change({ by: kind }),
  }, say(KINDS[kind])));
  const heading = state.by === "length" ? "Characters" : KINDS[state.by];
  const means = table([heading, "#Segments", "#A", "#B", "#A − B", "#A better / equal / B"], rows,
    { class: "buckets" }, say("Means of segment scores by {0}", say(KINDS[state.by]).toLowerCase()));
  return make("div", { class: "by-bucket" }, make("h3", {}, say("Where they differ")),
    make("div", { class: "choices", role: "group", "aria-label": say("Buckets by") }, choices), means,
    make("p", { class: "note" }, say("A and B: means of segment scores. Choose a bucket to list its segments.")));
}

// Tokens, marks and links of a translation, hypothesis first; a mean is shown by its first part.
function sidesOf(pair) {
  if (pair.parts) return sidesOf(pair.parts[0]);
  if (!pair.words) {
    const tokens = pair.tokens.map(tokensOf);
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

// Counts the n-grams of the reference that one translation covers and the other does not.
function countExclusive(a, b) {
  const exclusive = new Map();
  let n = 0;
  data.segments.forEach((_, segment) => {
    const both = [a, b].map((system) => explainedOf(system, segment));
    if (!both[0] || !both[1]) return;
    n += 1;
    both[0].against.forEach((pair, k) => {
      const sides = [pair, both[1].against[k]].map(sidesOf);
      const tokens = sides[0].tokens[1];
      for (let order = 1, at = 0; at < sides[0].ngrams.length; order++)
        for (let start = 0; start < countNgrams(tokens.length, order); start++, at++) {
          const [x, y] = sides.map(({ ngrams, partly }) => (partly[at] ?? (ngrams[at] === "." ? 0 : 1)) > 0.5);
          if (x === y) continue;
          const text = ngramText(tokens, [start, start + order]);
          const counts = exclusive.get(text) ?? [0, 0];
          counts[x ? 0 : 1] += 1;
          exclusive.set(text, counts);
        }
    });
  });
  return { n, exclusive };
}

function ngramsOf(a, b) {
  const node = make("details", { class: "only-one" }, make("summary", {}, say("N-grams of the reference that only one of them covers")));
  node.addEventListener("toggle", () => {
    if (node.childElementCount > 1) return;
    const { n, exclusive } = countExclusive(a, b);
    const tables = [0, 1].map((side) => {
      const lead = (counts) => counts[side] - counts[1 - side];
      const most = [...exclusive].filter(([, counts]) => lead(counts) > 0)
        .sort(([x, p], [y, q]) => lead(q) - lead(p) || [...y].length - [...x].length || (x < y ? -1 : 1)).slice(0, MOST_NGRAMS);
      const rows = most.map(([text, counts]) => [
        make("button", { type: "button", class: "plain", lang: data.lang, onclick: () => {
          change({ a, b, search: text }, true);
          document.getElementById("segments-heading").focus();
        } }, isolated(text)), String(counts[0]), String(counts[1])]);
      return table(["N-gram", "#A only", "#B only"], rows, {}, say("Most often covered by {0} only", "AB"[side]));
    });
    node.append(make("div", { class: "side-by-side" }, tables),
      make("p", { class: "note" }, say("Counted in the {0} that are explained for both. Choose an n-gram to search for it.",
        countText(n, "segment"))));
  });
  return node;
}

function compareTwo() {
  if (!two) return;
  const [a, b] = pairOf();
  [two.a.value, two.b.value] = [a, b];
  const focused = document.activeElement?.dataset?.by;
  document.getElementById("compared").replaceChildren(...(a === b
    ? [make("p", { class: "notice" }, say("Choose two different systems."))]
    : [...verdict(a, b), make("div", { class: "side-by-side" }, scatterOf(a, b), bucketsOf(a, b)),
      metric().explained ? ngramsOf(a, b) : null].filter(Boolean)));
  if (focused) document.querySelector(`[data-by="${focused}"]`)?.focus();
}

// Both translations with the reference between them; tokens that only one of them matched are framed.
function stackedPair(a, b) {
  const explanations = [a, b].map((system) => explainedOf(system, state.segment));
  if (!explanations[0] || !explanations[1]) return [];
  const views = explanations[0].against.map((pair, k) => {
    const both = [pair, explanations[1].against[k]].map(sidesOf);
    const [first, second] = both.map(({ tokens, marks, links }, side) => new Sentences(tokens, marks, links, `${"AB"[side]}: `));
    const refs = first.nodes[1];
    const missed = both.map(({ marks }) => [...marks[1]].map((mark) => mark === "."));
    second.nodes[1] = refs; // both share the tokens of the reference
    refs.forEach((node, at) => {
      for (const event of ["mouseenter", "focus"]) node.addEventListener(event, () => second.highlight(second.linksAt(1, at), [1, at], true));
      for (const event of ["mouseleave", "blur"]) node.addEventListener(event, () => second.clear());
      if (missed[0][at] === missed[1][at]) return;
      const name = missed[0][at] ? "B" : "A";
      node.classList.add("only");
      node.dataset.state = STATES[both[missed[0][at] ? 1 : 0].marks[1][at]];
      node.querySelector(".m").textContent = name;
      node.setAttribute("aria-label", `${node.querySelector(".t").textContent}, ${say("matched by {0} only", name)}`);
    });
    both.forEach(({ links }, side) => links.flatMap(({ parts }) => parts).forEach(({ spans: [[h0, h1], [r0, r1]], labels }) => {
      const only = missed[1 - side].slice(r0, r1).map((isMissed, i) => isMissed && !missed[side][r0 + i]);
      // Of equal tokens each has its own partner; words of one group are linked as wholes.
      const single = !labels.length && h1 - h0 === r1 - r0;
      [first, second][side].nodes[0].slice(h0, h1).forEach((node, i) => {
        if (single ? only[i] : only.includes(true)) node.classList.add("only");
      });
    }));
    const line = (name, nodes) => make("div", { class: "line" }, make("span", { class: "name", "aria-hidden": "true" }, name),
      make("span", { class: "side", lang: data.lang }, nodes));
    const lines = make("div", {
      class: "stacked versus", role: "group", "aria-label": say("Both translations and the reference, token by token"),
    }, line("A", first.nodes[0]), line(say("ref"), refs), line("B", second.nodes[0]));
    roving(lines, ".token");
    return [
      data.references.length > 1 ? make("h4", {}, "Against ", isolated(data.references[pair.ref])) : null,
      make("div", { class: "sentences" }, lines, first.status, second.status)];
  });
  const { digits } = metric();
  return [
    make("h3", {}, [a, b].map((system, i) => [`${i ? " · " : ""}${"AB"[i]}: `, isolated(data.systems[system]),
      ` ${format(score(system, state.segment), digits)}`])),
    ...views.flat(),
    make("p", { class: "note" }, say("Framed: what only one of the two translations matched. Under the reference: A or B, whichever matched it alone.")),
  ];
}

if (two) {
  two.addEventListener("change", () =>
    change({ a: Number(two.a.value), b: Number(two.b.value), sort: "apart", order: "descending" }, true));
  two.swap.addEventListener("click", () => {
    const [a, b] = pairOf();
    change({ a: b, b: a }, true);
  });
}
