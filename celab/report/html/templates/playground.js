// The playground: what is typed goes to the server that this page came from, and its answer is shown.

const TOUR = [
  { title: "1 Equal text", ref: "买雨伞", hyp: "买伞", settings: { lexicon: "none" },
    text: "Both texts say “buy an umbrella”. The first rule links n-grams (runs of 1 to 4 characters) that are equal: here 买 and 伞. That covers 2 of the 6 n-grams of the reference; without a lexicon, the score stays low." },
  { title: "2 Synonyms", ref: "雨伞", hyp: "伞",
    text: "The second rule links words of one synonym group of the lexicon. 雨伞 and 伞 both mean umbrella. They are linked although one has two characters and the other has one." },
  { title: "3 In pieces", ref: "买雨伞", hyp: "买伞", lights: true,
    text: "The third rule links n-grams that can be cut into linked pieces in the same order: 买=买 and 雨伞~伞 make 买雨伞 a match for 买伞. No word segmentation is needed." },
  { title: "4 Covering", ref: "买雨伞", hyp: "买伞", opens: true,
    text: "雨 and 买雨 have no partner in the translation. They lie inside 买雨伞, which is linked, so they count as covered (+ in the lists of n-grams below). All n-grams are linked or covered, and the score is 1." },
  { title: "5 The score", ref: "买雨伞", hyp: "他买伞",
    text: "Recall is the covered part of the reference, precision that of the translation. The extra 他 costs precision only. The score counts both, precision with weight f = 0.25. The weights of all links of an n-gram sum to 1 at most, so nothing counts twice; the best weights are found exactly." },
  { title: "6 Your turn", ref: "下午要下雨，你最好买把雨伞。", hyp: "下午会下雨，你最好买伞。", more: ["下午有雨，请带上雨衣。"],
    text: "Change a text, add a translation, or switch the lexicon and the other settings. Point at a character to see what it is linked to." },
];
const MAIN_OPTIONS = ["max_order", "f", "script", "weights"]; // the other options are under “More settings”
const MOST_FIELDS = 6;
const byId = (id) => document.getElementById(id);

const state = { refs: [""], hyps: [""], chosen: 0, settings: {}, step: 0, scores: [], copied: "Python" };
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

function showResult() {
  const result = byId("result");
  const step = TOUR[state.step];
  const opened = [...result.querySelectorAll("details")].map((node) => node.open);
  const views = explained.against.flatMap((pair) => [
    explained.against.length > 1 ? make("h4", {}, say("Against reference {0}", pair.ref + 1)) : null, ...celabView(pair, explained.settings)]);
  result.replaceChildren(...[...views, ...(combinedScore(explained) ?? [])].filter(Boolean),
    make("p", { class: "signature" }, make("code", {}, explained.signature)));
  for (const heading of result.querySelectorAll("h4")) heading.setAttribute("aria-level", "3"); // below an h2
  result.querySelectorAll("details").forEach((node, i) => { node.open = opened[i] || Boolean(step?.opens); });
  if (step?.lights) result.querySelector("tr.link")?.dispatchEvent(new MouseEvent("mouseenter"));
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
    onclick: () => { texts.splice(i, 1); state.chosen = Math.min(state.chosen, state.hyps.length - 1); showFields(); ask(); },
  }, "×");
  return make("div", { class: "field", "data-kind": kind },
    make("div", { class: "name" }, make("label", { for: area.id }, label), remove), area,
    kind === "hyps" ? make("output", { class: "value", for: area.id }) : null);
}

