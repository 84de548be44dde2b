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

// Messages of the server begin with the option that they are about.
export function markSetting(problem) {
  const node = byId("settings").elements[/^(\w+) is /.exec(problem)?.[1] ?? ""];
  if (node) markControl(node, problem);
}

// Scores that are asked for are old until the answer arrives.
export function showBusy(texts) {
  byId("fields").querySelectorAll(".value").forEach((node, i) => node.classList.toggle("waiting", !problemOfText(texts[i])));
}
