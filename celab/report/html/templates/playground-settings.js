// Presets with their scores side by side, and all settings.

import { format } from "./figures.js";
import { byId, data, make, say } from "./dom.js";
import { problemOfText } from "./playground-problems.js";
import { edited, explained, letterOf, post, requestOf, showFields, unlessAborted } from "./playground.js";
import { state } from "./playground-texts.js";

// Settings of each preset, besides the language, which all keep.
export const PRESETS = [
  { title: "Paper", settings: {}, text: "The settings of the 2012 paper" },
  { title: "Recommended", settings: { profile: "recommended" }, text: "The settings that we recommend for the language" },
  { title: "No synonyms", settings: { lexicon: "none" }, text: "The settings of the paper, without a lexicon" },
];
const PRESET_DELAY = 200; // milliseconds without typing, after which the presets are scored

export const language = () => state.settings.lang ?? "zh";
export const presetSettings = ({ settings }) => ({ ...(state.settings.lang ? { lang: state.settings.lang } : {}), ...settings });
const chosenPreset = () => PRESETS.findIndex((preset) =>
  JSON.stringify(Object.entries(presetSettings(preset)).sort()) === JSON.stringify(Object.entries(state.settings).sort()));

function showPresets() {
  const group = byId("presets");
  const focused = [...group.children].indexOf(document.activeElement);
  const before = [...group.querySelectorAll("b")].map((node) => node.textContent); // until the new scores arrive
  const isSame = before.length === PRESETS.length * state.hyps.length;
  group.setAttribute("aria-label", say("Settings"));
  group.replaceChildren(...PRESETS.map((preset, i) => make("button", {
    type: "button", title: say(preset.text), "aria-pressed": String(i === chosenPreset()),
    onclick: () => { state.settings = presetSettings(preset); showSettings(); edited(); },
  }, make("span", {}, say(preset.title)), state.hyps.map((_, k) => make("span", {}, state.hyps.length > 1 ? `${letterOf(k)} ` : null,
    make("b", {}, isSame ? before[i * state.hyps.length + k] : "–"))))));
  group.children[focused]?.focus();
}

// Scores by all presets, requested when the reader stops typing; none without a signal.
let waiting = 0;
export function askPresets(signal) {
  clearTimeout(waiting);
  const isShown = byId("presets").querySelectorAll("b").length === PRESETS.length * state.hyps.length;
  if (!isShown) showPresets();
  [...byId("presets").children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === chosenPreset())));
  const show = (i, k, text) => { byId("presets").children[i].querySelectorAll("b")[k].textContent = text; };
  const all = PRESETS.flatMap((preset, i) => state.hyps.map((text, k) => [preset, i, text, k]));
  const isLate = signal && all.some(([, , text]) => !problemOfText(text));
  byId("presets").classList.toggle("waiting", Boolean(isLate));
  byId("presets").setAttribute("aria-busy", String(Boolean(isLate)));
  if (!signal) return all.forEach(([, i, , k]) => show(i, k, "–"));
  for (const [, i, text, k] of all) if (problemOfText(text)) show(i, k, "–");
  const asked = all.filter(([, , text]) => !problemOfText(text));
  waiting = setTimeout(() => Promise.all(asked.map(([preset, i, text, k]) => post("/score", requestOf(text, presetSettings(preset)), signal)
    .then(({ score }) => signal.aborted || show(i, k, format(score, data.digits)), unlessAborted(() => show(i, k, "–")))))
    .then(() => {
      if (signal.aborted) return; // the next request has its own
      byId("presets").classList.remove("waiting");
      byId("presets").setAttribute("aria-busy", "false");
    }), PRESET_DELAY);
}

// ---- settings -----------------------------------------------------------------------------------

// Defaults that follow other options, as the server has resolved them.
let following = {};
export function followDefaults() {
  for (const [name, value] of Object.entries(explained.parts ? {} : explained.settings)) {
    const node = byId("settings").elements[name];
    if (name in state.settings || node === document.activeElement) continue;
    following[name] = value;
    node.value = value;
  }
}

// The value of an option that is not set, by profile and language; null if it has several.
function defaultOf(name, fallback = null) {
  const values = data.usual[state.settings.profile ?? "paper"][language()][name] ?? [fallback];
  return values.length > 1 ? null : values[0];
}

function choose(name, value, normal) {
  const isDefault = value === (following[name] ?? normal) || value === "";
  following = {};
  if (isDefault) delete state.settings[name];
  else state.settings[name] = value;
  if (name === "lang") { data.lang = language(); showSettings(); showFields(); byId("settings").lang.focus(); }
  edited();
}

const labeled = (name, node, help) => make("label", { title: help }, say(name.replaceAll("_", " ")), node);

export function selection(name, choices, value, act) {
  const node = make("select", { name, onchange: (event) => act(event.target.value) },
    choices.map(([choice, text]) => make("option", { value: choice }, text)));
  node.value = value;
  return node;
}

// A control for an option of the metric, as described by the server.
function control({ name, kind, choices, between, help, default: fallback }) {
  const normal = defaultOf(name, fallback);
  const value = state.settings[name] ?? normal;
  const isSmallRange = kind === "int" && between && between[1] - between[0] < 20;
  const values = choices ?? (isSmallRange ? Array.from({ length: between[1] - between[0] + 1 }, (_, i) => between[0] + i) : null);
  const several = normal === null && fallback !== null ? [["", say("default")]] : []; // a mean of metrics that differ in it
  if (values) return labeled(name, selection(name, [...several, ...values.map((choice) => [choice, String(choice)])], value ?? "",
    (text) => choose(name, kind === "int" && text ? Number(text) : text, normal)), say(help));
  const number = kind === "int" || kind === "float";
  const limits = number ? { type: "number", min: between?.[0], max: between?.[1], step: kind === "int" ? 1 : "any" } : {};
  const parse = (text) => {
    const parts = text.split(",").map(Number); // such as the weights 4,3,2,1
    return text.trim() === "" ? "" : number ? Number(text) : kind !== "str" && parts.every(Number.isFinite) ? parts : text;
  };
  const input = make("input", { name, ...limits, placeholder: several.length ? say("default") : null,
    oninput: (event) => choose(name, parse(event.target.value), normal) });
  input.value = value ?? "";
  return labeled(name, input, say(help));
}

export function showSettings() {
  const form = byId("settings");
  following = {};
  const open = form.querySelector("details")?.open ?? chosenPreset() < 0;
  const names = new Intl.DisplayNames([document.documentElement.lang], { type: "language" });
  const normal = defaultOf("lexicon");
  const isSeveral = (data.usual[state.settings.profile ?? "paper"][language()].lexicon ?? []).length > 1;
  const lexicons = [["", isSeveral ? say("default") : say("default ({0})", normal ?? say("none"))],
    ...data.lexicons.map((name) => [name, name]), ["none", say("none")]];
  form.replaceChildren(
    labeled("language", selection("lang", Object.keys(data.usual.paper).map((lang) => [lang, names.of(lang)]), language(),
      (value) => choose("lang", value, "zh"))),
    make("details", { open }, make("summary", {}, say("More settings")), make("div", {},
      labeled("lexicon", selection("lexicon", lexicons, state.settings.lexicon ?? "", (value) => choose("lexicon", value, ""))),
      data.options.map(control))));
  showPresets();
  const select = byId("lookup").lexicon;
  const before = select.value || normal;
  select.replaceChildren(...data.lexicons.map((name) => make("option", { value: name }, name)));
  select.value = data.lexicons.includes(before) ? before : data.lexicons[0];
}
byId("settings").addEventListener("submit", (event) => event.preventDefault());
