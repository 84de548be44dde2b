// Words looked up in a lexicon, and reports on files.

import { byId, data, isolated, make, say, visible } from "./dom.js";
import { notice, post, warningsOf } from "./playground.js";
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


const files = [];
const ROLES = ["references", "systems"];

export function showFiles() {
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
  const answer = await post("/report", body, undefined, (reason) => status.replaceChildren(visible(reason)));
  status.replaceChildren(make("a", { href: answer.report, target: "_blank", rel: "noopener" }, say("Open the report")),
    ...warningsOf(answer, "span"));
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