function showFields() {
  const rows = (kind, name) => state[kind].map((_, i) => field(kind, i, state[kind].length > 1 ? `${say(name)} ${i + 1}` : say(name)));
  const more = (kind, text) => make("button", { type: "button", "data-more": kind, disabled: state[kind].length >= MOST_FIELDS,
    onclick: () => { state[kind].push(""); if (kind === "hyps") state.chosen = state.hyps.length - 1; showFields(); ask();
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

// ---- the tour -----------------------------------------------------------------------------------

function leaveTour() {
  state.step = null;
  showSteps();
}

const press = (id, chosen) => [...byId(id).children].forEach((node, i) =>
  node.setAttribute("aria-pressed", String(i === chosen)));

function showSteps() {
  press("steps", state.step);
  if (state.step !== null) byId("lesson").textContent = say(TOUR[state.step].text);
}

function go(step) {
  const { ref, hyp, settings = {}, more = [] } = TOUR[step];
  Object.assign(state, { step, refs: [ref], hyps: [hyp, ...more], chosen: 0, settings: { ...settings } });
  data.lang = language();
  byId("result").replaceChildren(); // close details; they stay open only while typing
  showSteps();
  showSettings();
  showFields();
  ask();
}

// ---- as code ------------------------------------------------------------------------------------

// Code is read before it is run, so no character in it may hide or reorder others.
const units = (text) => text.replace(UNPRINTABLE, (char) =>
  [...Array(char.length).keys()].map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""));
const python = (value) => JSON.stringify(value).replace(UNPRINTABLE, visible);
const shell = (text) => `'${units(String(text)).replaceAll("'", "'\\''")}'`;
const octal = (char) => [...new TextEncoder().encode(char)].map((byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");
// A shell command that prints a line; with %b, printf reads escapes.
const printfCommand = (text) => (text.search(UNPRINTABLE) < 0 ? `printf '%s\\n' ${shell(text)}`
  : `printf '%b\\n' ${shell(text.replaceAll("\\", "\\\\").replace(UNPRINTABLE, octal))}`);
const FORMS = {
  Python: () => {
    const literal = (name, value) => (name === "lexicon" && value === "none" ? "None" : python(value));
    const settings = Object.entries(state.settings).map(([name, value]) => `${name}=${literal(name, value)}`).join(", ");
    const refs = state.refs.map(python).join(", ");
    return [`import celab\n\nmetric = celab.TeslaCelab(${settings})`, ...state.hyps.map((text) =>
      `print(metric.sentence_score(${python(text)}, [${refs}]).score)`)].join("\n");
  },
  Command: () => {
    const nameFiles = (name, texts) => texts.map((text, i) => [`${name}${texts.length > 1 ? i + 1 : ""}.txt`, text]);
    const [refs, hyps] = [nameFiles("ref", state.refs), nameFiles("hyp", state.hyps)];
    const flags = Object.entries(state.settings).map(([name, value]) =>
      ` --${name.replaceAll("_", "-")} ${/^[\w.,-]+$/.test(value) ? value : shell(value)}`).join("");
    const names = (files) => files.map(([name]) => name).join(" ");
    return [...[...refs, ...hyps].map(([name, text]) => `${printfCommand(text.replace(/[\r\n]+/g, " "))} > ${name}`),
      `celab explain 1 -r ${names(refs)} -s ${names(hyps)}${flags}`].join("\n");
  },
  curl: () => `curl ${location.origin}/score -H 'Content-Type: application/json' \\\n  -d ${shell(JSON.stringify({
    reference: state.refs.length > 1 ? state.refs : state.refs[0], hypothesis: state.hyps[state.chosen],
    ...(Object.keys(state.settings).length ? { settings: state.settings } : {}) }))}`,
};

function showCode() {
  press("tabs", Object.keys(FORMS).indexOf(state.copied));
  byId("code").textContent = FORMS[state.copied]();
}
byId("copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText(byId("code").textContent);
  byId("copy").textContent = say("Copied");
  setTimeout(() => { byId("copy").textContent = say("Copy"); }, 1500);
});

// ---- words --------------------------------------------------------------------------------------

let looking = new AbortController();
function lookUp() {
  looking.abort();
  looking = new AbortController();
  const form = byId("lookup");
  const word = form.word.value.trim();
  const show = (...nodes) => byId("groups").replaceChildren(...nodes);
  if (!word) return show();
  post("/lookup", { word, lexicon: form.lexicon.value }, looking.signal).then(({ groups }) => {
    show(...groups.map(({ label, words }) => make("p", {}, make("small", {}, isolated(label)), " ", make("bdi", { lang: data.lang }, words.join(" ")))),
      ...(groups.length ? [] : [make("p", { class: "note" }, say("This word has no synonyms in {0}.", form.lexicon.value))]));
  }).catch((error) => error.name === "AbortError" || show(notice(error.message)));
}
byId("lookup").addEventListener("input", lookUp);
byId("lookup").addEventListener("submit", (event) => event.preventDefault());

// ---- the report ---------------------------------------------------------------------------------

let files = [];
const ROLES = ["references", "systems"];

function showFiles() {
  byId("files").replaceChildren(...files.map((entry, i) => make("li", {}, isolated(entry.file.name),
    selection(`role-${i}`, ROLES.map((role) => [role, say(role === "systems" ? "translation" : "reference")]), entry.role, (role) => { entry.role = role; }),
    make("button", { type: "button", onclick: () => { files.splice(i, 1); showFiles(); } }, say("Remove")))));
}

function addFiles(list) {
  const added = [...list];
  files.push(...added.map((file) => ({ file, role: /ref/i.test(file.name) || files.length + added.length === 1 ? "references" : "systems" })));
  showFiles();
}

const encodeBase64 = (blob) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(blob);
});

async function makeReport(form) {
  const status = byId("made");
  const body = { references: [], systems: [], settings: state.settings };
  for (const { file, role } of files) body[role].push({ name: file.name, data: await encodeBase64(file) });
  for (const [name, role] of [["reference", "references"], ["system", "systems"]])
    if (form[name].value.trim()) body[role].push({ name, data: await encodeBase64(new Blob([form[name].value])) });
  if (!body.references.length) return status.replaceChildren(say("Give a reference and a translation."));
  status.replaceChildren(say("Scoring …"));
  const { report } = await post("/report", body);
  status.replaceChildren(make("a", { href: report, target: "_blank", rel: "noopener" }, say("Open the report")));
}

byId("report").addEventListener("submit", (event) => {
  event.preventDefault();
  makeReport(event.target).catch((error) => byId("made").replaceChildren(visible(error.message)));
});
byId("report").files.addEventListener("change", (event) => { addFiles(event.target.files); event.target.value = ""; });
addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
addEventListener("dragleave", (event) => event.relatedTarget || document.body.classList.remove("dropping"));
addEventListener("drop", (event) => {
  document.body.classList.remove("dropping");
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  addFiles(event.dataTransfer.files);
  byId("report").scrollIntoView();
});

// ---- the language of the page -------------------------------------------------------------------

function setLanguage(lang) {
  translations = lang === "zh" ? data.words : {};
  document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";
  const button = byId("language");
  button.textContent = lang === "zh" ? "English" : "中文";
  button.lang = lang === "zh" ? "en" : "zh";
  for (const node of document.querySelectorAll("[data-say]")) node.textContent = say(node.dataset.say);
  byId("steps").replaceChildren(...TOUR.map(({ title }, i) =>
    make("button", { type: "button", onclick: () => go(i) }, say(title))));
  byId("tabs").replaceChildren(...Object.keys(FORMS).map((name) => make("button", {
    type: "button", "data-form": name, onclick: () => { state.copied = name; showCode(); } }, say(name))));
  showSteps();
  showSettings();
  showFields();
  showFiles();
  ask();
  lookUp();
}
byId("language").addEventListener("click", () => setLanguage(document.documentElement.lang === "en" ? "zh" : "en"));

Object.assign(state, { refs: [TOUR[0].ref], hyps: [TOUR[0].hyp], settings: { ...TOUR[0].settings } });
setLanguage(navigator.language.startsWith("zh") ? "zh" : "en");
