// The current view, kept in the URL, so that it can be bookmarked and shared.

const EVERY = -1; // system, if all are listed
const NONE = -2;

const state = {};
const listeners = [];

function initial() {
  return {
    metric: 0,
    a: data.systems.length > 1 ? EVERY : 0,
    b: NONE,
    document: NONE,
    min: "",
    max: "",
    least: "",
    search: "",
    by: "length",
    bucket: "", // such as length:2
    sort: "segment",
    order: "ascending",
    segment: null, // its place
    system: null,
  };
}

const placed = (list, name, otherwise) => {
  const place = name === null ? -1 : list.indexOf(name);
  return place < 0 ? otherwise : place;
};

function fromAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const usual = initial();
  Object.assign(state, usual);
  state.metric = placed(data.metrics.map((metric) => metric.key), given.get("metric"), 0);
  state.a = placed(data.systems, given.get("a"), usual.a);
  state.b = placed(data.systems, given.get("b"), NONE);
  state.document = placed(data.documents, given.get("document"), NONE);
  for (const name of ["min", "max", "least", "search"]) state[name] = given.get(name) ?? "";
  if (kinds().includes(given.get("by"))) state.by = given.get("by");
  const [kind, number] = (given.get("bucket") ?? "").split(":");
  if (kinds().includes(kind) && data.segments.some((_, segment) => bucketOf(kind, segment, pairOf()) === Number(number)))
    state.bucket = `${kind}:${number}`;
  if (["score", "other", "difference", "apart", "segment"].includes(given.get("sort")))
    state.sort = given.get("sort");
  if (given.get("order") === "descending") state.order = "descending";
  const place = Number(given.get("segment")) - 1;
  if (given.has("segment") && Number.isInteger(place) && data.segments[place] !== undefined) {
    state.segment = place;
    state.system = placed(data.systems, given.get("system"), Math.max(state.a, 0));
  }
}

function toAddress() {
  const usual = initial();
  const said = new URLSearchParams();
  const name = (key, list) => state[key] !== usual[key] && said.set(key, list[state[key]]);
  name("metric", data.metrics.map((metric) => metric.key));
  name("a", data.systems);
  name("b", data.systems);
  name("document", data.documents);
  for (const key of ["min", "max", "least", "search", "by", "bucket", "sort", "order"])
    if (state[key] !== usual[key]) said.set(key, state[key]);
  if (state.segment !== null) {
    said.set("segment", state.segment + 1);
    said.set("system", data.systems[state.system]);
  }
  history.replaceState(null, "", `#${said}`);
}

function change(changes) {
  Object.assign(state, changes);
  toAddress();
  for (const listener of listeners) listener(changes);
}

const metric = () => data.metrics[state.metric];
// Explanations are parsed block by block, when one of a block is looked at.
const blocks = new Map();
function explainedOf(system, segment) {
  const id = `explained-${state.metric}-${Math.floor(segment / data.block)}`;
  if (!blocks.has(id)) {
    const found = document.getElementById(id);
    blocks.set(id, found && JSON.parse(found.textContent));
  }
  return blocks.get(id)?.[system][segment];
}
const score = (system, segment) => metric().scores[system][segment];
// What a segment is called besides its place: its document, and its id if that is another number.
const title = (segment) =>
  [data.documents[data.segments[segment]], data.ids[segment]].filter(Boolean).join(" · ");
