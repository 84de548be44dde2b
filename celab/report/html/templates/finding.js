// "Copy finding": what is seen of an output, for a mail, an issue or a document: texts, tags, scores, marked errors,
// link and, where a document takes it, the picture of the alignment.

import { format } from "./figures.js";
import { copyText, data, make, say } from "./dom.js";
import { nameOf, rowOf, title } from "./outputs.js";
import { fragment, state } from "./state.js";
import { kindsOfOutput } from "./findings.js";
import { markedErrorsText } from "./spans.js";
import { judgeText, judges } from "./judges.js";
import { flat } from "./copying.js";
import { alignmentSvg, pictured } from "./takeaway.js";
import { shownOutputs } from "./to-playground.js";

const SIGNS = /[\\`*_{}[\]<>#|]/g; // of Markdown
const inMarkdown = (text) => flat(text).replace(SIGNS, "\\$&");
export const linkOfView = () => location.href.split("#")[0] + fragment();
// To a colleague, the folder of a file on this machine says nothing.
const linkForOthers = () => (location.protocol === "file:" ? decodeURIComponent(location.pathname.split("/").pop()) + fragment() : linkOfView());

// Scores of an output by all metrics and judges.
const scoresText = (system) => [
  ...data.metrics.map(({ name, scores, digits }) => `${name} ${format(scores[system][state.segment], digits)}`),
  ...judges.filter(({ scores }) => Number.isFinite(scores[system]?.[state.segment])).map((judge) => `${judge.heading} ${judgeText(judge, system, state.segment)}`),
].join(say(", "));

// The output of a system, with its tags if it is not a translation, and the errors that people have marked in it.
function outputLines(system) {
  const { segment } = state;
  const tags = kindsOfOutput(rowOf(segment, system)).map((kind) => say(kind)).join(say(", "));
  const name = tags ? say("{0}, {1}", data.systems[system], tags) : data.systems[system];
  const errors = markedErrorsText(system, segment);
  return [
    [say("{0} ({1})", name, scoresText(system)), data.hyps[system][segment] || say("(empty)"), system === state.system],
    ...(errors ? [[say("Marked errors of {0}", data.systems[system]), errors]] : []),
  ];
}

// The lines of a finding: a label, a text, and whether it is of the open output.
function findingLines() {
  const { segment } = state;
  return [
    ...(data.source ? [[say("Source"), data.source[segment]]] : []),
    ...data.refs.map((side, i) => [data.refs.length > 1 ? data.references[i] : say("Reference"), side[segment]]),
    ...shownOutputs().flatMap(outputLines),
  ];
}

const findingTitle = () => `${say("Segment {0}", nameOf(state.segment))}${title(state.segment) ? ` (${title(state.segment)})` : ""}`;

function findingText() {
  const lines = findingLines().map(([label, text, isOpen]) => {
    const name = inMarkdown(label);
    return `- ${isOpen ? `**${name}**` : name}: ${inMarkdown(text)}\n`;
  });
  return `**${inMarkdown(findingTitle())}**\n\n${lines.join("")}\n<${linkForOthers()}>\n`;
}

// The picture as a canvas, for a PNG, which more programs paste than SVG; null if there is none to draw.
async function pictureCanvas() {
  if (!pictured().length) return null;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(alignmentSvg())}`;
  try {
    await image.decode();
  } catch {
    return null;
  }
  const canvas = make("canvas", { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

export async function copyPicture() {
  try {
    const canvas = await pictureCanvas();
    const blob = await new Promise((done) => { canvas.toBlob(done, "image/png"); });
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
    return true;
  } catch { // no clipboard, or no permission to use it
    return false;
  }
}

async function findingHtml() {
  const canvas = await pictureCanvas();
  const items = findingLines().map(([label, text, isOpen]) => make("li", {}, make(isOpen ? "b" : "span", {}, label), `${say(": ")}${text}`));
  const node = make("div", {}, make("p", {}, make("b", {}, findingTitle())), make("ul", {}, items),
    canvas ? make("p", {}, make("img", { src: canvas.toDataURL("image/png"), width: canvas.width / 2, alt: findingTitle() })) : null,
    make("p", {}, make("a", { href: linkForOthers() }, linkForOthers())));
  return new XMLSerializer().serializeToString(node);
}

// Both forms at once, so that what is pasted into has its choice; text alone where the browser takes no other.
export async function copyFinding() {
  const text = findingText();
  try {
    const blob = (type, content) => new Blob([content], { type });
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob("text/plain", text), "text/html": findingHtml().then((html) => blob("text/html", html)) })]);
    return true;
  } catch {
    return copyText(text);
  }
}
