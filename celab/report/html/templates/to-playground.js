// The open segment in the playground: by a link if this report is shown by one, or by a command. The texts
// are in the fragment of the link, which browsers send nowhere.

import { metric } from "./shown-metric.js";
import { UNPRINTABLE, copyButton, data, make, say } from "./dom.js";
import { NONE, state } from "./state.js";

const MOST_FIELDS = 6; // of a kind, in the playground

// The playground that made this report, or null: a report that is a file knows of none.
const playgroundOf = () => (["127.0.0.1", "localhost"].includes(location.hostname) && location.pathname.startsWith("/report/") ? `${location.origin}/` : null);

// The open output is translation A; if two systems are compared, the other one is B.
export function shownOutputs() {
  const others = [state.a, state.b].filter((i) => i >= 0 && i !== state.system);
  return [state.system, ...new Set(state.b === NONE ? [] : others)];
}

function playgroundLink() {
  const parameters = new URLSearchParams();
  for (const side of data.refs.slice(0, MOST_FIELDS)) parameters.append("ref", side[state.segment]);
  for (const i of shownOutputs()) parameters.append("hyp", data.hyps[i][state.segment]);
  if (data.lang && data.lang !== "zh") parameters.set("option-lang", JSON.stringify(data.lang));
  if (state.language !== "en") parameters.set("page", state.language);
  return `${playgroundOf()}#${parameters}`;
}

// null if the metric explains nothing, or if a shell or the command would read a text as something else.
function textCommand() {
  const texts = [...data.refs.map((side) => side[state.segment]), data.hyps[state.system][state.segment]];
  const isPlain = (text) => text.trim() && !text.startsWith("-") && text.search(UNPRINTABLE) < 0;
  if (metric().explained === null || !texts.every(isPlain)) return null;
  const quoted = texts.map((text) => `'${text.replaceAll("'", "'\\''")}'`).join(" ");
  const settings = data.commands?.[metric().key]?.[2] ?? `-m ${metric().key}${data.lang ? ` --lang ${data.lang}` : ""}`;
  return `celab explain --text ${quoted} ${settings}`;
}

export function playgroundItem() {
  if (playgroundOf() !== null) return make("a", { href: playgroundLink(), target: "_blank", rel: "noopener" }, say("Open in the playground"));
  return textCommand() === null ? null : copyButton(textCommand, "Command with the texts");
}
