// The language of the page: what it has without its script is said again, all else drawn again.

const LANGUAGES = { en: "en", zh: "zh-CN" }; // and their tags in HTML
const switches = [...document.querySelectorAll("[data-language]")];
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
const saying = (names, text, ...values) => ({
  ...Object.fromEntries(names.map((name) => [name, say(text, ...values)])), "data-says": JSON.stringify([names, text, ...values]),
});

const wordsOf = (language) => (language === "en" ? {} : data.words);
translations = wordsOf(data.language);

function setLanguage(language) {
  translations = wordsOf(language);
  for (const button of switches) button.setAttribute("aria-pressed", String(button.dataset.language === language));
  const root = document.documentElement;
  if (root.lang === LANGUAGES[language]) return;
  root.lang = LANGUAGES[language];
  for (const node of document.querySelectorAll("[data-say]")) sayAgain(node);
  for (const node of document.querySelectorAll("[data-says]")) {
    const [names, text, ...values] = JSON.parse(node.dataset.says);
    for (const name of names) node.setAttribute(name, visible(say(text, ...values)));
  }
  document.title = document.querySelector("h1").textContent;
  sayMatrix();
  placeMenus();
}

for (const button of switches) button.addEventListener("click", () => {
  const opened = [...document.querySelectorAll("#compared > details, dialog .inner details")].map((node) => node.open);
  change({ language: button.dataset.language });
  document.querySelectorAll("#compared > details, dialog .inner details").forEach((node, i) => { node.open = opened[i] ?? false; });
});
