// Texts and settings as the fragment of the URL, which is what attempts are kept as, too.

import { data } from "./dom.js";

export const MOST_FIELDS = 6;

export const state = { refs: [""], hyps: [""], chosen: 0, settings: {}, step: 0, copied: "Python", language: "en" };

export function writeTexts() {
  const parameters = new URLSearchParams();
  for (const text of state.refs) parameters.append("ref", text);
  for (const text of state.hyps) parameters.append("hyp", text);
  for (const [name, value] of Object.entries(state.settings)) parameters.set(`option-${name}`, JSON.stringify(value));
  return parameters;
}

const parsed = (text) => {
  try { return JSON.parse(text); } catch { return null; }
};

// What the state becomes; null if there are no texts.
export function readTexts(fragment) {
  const parameters = new URLSearchParams(fragment);
  const [refs, hyps] = ["ref", "hyp"].map((name) => parameters.getAll(name).slice(0, MOST_FIELDS));
  if (!refs.length || !hyps.length) return null;
  const names = ["lang", "profile", "lexicon", ...data.options.map(({ name }) => name)];
  const settings = Object.fromEntries(names.map((name) => [name, parsed(parameters.get(`option-${name}`))]).filter(([, value]) => value !== null));
  if (!Object.hasOwn(data.usual.paper, settings.lang ?? "")) delete settings.lang;
  if (settings.profile !== "recommended") delete settings.profile; // the other is the default
  return { step: null, refs, hyps, settings };
}
