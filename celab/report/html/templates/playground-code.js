// The current texts and settings as code.

import { UNPRINTABLE, byId, copyButton, make, visible } from "./dom.js";
import { press } from "./playground-tour.js";
import { writeUrl } from "./playground-main.js";
import { state } from "./playground-texts.js";

// Code is read before it is run, so no character in it may hide or reorder others.
const units = (text) => text.replace(UNPRINTABLE, (char) =>
  [...Array(char.length).keys()].map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""));
const python = (value) => JSON.stringify(value).replace(UNPRINTABLE, visible);
const shell = (text) => `'${units(String(text)).replaceAll("'", "'\\''")}'`;
const octal = (char) => [...new TextEncoder().encode(char)].map((byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");
// A shell command that prints a line; with %b, printf reads escapes.
const printfCommand = (text) => (text.search(UNPRINTABLE) < 0 ? `printf '%s\\n' ${shell(text)}`
  : `printf '%b\\n' ${shell(text.replaceAll("\\", "\\\\").replace(UNPRINTABLE, octal))}`);
export const FORMS = {
  Python: () => {
    const literal = (name, value) => (name === "lexicon" && value === "none" ? "None" : python(value));
    const { profile, ...rest } = state.settings;
    const settings = Object.entries(rest).map(([name, value]) => `${name}=${literal(name, value)}`).join(", ");
    const refs = state.refs.map(python).join(", ");
    return [`import celab\n\nmetric = celab.${profile ? "recommended" : "TeslaCelab"}(${settings})`, ...state.hyps.map((text) =>
      `print(metric.sentence_score(${python(text)}, [${refs}]).score)`)].join("\n");
  },
  Command: () => {
    const nameFiles = (name, texts) => texts.map((text, i) => [`${name}${texts.length > 1 ? i + 1 : ""}.txt`, text]);
    const [refs, hyps] = [nameFiles("ref", state.refs), nameFiles("hyp", state.hyps)];
    const flags = Object.entries(state.settings).map(([name, value]) =>
      ` --${name.replaceAll("_", "-")} ${/^[\w.,-]+$/.test(value) ? value : shell(value)}`).join("");
    const names = (files) => files.map(([name]) => name).join(" ");
    return [...[...refs, ...hyps].map(([name, text]) => `${printfCommand(text.replace(/[\r\n]+/g, " "))} > ${name}`),
      `celab explain 1 -r ${names(refs)} -s ${names(hyps)}${flags}`].join("\n");
  },
  curl: () => `curl ${location.origin}/score -H 'Content-Type: application/json' \\\n  -d ${shell(JSON.stringify({
    reference: state.refs.length > 1 ? state.refs : state.refs[0], hypothesis: state.hyps[state.chosen],
    ...(Object.keys(state.settings).length ? { settings: state.settings } : {}) }))}`,
};

export function showCode() {
  writeUrl();
  press("tabs", Object.keys(FORMS).indexOf(state.copied));
  // Each quoted text is isolated, so that one from right to left does not reorder the code.
  const parts = FORMS[state.copied]().split(/("(?:[^"\\]|\\.)*"|'[^']*')/);
  byId("code").replaceChildren(...parts.map((part, i) => (i % 2 ? make("bdi", { dir: "auto" }, new Text(part)) : new Text(part))));
}
byId("code").after(copyButton(() => byId("code").textContent));
