// The playground: what is typed goes to the server that this page came from, and its answer is shown.

const MAIN_OPTIONS = ["max_order", "f", "script", "weights"]; // the other options are under “More settings”
const MOST_FIELDS = 6;
const byId = (id) => document.getElementById(id);

const state = { refs: [""], hyps: [""], chosen: 0, settings: {}, step: 0, copied: "Python", language: "en" };
let explained = null; // the explanation shown
const metric = () => explained;

async function post(path, body, signal) {
  const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal };
  const response = await fetch(path, request).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new Error(say("The server does not answer. Is celab serve still running?"));
  });
  const text = await response.text();
  const answer = text.startsWith("{") ? JSON.parse(text) : { error: text }; // plain if the server is overloaded
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

const notice = (text) => make("p", { class: "notice" }, text);

// ---- scores -------------------------------------------------------------------------------------

let asking = new AbortController();
let began = 0;

function ask() {
  asking.abort();
  asking = new AbortController();
  began = performance.now();
  const { signal } = asking;
  const result = byId("result");
  const request = (hypothesis) => ({ reference: state.refs, hypothesis, settings: state.settings });
  requestAnimationFrame(showCode); // later, so as not to delay the request
  const long = [...state.refs, ...state.hyps].find((text) => [...text].length > data.most);
  const problem = long !== undefined ? say("A text has {0} characters; it may have {1}.",
    [...long].length.toLocaleString("en"), data.most.toLocaleString("en"))
    : state.refs.every((text) => !text.trim()) ? say("Type a reference.") : null;
  if (problem) {
    state.hyps.forEach((_, i) => showScore(i, null));
    explained = null;
    result.replaceChildren(notice(problem));
    result.classList.remove("waiting");
    return;
  }
  const unlessAborted = (act) => (error) => error.name === "AbortError" || act(error);
  const requests = state.hyps.map((text, i) => post("/score", request(text), signal)
    .then((answer) => { showScore(i, answer); return answer; }, unlessAborted(() => showScore(i, null))));
  result.classList.add("waiting");
  // The explanation takes longer, so it is requested after the scores have arrived.
  Promise.all(requests).then(async (scores) => {
    signal.throwIfAborted();
    const answer = await post("/explain", request(state.hyps[state.chosen]), signal);
    explained = { ...answer, digits: data.digits, signature: scores[state.chosen]?.signature ?? answer.signature };
    data.labels = answer.labels;
    showResult();
  }).catch(unlessAborted((error) => {
    explained = null;
    result.replaceChildren(notice(error.message));
    result.classList.remove("waiting");
  }));
}

function showScore(i, answer) {
  const node = byId("fields").querySelectorAll(".value")[i];
  const text = answer === null ? "–" : format(answer.score, data.digits);
  const bar = make("i");
  bar.style.width = `${answer === null ? 0 : 100 * answer.score}%`;
  node.dataset.ms = Math.round(performance.now() - began);
  node.replaceChildren(make("b", {}, text), make("span", { class: "meter", "aria-hidden": "true" }, bar),
    answer === null ? "" : make("small", {}, say("precision {0}, recall {1}", ...[answer.precision, answer.recall].map((rate) => format(rate, data.digits)))));
}

const viewOf = (pair) => {
  const { first, folded } = celabView(pair, explained.settings);
  return [...first, ...folded];
};

function showResult() {
  const result = byId("result");
  const step = TOUR[state.step];
  const opened = [...result.querySelectorAll("details")].map((node) => node.open);
  const views = explained.against.flatMap((pair) => [
    explained.against.length > 1 ? make("h4", {}, say("Against reference {0}", pair.ref + 1)) : null, ...viewOf(pair)]);
  result.replaceChildren(...[...views, ...(combinedScore(explained) ?? [])].filter(Boolean),
    make("p", { class: "signature" }, make("code", {}, explained.signature)));
  for (const heading of result.querySelectorAll("h4")) heading.setAttribute("aria-level", "3"); // below an h2
  result.querySelectorAll("details").forEach((node, i) => { node.open = opened[i] || Boolean(step?.opens); });
  const links = [...result.querySelectorAll("tr.link")];
  if (step?.lights) links.find((row) => row.cells[1].textContent.includes(step.lights))?.dispatchEvent(new MouseEvent("mouseenter"));
  result.classList.remove("waiting");
  result.dataset.ms = Math.round(performance.now() - began);
}

// ---- texts and settings -------------------------------------------------------------------------

