// Problems stand beside what causes them: a text, or a setting that the server refuses.

import { grouped } from "./figures.js";
import { byId, data, make, say } from "./dom.js";
import { state } from "./playground-texts.js";

export const problemOfText = (text) => ([...text].length > data.most
  ? say("A text has {0} characters; it may have {1}.", grouped([...text].length), grouped(data.most)) : null);

// Why no translation can be scored, or null.
export const problemOfRefs = () => state.refs.map(problemOfText).find(Boolean)
  ?? (state.refs.every((text) => !text.trim()) ? say("Type a reference.") : null);

// Says below a control what is wrong with it, or nothing more.
function markControl(node, problem) {
  const id = `${node.id || `setting-${node.name}`}-problem`;
  byId(id)?.remove();
  if (!problem) {
    node.removeAttribute("aria-invalid");
    node.removeAttribute("aria-describedby");
    return;
  }
  node.setAttribute("aria-invalid", "true");
  node.setAttribute("aria-describedby", id);
  node.after(make("p", { id, class: "problem", role: "status" }, problem));
}

export function showProblems() {
  for (const kind of ["refs", "hyps"]) state[kind].forEach((text, i) => {
    const isMissing = kind === "refs" && i === 0 && state.refs.every((ref) => !ref.trim());
    markControl(byId(`${kind}-${i}`), problemOfText(text) ?? (isMissing ? say("Type a reference.") : null));
  });
  for (const node of byId("settings").querySelectorAll("[aria-invalid]")) markControl(node, null);
}

export function markSetting(name, problem) {
  const node = byId("settings").elements[name];
  if (node) markControl(node, problem);
}

// ---- messages of the server -----------------------------------------------------------------------

// Templates with the most text of their own come first.
const ownText = (template) => template.replace(/\{\d\}/g, "").length;
const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
// A colon ends the place of what follows, so the first value has none.
const value = (i) => ["", "((?:(?!: ).)+?)"][i] ?? "(.+?)";
const TEMPLATES = Object.entries(data.messages).sort(([a], [b]) => ownText(b) - ownText(a))
  .map(([template, chinese]) => [new RegExp(`^${template.split(/\{\d\}/).map((part, i) => value(i) + literal(part)).join("")}$`), chinese]);
const ENGLISH = /[a-z]{2,} [a-z]{2,}/; // a phrase; names of files and columns are values

// The Chinese of a message, clause by clause, or null if a phrase of it has none.
function inChinese(text) {
  if (text.includes("; ")) {
    const clauses = text.split("; ").map(inChinese);
    return clauses.includes(null) ? null : clauses.join("；");
  }
  for (const [pattern, chinese] of TEMPLATES) {
    const values = pattern.exec(text)?.slice(1).map((part, i) => (chinese.includes(`{${i}}`) ? inChinese(part) : ""));
    if (values && !values.includes(null)) return chinese.replace(/\{(\d)\}/g, (_, i) => values[i]);
  }
  const isOption = data.options.some(({ name }) => name === text);
  return isOption ? say(text.replaceAll("_", " ")) : ENGLISH.test(text) ? null : text;
}

// The option that a message is about, with which it begins.
export const settingOf = (message) => data.options.find(({ name }) => message.startsWith(`${name} is `))?.name;

// A message of the server in the words of the page.
export function inWords(message) {
  const name = settingOf(message) ?? "";
  if (state.language !== "zh") return message.replace(name, name.replaceAll("_", " "));
  return inChinese(message)?.replace(/(?<=\p{Script=Han}) (?=\p{Script=Han})/gu, "") ?? say("The server says: {0}", message);
}

// Scores that are asked for are old until the answer arrives.
export function showBusy(texts) {
  byId("fields").querySelectorAll(".value").forEach((node, i) => node.classList.toggle("waiting", !problemOfText(texts[i])));
}
