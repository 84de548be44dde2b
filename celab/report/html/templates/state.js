// The current view, kept in the URL, so that it can be bookmarked and shared.

import { metric, showMetric } from "./shown-metric.js";
import { data, say } from "./dom.js";
import { LANGUAGES } from "./saying.js";
import { markChoices } from "./spans.js";
import { isTerm } from "./terms.js";
import { isFinding } from "./markup-findings.js";
import { judgeOf, judgeOrder } from "./judges.js";
import { ANY_KIND } from "./filters.js";
import { errorKinds } from "./errors.js";
import { bucketOf, kinds } from "./buckets.js";
import { pairOf } from "./pair.js";

export const EVERY = -1; // system: all are listed
export const NONE = -2;

export const state = {};
export const listeners = [];

export function initial() {
  return {
    metric: 0,
    language: data.language, // of the page
    a: data.systems.length > 1 ? EVERY : 0,
    b: NONE,
    document: NONE,
    domain: NONE,
    error: "", // a kind of differences from the reference
    kind: "", // of outputs that are not translations
    finding: "", // a kind of findings about what must survive translation
    term: "", // number of a term of the glossary, "3:missed" if its misses
    marked: "", // of outputs in which people have marked errors
    min: "",
    max: "",
    least: "",
    search: "",
    by: "length",
    bucket: "", // such as length:2
    axis: "", // what the scatter plot has across: B, or a judge
    box: "", // an area of the scatter plot: least and greatest score across, then upwards
    rows: "segments", // of the list of all systems: one a segment, or all "outputs"
    sort: "worst", // or, of two systems, most different first
    order: "ascending",
    against: "reference", // what outputs are compared with: that, or A and B with each other ("pair")
    segment: null, // index
    system: null,
  };
}

const indexOr = (list, name, fallback) => {
  const index = name === null ? -1 : list.indexOf(name);
  return index < 0 ? fallback : index;
};

// What the URL names and the report does not have.
function unknownPlaces(parameters) {
  const systems = ["a", "b", "system"].map((key) => parameters.get(key)).filter((name) => name !== null && !data.systems.includes(name));
  const segment = parameters.get("segment");
  return [
    ...systems.map((name) => say("No system {0} in this report.", name)),
    ...(segment !== null && data.segments[Number(segment) - 1] === undefined ? [say("No segment {0} in this report.", segment)] : []),
  ];
}

export function readUrl() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const defaults = initial();
  Object.assign(state, defaults);
  if (parameters.get("page") in LANGUAGES) state.language = parameters.get("page");
  state.metric = indexOr(data.metrics.map(({ key }) => key), parameters.get("metric"), 0);
  state.a = indexOr(data.systems, parameters.get("a"), defaults.a);
  state.b = indexOr(data.systems, parameters.get("b"), NONE);
  state.document = indexOr(data.documents, parameters.get("document"), NONE);
  state.domain = indexOr(data.buckets.domain?.[0] ?? [], parameters.get("domain"), NONE);
  if (data.kinds && [ANY_KIND, ...Object.keys(data.kinds)].includes(parameters.get("kind"))) state.kind = parameters.get("kind");
  if (errorKinds.includes(parameters.get("error"))) state.error = parameters.get("error");
  if (data.spans && markChoices().some(([value]) => value === parameters.get("marked"))) state.marked = parameters.get("marked");
  if (isFinding(parameters.get("finding"))) state.finding = parameters.get("finding");
  if (isTerm(parameters.get("term"))) state.term = parameters.get("term");
  if (parameters.get("against") === "pair") state.against = "pair";
  for (const name of ["min", "max", "least", "search"]) state[name] = parameters.get(name) ?? "";
  if (boxOf(parameters.get("box"))) state.box = parameters.get("box");
  if (kinds().includes(parameters.get("by"))) state.by = parameters.get("by");
  const [kind, number] = (parameters.get("bucket") ?? "").split(":");
  if (kinds().includes(kind) && data.segments.some((_, segment) => bucketOf(kind, segment, pairOf()) === Number(number)))
    state.bucket = `${kind}:${number}`;
  if (["score", "other", "difference", "apart", "segment"].includes(parameters.get("sort")))
    state.sort = parameters.get("sort");
  if (judgeOrder(parameters.get("sort") ?? "")) state.sort = parameters.get("sort");
  if (judgeOf(parameters.get("axis"))) state.axis = parameters.get("axis");
  if (parameters.get("rows") === "outputs") state.rows = "outputs";
  if (parameters.get("order") === "descending") state.order = "descending";
  const place = Number(parameters.get("segment")) - 1;
  if (parameters.has("segment") && Number.isInteger(place) && data.segments[place] !== undefined) {
    state.segment = place;
    state.system = indexOr(data.systems, parameters.get("system"), Math.max(state.a, 0));
  }
  const unknown = document.getElementById("unknown");
  unknown.textContent = unknownPlaces(parameters).join(" ");
  unknown.hidden = !unknown.textContent;
}

