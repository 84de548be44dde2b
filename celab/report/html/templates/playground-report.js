// Words looked up in a lexicon, and reports on files.

import { byId, data, isolated, make, say, visible } from "./dom.js";
import { letterOf, notice, post, warningsOf } from "./playground.js";
import { selection } from "./playground-settings.js";
import { state } from "./playground-texts.js";

let looking = new AbortController();
export function lookUp() {
  looking.abort();
  looking = new AbortController();
  const form = byId("lookup");
  const word = form.word.value.trim();
  const show = (...nodes) => byId("groups").replaceChildren(...nodes);
  if (!word) return show();
  post("/lookup", { word, lexicon: form.lexicon.value }, looking.signal, (reason) => show(notice(reason))).then((answer) => {
    const { groups } = answer;
    show(...warningsOf(answer), ...groups.map(({ label, words }) => make("p", {}, make("small", {}, isolated(label)), " ", make("bdi", { lang: data.lang }, words.join(" ")))),
      ...(groups.length ? [] : [make("p", { class: "note" }, say("This word has no synonyms in {0}.", form.lexicon.value))]));
  }).catch((error) => error.name === "AbortError" || show(notice(error.message)));
}
byId("lookup").addEventListener("input", lookUp);
byId("lookup").addEventListener("submit", (event) => event.preventDefault());


const files = []; // with the role of their texts, or the columns of a table
const ROLES = ["references", "systems"];
const KINDS = ["", "source", "reference", "system"];
const TABLE = /\.(csv|tsv|xlsx|xlsm)(\.\w+)?$/i;
const saidKind = (kind) => say({ "": "not used", source: "source", reference: "reference", system: "translation" }[kind]);

const columnName = ({ hasNames }, { name }, i) => (hasNames ? name : String(i + 1)); // as the server takes it

// The columns of a table, each with what it has and a text from it.
function columnChoices(entry, n) {
  const rows = entry.columns.map((column, i) => make("li", {}, make("label", {}, make("b", {}, isolated(entry.hasNames ? column.name : say("column {0}", i + 1))), " ",
    selection(`column-${n}-${i}`, KINDS.map((kind) => [kind, saidKind(kind)]), column.kind, (kind) => { column.kind = kind; })),
  make("small", {}, isolated(entry.hasNames ? column.text : column.name))));
  const named = make("input", { type: "checkbox", checked: entry.hasNames, onchange: () => { entry.hasNames = !entry.hasNames; showFiles(); } });
  return [make("label", {}, named, " ", say("The first row has the names of the columns")), make("ul", { class: "columns" }, rows)];
}

export function showFiles() {
  byId("files").replaceChildren(...files.map((entry, i) => make("li", { "aria-busy": entry.isRead ? "false" : "true" }, isolated(entry.file.name),
    entry.columns.length ? null
      : selection(`role-${i}`, ROLES.map((role) => [role, say(role === "systems" ? "translation" : "reference")]), entry.role, (role) => { entry.role = role; }),
    make("button", { type: "button", onclick: () => { files.splice(i, 1); showFiles(); } }, say("Remove")),
    entry.columns.length ? columnChoices(entry, i) : null, entry.problem ? notice(entry.problem) : null)));
}

async function readColumns(entry) {
  try {
    const table = await post("/columns", { name: entry.file.name, data: await encodeBase64(entry.file), lang: data.lang });
    Object.assign(entry, { columns: table.columns, hasNames: table.has_names });
    // A table with one text has that of its file.
    const texts = entry.columns.filter(({ kind }) => kind === "reference" || kind === "system");
    if (texts.length === 1) texts[0].kind = entry.role === "systems" ? "system" : "reference";
  } catch (error) {
    entry.problem = error.message;
  }
  entry.isRead = true;
  showFiles();
}

function addFiles(list) {
  const added = [...list].map((file) => ({ file, role: /ref/i.test(file.name) || files.length + list.length === 1 ? "references" : "systems",
    columns: [], hasNames: true, isRead: !TABLE.test(file.name) }));
  files.push(...added);
  showFiles();
  added.filter(({ isRead }) => !isRead).forEach(readColumns);
}

const encodeBase64 = (blob) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(blob);
});

// Makes a report and opens it; the link is for browsers that open no window by themselves.
async function openReport(body, status) {
  status.replaceChildren(say("Scoring …"));
  const request = { ...body, settings: state.settings, report_lang: state.language };
  try {
    const answer = await post("/report", request, undefined, (reason) => status.replaceChildren(visible(reason)));
    const link = (text, more) => make("a", { href: answer.report, target: "_blank", rel: "noopener", ...more }, say(text));
    const opening = link("Open the report");
    status.replaceChildren(opening, " · ", link("Download", { download: "report.html" }), ...warningsOf(answer, "span"));
    opening.click();
  } catch (error) {
    status.replaceChildren(notice(error.message, "span"), ...(error.canAlign ? [
      make("span", {}, say("Aligning joins the lines of each translation and cuts them anew, one line for each segment of the reference. Only white space at the cuts is lost.")), " ",
      make("button", { type: "button", onclick: () => openReport({ ...body, align: true }, status) }, say("Align and make the report")),
    ] : []));
  }
}

// The texts that are shown, as one segment; JSON keeps their line ends.
export async function reportOnTexts(status) {
  const systems = Object.fromEntries(state.hyps.map((text, i) => [letterOf(i), text]));
  const record = new Blob([JSON.stringify({ ref: state.refs.filter((text) => text.trim()), ...systems })]);
  const file = { name: "texts.jsonl", data: await encodeBase64(record) };
  return openReport({ references: [file], fields: { ref: ["ref"], hyp: Object.keys(systems) } }, status);
}

// The files by role, a table with both kinds in both places, and the columns that are chosen.
async function filesOfReport(form) {
  const body = { references: [], systems: [], fields: { ref: [], hyp: [] } };
  const { fields } = body;
  for (const entry of files) {
    const file = { name: entry.file.name, data: await encodeBase64(entry.file) };
    const named = (kind) => entry.columns.flatMap((column, i) => (column.kind === kind ? [columnName(entry, column, i)] : []));
    fields.ref.push(...named("reference").filter((name) => !fields.ref.includes(name)));
    fields.hyp.push(...named("system").filter((name) => !fields.hyp.includes(name)));
    fields.source ??= named("source")[0] ?? null;
    if (entry.columns.length && !entry.hasNames) body.no_header = true;
    for (const [role, kind] of [["references", "reference"], ["systems", "system"]])
      if (entry.columns.length ? named(kind).length : entry.role === role) body[role].push(file);
  }
  for (const [name, role] of [["reference", "references"], ["system", "systems"]])
    if (form[name].value.trim()) body[role].push({ name, data: await encodeBase64(new Blob([form[name].value])) });
  return body;
}

byId("report").addEventListener("submit", async (event) => {
  event.preventDefault();
  const status = byId("made");
  const body = await filesOfReport(event.target);
  const isWhole = files.length === 1 && !files[0].columns.length; // it may have all texts
  if (!body.references.length || !(body.systems.length || isWhole)) return status.replaceChildren(say("Give a reference and a translation."));
  return openReport(body, status);
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
