// The current view, kept in the URL, so that it can be bookmarked and shared.

import { showMetric } from "./shown-metric.js";
import { data, say } from "./dom.js";
import { LANGUAGES } from "./saying.js";
import { FACETS } from "./findings.js";
import { PARAMETERS, adjusted } from "./report-view.js";

export const EVERY = -1; // system: all are listed
export const NONE = -2;

export const state = {};
export const listeners = [];

// Parameters of the view: the value that is not written, how others are read (undefined if there is no such
// value) and written, and what a chip says of them.
export const textParameter = (initially = "", isKnown = () => true) => ({ initially, read: (value) => (isKnown(value) ? value : undefined) });
export const nameParameter = (names, initially = NONE) => ({
  initially, read: (name) => (names.includes(name) ? names.indexOf(name) : undefined), write: (index) => names[index] });

export const facetParameters = () => Object.fromEntries(FACETS.map(({ key, choices }) => [key, textParameter("", (value) => choices.has(value))]));

function allParameters({ segment, ...others }) {
  return {
    language: { ...textParameter(data.language, (value) => value in LANGUAGES), key: "page" },
    ...others,
    segment: { initially: null, read: (number) => Number(number) - 1, write: (place) => place + 1, ...segment },
    system: nameParameter(data.systems, null),
  };
}
let known = null;
export const parameters = () => (known ??= allParameters(PARAMETERS()));
export const initial = () => Object.fromEntries(Object.entries(parameters()).map(([name, { initially }]) => [name, initially]));
// Another view of the same metric in the same language.
export const fresh = (changes = {}) => ({ ...initial(), language: state.language, metric: state.metric, ...changes });

function readView(fragmentText) {
  const given = new URLSearchParams(fragmentText);
  const view = initial();
  for (const [name, { key = name, read }] of Object.entries(parameters()))
    if (given.has(key)) view[name] = read(given.get(key)) ?? view[name];
  view.system = view.segment === null ? null : view.system ?? Math.max(view.a, 0);
  if (data.hyps[view.system]?.[view.segment] === undefined) view.segment = view.system = null;
  return view;
}

// What the URL names and the page does not have.
function showUnknown() {
  const given = new URLSearchParams(location.hash.slice(1));
  const systems = ["a", "b", "system"].map((key) => given.get(key)).filter((name) => name !== null && !data.systems.includes(name));
  const segment = given.get("segment");
  const unknown = document.getElementById("unknown");
  unknown.textContent = [
    ...systems.map((name) => say("No system {0} in this report.", name)),
    ...(segment !== null && data.segments[Number(segment) - 1] === undefined ? [say("No segment {0} in this report.", segment)] : []),
  ].join(" ");
  unknown.hidden = !unknown.textContent;
}

// The view of the URL, when the page is opened, and after Back, Forward or an edit.
export function followUrl() {
  const before = { ...state };
  Object.assign(state, readView(location.hash.slice(1)));
  if (document.getElementById("unknown")) showUnknown();
  const changed = Object.keys(state).filter((name) => state[name] !== before[name]);
  if (changed.length) for (const listener of listeners) listener(Object.fromEntries(changed.map((name) => [name, state[name]])));
}

export function fragment() {
  const written = new URLSearchParams();
  for (const [name, { key = name, initially, write = String }] of Object.entries(parameters()))
    if (state[name] !== initially) written.set(key, write(state[name]));
  return `#${written}`;
}

// A step, such as opening a segment, is an entry of the history, so that Back undoes it. It records
// the view before it; whatever returns to that view goes back instead of adding an entry.
function writeUrl(step) {
  const [before, after] = [location.hash || "#", fragment()];
  if (before === after) return;
  if (history.state?.before === after) history.back();
  else if (step) history.pushState({ before }, "", after);
  else history.replaceState(history.state, "", after);
}

export function change(changes, step = false) {
  const all = adjusted(changes);
  Object.assign(state, all);
  writeUrl(step);
  for (const listener of listeners) listener(all);
}

showMetric(() => data.metrics[state.metric ?? 0]);