// The four scores of an area, or null.
export function boxOf(text) {
  const ends = (text ?? "").split(",").map(Number);
  return text && ends.length === 4 && ends.every(Number.isFinite) ? ends : null;
}

export function fragment() {
  const defaults = initial();
  const parameters = new URLSearchParams();
  const name = (key, list) => state[key] !== defaults[key] && parameters.set(key, list[state[key]]);
  if (state.language !== defaults.language) parameters.set("page", state.language);
  name("metric", data.metrics.map(({ key }) => key));
  name("a", data.systems);
  name("b", data.systems);
  name("document", data.documents);
  name("domain", data.buckets.domain?.[0]);
  for (const key of ["error", "kind", "finding", "term", "marked", "min", "max", "least", "search", "by", "bucket", "axis", "box", "rows", "sort", "order", "against"])
    if (state[key] !== defaults[key]) parameters.set(key, state[key]);
  if (state.segment !== null) {
    parameters.set("segment", state.segment + 1);
    parameters.set("system", data.systems[state.system]);
  }
  return `#${parameters}`;
}

// A step, such as opening a segment, is an entry of the history, so that Back undoes it. It records
// the view before it; whatever returns to that view goes back instead of adding an entry.
function writeUrl(step) {
  const [before, after] = [location.hash || "#", fragment()];
  if (before === after) return;
  if (history.state?.before === after) history.back();
  else if (step) history.pushState({ before }, "", after);
  else history.replaceState(history.state, "", after);
}

export function change(changes, step = false) {
  // The area of the scatter plot is one of these systems by this metric.
  if (!("box" in changes) && ["a", "b", "metric", "axis"].some((key) => key in changes)) changes = { ...changes, box: "" };
  Object.assign(state, changes);
  writeUrl(step);
  for (const listener of listeners) listener(changes);
}

showMetric(() => data.metrics[state.metric]);
// Explanations are read by block, when one of the block is first shown.
export const blocks = new Map(); // by id; a promise while the block is read
export const blockId = (segment) => `explained-${state.metric}-${Math.floor(segment / data.block)}`;

async function decompress(text) {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// Resolves when the explanations of a segment can be shown.
export function load(segment) {
  const id = blockId(segment);
  if (!blocks.has(id)) {
    const text = document.getElementById(id)?.textContent;
    const read = text ? decompress(text).catch(() => null) : Promise.resolve(null);
    blocks.set(id, read.then((block) => { blocks.set(id, block); }));
  }
  return Promise.resolve(blocks.get(id));
}
export const isLoaded = (segment) => blocks.has(blockId(segment)) && !(blocks.get(blockId(segment)) instanceof Promise);
export const explainedOf = (system, segment) => blocks.get(blockId(segment))?.explained?.[segment]?.[system];
const placesOf = () => (metric().sets ??= metric().places?.map((places) => new Set(places)) ?? null);
// Whether the report has the explanation of an output.
export const isExplained = (system, segment) => metric().explained !== null && (placesOf()?.[system].has(segment) ?? true);
export const score = (system, segment) => metric().scores[system][segment];
// The name of a segment, which all outputs of celab call it by: its id, or its number.
export const nameOf = (segment) => data.names?.[segment] ?? String(segment + 1);
export const title = (segment) => data.documents[data.segments[segment]];
