// What the list is limited to: a chip for each limit, which removes it.

import { isolated, make, phrase, say } from "./dom.js";
import { change, parameters, state } from "./state.js";
import { FACETS } from "./findings.js";
import { showListing } from "./report-view.js";

const chips = document.getElementById("chips");

// A limit: its name, its value, and the changes that remove it.
export function limits() {
  const chipOf = (name, { chip }) => {
    const facet = FACETS.find(({ key }) => key === name);
    return facet ? [say(facet.label), facet.choices.get(state[name]).name()] : chip?.(state[name]);
  };
  return Object.entries(parameters()).filter(([name, { initially }]) => state[name] !== initially)
    .map(([name, parameter]) => [chipOf(name, parameter), { [name]: parameter.initially }]).filter(([chip]) => chip)
    .map(([[label, value, without], alone]) => [label, value, without ?? alone]);
}

export function showChips() {
  const nodes = limits().map(([name, value, without]) => make("button", {
    type: "button", class: "chip", "data-chip": Object.keys(without)[0], "aria-label": say("Remove {0}: {1}", name, value),
    onclick: () => {
      change(without, true);
      chips.closest("details").querySelector("summary").focus({ preventScroll: true });
    },
  }, phrase("{0}: {1}", name, isolated(value)), make("span", { "aria-hidden": "true" }, " ×")));
  chips.replaceChildren(...nodes, ...(nodes.length ? [make("button", { type: "reset", form: "filters" }, say("Clear all"))] : []));
}

// Lists what was chosen elsewhere in the page, and moves there.
export function listChosen(changes) {
  change({ segment: null, system: null, ...changes }, true);
  showListing();
}
