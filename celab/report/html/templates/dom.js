// Builds elements. Data become text nodes and attribute values, never markup, so that no script in
// them can run.

import { grouped } from "./figures.js";

export const byId = (id) => document.getElementById(id);
export const data = JSON.parse(byId("data").textContent);

export async function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// The data of a large report are compressed.
if (byId("packed")) Object.assign(data, await inflated(byId("packed").textContent));

// Translations of the page's texts, by the English text; {0} and {1} are filled in.
let translations = {};
export function sayBy(words) {
  translations = words;
}
export const say = (text, ...values) => (translations[text] ?? text).replace(/\{(\d)\}/g, (_, i) => values[i]);

// The same with elements as values, as a list of parts.
export const phrase = (text, ...values) => (translations[text] ?? text).split(/\{(\d)\}/).map((part, i) => (i % 2 ? values[part] : part));

// Escapes characters that would reorder or hide the text beside them, as in the terminal
// (`celab.base.text.escapes`).
export const UNPRINTABLE = /(?![ \u00a0\u200d\u3000])[\p{C}\p{Z}]/gu;
const SHORT = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
export const visible = (text) => text.replace(UNPRINTABLE, (char) => {
  const code = char.codePointAt(0);
  const [letter, width] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return SHORT[char] ?? `\\${letter}${code.toString(16).padStart(width, "0")}`;
});
const TEXT_ATTRIBUTES = ["title", "aria-label"]; // seen or heard by the reader

let drawingSpace = null; // the namespace of drawings, of which the page has some of its own
export function make(tag, attributes, ...children) {
  const node = tag.startsWith("svg:") // such as svg:path
    ? document.createElementNS(drawingSpace ??= document.querySelector("svg").namespaceURI, tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : TEXT_ATTRIBUTES.includes(name) ? visible(value) : value);
  }
  const present = children.flat(Infinity).filter((child) => child !== null && child !== undefined);
  node.append(...present.map((child) => (typeof child === "string" ? visible(child) : child)));
  return node;
}

// Wraps a name or text from the data, so that its direction does not reorder the text beside it.
export const isolated = (text) => make("bdi", {}, text);

// The text with all places marked where the words that were searched for stand.
export function marked(text, words) {
  const [inText, inWords] = [text.toLowerCase(), words.toLowerCase()];
  if (!words || inText.length !== text.length || !inText.includes(inWords)) return text;
  return inText.split(inWords).reduce((parts, part, i, all) => {
    const start = all.slice(0, i).reduce((sum, before) => sum + before.length + inWords.length, 0);
    return [...parts, i ? make("mark", {}, text.slice(start - inWords.length, start)) : null, text.slice(start, start + part.length)];
  }, []);
}

export const meter = (share, attributes = {}) => {
  const inner = make("i", {});
  inner.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return make("span", { class: "meter", "aria-hidden": "true", ...attributes }, inner);
};

export function table(headings, rows, attributes, caption) {
  // A heading that starts with # is of a numeric column; a row is an element or a list of cells.
  const numeric = headings.map((heading) => heading.startsWith("#"));
  const kind = (i) => ({ class: numeric[i] ? "number" : null });
  const head = headings.map((heading, i) =>
    make("th", { scope: "col", ...kind(i) }, say(heading.replace(/^#/, ""))));
  const body = rows.map((row) =>
    Array.isArray(row) ? make("tr", {}, row.map((cell, i) => make("td", kind(i), cell))) : row);
  return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    make("table", attributes, make("caption", {}, caption), make("thead", {}, make("tr", {}, head)), make("tbody", {}, body)));
}

// Roving focus: Tab reaches one of the elements, arrow keys the others.
export function roving(container, selector, step = { ArrowRight: 1, ArrowLeft: -1 }) {
  const items = [...container.querySelectorAll(selector)];
  items.forEach((item, i) => item.setAttribute("tabindex", i ? "-1" : "0"));
  container.addEventListener("focusin", (event) => {
    const item = event.target.closest(selector);
    if (!item) return;
    for (const other of items) other.setAttribute("tabindex", other === item ? "0" : "-1");
  });
  container.addEventListener("keydown", (event) => {
    const at = items.indexOf(event.target);
    if (at < 0) return;
    const ends = { Home: 0, End: items.length - 1 };
    const next = event.key in ends ? ends[event.key] : at + (step[event.key] ?? NaN);
    if (!items[next]) return;
    event.preventDefault();
    items[next].focus();
  });
}

// Copies a text; false if the browser refuses.
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // no clipboard, or no permission to use it: as selected text
    const focused = document.activeElement;
    const field = make("textarea", { class: "unseen", readonly: true });
    field.value = text;
    (focused?.closest("dialog") ?? document.body).append(field); // outside a modal dialog it could not be selected
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    focused?.focus({ preventScroll: true });
    return isCopied;
  }
}

// `copy` is what copies, if it is more than a text.
export function copyButton(text, label = "Copy", attributes = {}, copy = () => copyText(text())) {
  const button = make("button", { type: "button", class: "copy", "data-say": label, "aria-live": "polite", onclick: async () => {
    button.textContent = say(await copy() ? "Copied" : "Not copied");
    setTimeout(() => { button.textContent = say(label); }, 1500);
  }, ...attributes }, say(label));
  return button;
}

export const countText = (n, singular, plural = `${singular}s`) => say(`{0} ${n === 1 ? singular : plural}`, grouped(n));
