// The language of a page: what it has without its script can be said again in another.

import { data, phrase, say, sayBy, visible } from "./dom.js";

export const LANGUAGES = { en: "en", zh: "zh-CN" }; // and their tags in HTML
export const switches = [...document.querySelectorAll("[data-language]")];
const slots = new WeakMap(); // elements in the places of a text, by the element of the text

function sayAgain(node) {
  if (!slots.has(node)) {
    const values = [];
    for (const child of node.children) if (child.dataset.slot !== undefined) values[child.dataset.slot] = child;
    slots.set(node, values);
  }
  node.replaceChildren(...phrase(node.dataset.say, ...slots.get(node)));
}

// Attributes with a text that can be said again.
export const saying = (names, text, ...values) => ({
  ...Object.fromEntries(names.map((name) => [name, say(text, ...values)])), "data-says": JSON.stringify([names, text, ...values]),
});

const wordsOf = (language) => (language === "en" ? {} : data.words);
sayBy(wordsOf(data.language));

// Says the page again; false if it is in that language already.
export function sayPage(language) {
  sayBy(wordsOf(language));
  for (const button of switches) button.setAttribute("aria-pressed", String(button.dataset.language === language));
  const root = document.documentElement;
  if (root.lang === LANGUAGES[language]) return false;
  root.lang = LANGUAGES[language];
  for (const node of document.querySelectorAll("[data-say]")) sayAgain(node);
  for (const node of document.querySelectorAll("[data-says]")) {
    const [names, text, ...values] = JSON.parse(node.dataset.says);
    const said = values.map((value) => (Array.isArray(value) ? say(value[0]) : value)); // a list has a text of the page
    for (const name of names) node.setAttribute(name, visible(say(text, ...said)));
  }
  document.title = (document.getElementById("title") ?? document.querySelector("h1")).textContent;
  return true;
}
