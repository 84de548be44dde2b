// Segments, signatures and the report's own tables and charts, copied for use elsewhere.

import { metric } from "./shown-metric.js";
import { format, signed } from "./figures.js";
import { copyButton, data, say } from "./dom.js";
import { nameOf, segmentOf, systemOf, title } from "./outputs.js";
import { NONE, state } from "./state.js";
import { score } from "./explained.js";
import { differenceOf } from "./report-view.js";
import { listedOutputs } from "./rows.js";
import { standaloneSvg } from "./svg.js";
import { dialog } from "./segment.js";
import { chartMenu, copyMenuOf, placeSignatureButtons, tableButtons, tableMenu } from "./copying.js";
import { playgroundItem } from "./to-playground.js";
import { copyFinding, copyPicture, linkOfView } from "./finding.js";

// The list of segments as it is filtered and sorted, with all texts of a segment.
function readSegments() {
  const { digits, name } = metric();
  const compared = state.b !== NONE;
  const rows = listedOutputs.map((row) => {
    const [segment, system] = [segmentOf(row), systemOf(row)];
    return [
      nameOf(segment), ...(data.documents.some(Boolean) ? [data.documents[data.segments[segment]]] : []),
      data.systems[system], format(score(system, segment), digits),
      ...(compared ? [format(score(state.b, segment), digits), signed(differenceOf(row), digits)] : []),
      ...(data.source ? [data.source[segment]] : []), ...data.refs.map((side) => side[segment]),
      data.hyps[system][segment], ...(compared ? [data.hyps[state.b][segment]] : []),
    ];
  });
  const headings = [
    say("Segment"), ...(data.documents.some(Boolean) ? [say("Document")] : []), say("System"), name,
    ...(compared ? [data.systems[state.b], say("Difference")] : []),
    ...(data.source ? [say("Source")] : []), ...(data.refs.length > 1 ? data.references : [say("Reference")]),
    say("Output"), ...(compared ? [say("Output of {0}", data.systems[state.b])] : []),
  ];
  const figures = [say("Segment"), name, ...(compared ? [data.systems[state.b], say("Difference")] : [])];
  return { headings, rows, numeric: headings.map((heading) => figures.includes(heading)) };
}

// The menus of the tables that the page has without its script, and the buttons of the signatures.
export function placeMenus() {
  for (const node of document.querySelectorAll("section > .take, .chips > .take, section > .signature > .copy")) node.remove();
  const place = (selector, menuOf) => {
    for (const node of document.querySelectorAll(`table.${selector}`)) {
      const menu = menuOf(node);
      menu.classList.add(`${selector}-menu`);
      node.parentElement.after(menu);
    }
  };
  place("board", (node) => chartMenu(node, "systems"));
  place("matrix", tableMenu);
  placeSignatureButtons();
  document.getElementById("chips").after(copyMenuOf("Copy list", say("Segments"), tableButtons(readSegments)));
}

// ---- one segment --------------------------------------------------------------------------------

// The command that explains the output outside this report; null if it is not known.
export function commandText() {
  const command = data.commands?.[metric().key];
  return command ? [command[0], nameOf(state.segment), command[1], data.files[state.system], command[2]].filter((part) => part !== "").join(" ") : null;
}

function segmentText() {
  const { segment } = state;
  const { digits, name } = metric();
  const line = (label, text) => `${label}: ${text}\n`;
  return [
    `${say("Segment {0}", nameOf(segment))}${title(segment) ? ` (${title(segment)})` : ""}\n`,
    data.source ? line(say("Source"), data.source[segment]) : "",
    ...data.refs.map((side, i) => line(data.refs.length > 1 ? data.references[i] : say("Reference"), side[segment])),
    ...data.systems.map((system, i) => line(`${system} (${name} ${format(score(i, segment), digits)})`, data.hyps[i][segment])),
  ].join("");
}

// What a picture shows: the tokens with their links, or both texts with their differences.
export function pictured() {
  const tokens = [...dialog.querySelectorAll(".aligned, .stacked")];
  return tokens.length ? tokens : [...dialog.querySelectorAll(".inner > .against")];
}
export const alignmentSvg = () => standaloneSvg(pictured(), say("Segment {0}", nameOf(state.segment)));

export function segmentMenu() {
  const finding = (label) => copyButton(null, label, { title: say("Texts, scores, picture and link") }, copyFinding);
  return [finding("Copy"), copyMenuOf("Copy as", say("Segment {0}", nameOf(state.segment)),
    finding("Finding"), copyButton(linkOfView, "Link"), copyButton(segmentText, "Text"),
    commandText() === null ? null : copyButton(commandText, "Command"),
    playgroundItem(),
    copyButton(alignmentSvg, "SVG"), copyButton(null, "PNG", {}, copyPicture))];
}