function field(kind, i, label) {
  const texts = state[kind];
  const area = make("textarea", {
    id: `${kind}-${i}`, rows: 1, dir: "auto", lang: data.lang, spellcheck: "false",
    oninput: (event) => { texts[i] = event.target.value; leaveTour(); ask(); },
    onfocus: () => { if (kind === "hyps" && state.chosen !== i) { state.chosen = i; showChosen(); ask(); } },
  });
  area.value = texts[i];
  const remove = texts.length < 2 ? null : make("button", {
    type: "button", class: "remove", "aria-label": `${say("Remove")}: ${label}`,
    onclick: () => { texts.splice(i, 1); leaveTour(); state.chosen = Math.min(state.chosen, state.hyps.length - 1); showFields(); ask(); },
  }, "×");
  return make("div", { class: "field", "data-kind": kind },
    make("div", { class: "name" }, make("label", { for: area.id }, label), remove), area,
    kind === "hyps" ? make("output", { class: "value", for: area.id }) : null);
}

function showFields() {
  const rows = (kind, name) => state[kind].map((_, i) => field(kind, i, state[kind].length > 1 ? `${say(name)} ${i + 1}` : say(name)));
  const more = (kind, text) => make("button", { type: "button", "data-more": kind, disabled: state[kind].length >= MOST_FIELDS,
    onclick: () => { state[kind].push(""); leaveTour(); if (kind === "hyps") state.chosen = state.hyps.length - 1; showFields(); ask();
      byId(`${kind}-${state[kind].length - 1}`).focus(); } }, say(text));
  byId("fields").replaceChildren(...rows("refs", "Reference"), ...rows("hyps", "Translation"),
    make("div", { class: "adding" }, more("hyps", "Add a translation"), more("refs", "Add a reference")));
  showChosen();
}

function showChosen() {
  const several = state.hyps.length > 1;
  byId("fields").querySelectorAll("[data-kind=hyps]").forEach((node, i) =>
    node.classList.toggle("chosen", several && i === state.chosen));
  const heading = byId("result-heading");
  heading.textContent = several ? say("Where the score of translation {0} comes from", state.chosen + 1) : say("Where the score comes from");
}

const language = () => state.settings.lang ?? "zh";
const defaultOf = ({ name, default: fallback }) => data.usual[language()][name] ?? fallback;

function choose(name, value, normal) {
  if (value === normal || value === "") delete state.settings[name];
  else state.settings[name] = value;
  leaveTour();
  if (name === "lang") { data.lang = language(); showSettings(); showFields(); byId("settings").lang.focus(); }
  ask();
}

const labelled = (name, node, help) => make("label", { title: help }, say(name.replaceAll("_", " ")), node);

function selection(name, choices, value, act) {
  const node = make("select", { name, onchange: (event) => act(event.target.value) },
    choices.map(([choice, text]) => make("option", { value: choice }, text)));
  node.value = value;
  return node;
}

// A control for an option of the metric, as described by the server.
function control(option) {
  const { name, kind, choices, between, help } = option;
  const normal = defaultOf(option);
  const value = state.settings[name] ?? normal;
  const isSmallRange = kind === "int" && between && between[1] - between[0] < 20;
  const values = choices ?? (isSmallRange ? Array.from({ length: between[1] - between[0] + 1 }, (_, i) => between[0] + i) : null);
  if (values) return labelled(name, selection(name, values.map((choice) => [choice, choice]), value,
    (text) => choose(name, kind === "int" ? Number(text) : text, normal)), say(help));
  const number = kind === "int" || kind === "float";
  const limits = number ? { type: "number", min: between?.[0], max: between?.[1], step: kind === "int" ? 1 : "any" } : {};
  const parse = (text) => {
    const parts = text.split(",").map(Number); // such as the weights 4,3,2,1
    return text.trim() === "" ? "" : number ? Number(text) : kind !== "str" && parts.every(Number.isFinite) ? parts : text;
  };
  const input = make("input", { name, ...limits, oninput: (event) => choose(name, parse(event.target.value), normal) });
  input.value = value ?? "";
  return labelled(name, input, say(help));
}

function showSettings() {
  const form = byId("settings");
  const open = form.querySelector("details")?.open;
  const names = new Intl.DisplayNames([document.documentElement.lang], { type: "language" });
  const normal = data.defaults[language()];
  const lexicons = [["", say("default ({0})", normal ?? say("none"))], ...data.lexicons.map((name) => [name, name]), ["none", say("none")]];
  const parts = [[], []];
  for (const option of data.options) parts[MAIN_OPTIONS.includes(option.name) ? 0 : 1].push(control(option));
  const more = make("details", { open }, make("summary", {}, say("More settings")), make("div", {}, parts[1]));
  form.replaceChildren(
    labelled("language", selection("lang", Object.keys(data.usual).map((lang) => [lang, names.of(lang)]), language(),
      (value) => choose("lang", value, "zh"))),
    labelled("lexicon", selection("lexicon", lexicons, state.settings.lexicon ?? "", (value) => choose("lexicon", value, ""))),
    ...parts[0], more);
  const select = byId("lookup").lexicon;
  const before = select.value || normal;
  select.replaceChildren(...data.lexicons.map((name) => make("option", { value: name }, name)));
  select.value = data.lexicons.includes(before) ? before : data.lexicons[0];
}
byId("settings").addEventListener("submit", (event) => event.preventDefault());
