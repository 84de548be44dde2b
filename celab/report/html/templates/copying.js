// Menus that copy tables and drawings for use elsewhere, in all pages.

import { LATEX, MARKDOWN } from "./constants.js";
import { copyButton, make, say, visible } from "./dom.js";
import { hundredths, isClear } from "./svg.js";

// A cell in one line, as `celab.tables.view` writes it; LATEX and MARKDOWN are its escapes.
const LINE_END = "\\r\\n|[\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029]";
export const flat = (cell) => visible(cell.replace(new RegExp(`(${LINE_END})$`), "").replace(new RegExp(`\\t|${LINE_END}`, "g"), " "));
const escapedBy = (signs) => (cell) => [...flat(cell)].map((sign) => signs[sign] ?? sign).join("");
const TABLE_FORMATS = {
  // Spreadsheets read a number only with a hyphen as its minus sign.
  TSV: ({ headings, rows }) => [headings, ...rows].map((row) =>
    `${row.map((cell) => flat(cell).replace(/^−(?=\d)/, "-")).join("\t")}\n`).join(""),
  Markdown({ headings, rows, numeric }) {
    const lines = [headings, ...rows].map((row) => row.map(escapedBy(MARKDOWN)));
    lines.splice(1, 0, numeric.map((isNumber) => (isNumber ? "---:" : "---")));
    return lines.map((row) => `| ${row.join(" | ")} |\n`).join("");
  },
  LaTeX({ headings, rows, numeric }) {
    const [head, ...body] = [headings, ...rows].map((row) => `${row.map(escapedBy(LATEX)).join(" & ")} \\\\`);
    const columns = numeric.map((isNumber) => (isNumber ? "r" : "l")).join("");
    return [`\\begin{tabular}{${columns}}  % \\usepackage{booktabs}`, "\\toprule", head, "\\midrule", ...body, "\\bottomrule", "\\end{tabular}", ""].join("\n");
  },
};

// The cells of each row by column; a cell that spans several rows is in all of them.
function cellsOf(rows) {
  const spanning = []; // by column: a cell, and the number of rows below that it reaches
  return rows.map((row) => {
    const own = [...row.cells];
    const cells = [];
    for (let at = 0; own.length || spanning[at]?.left; at++) {
      if (!spanning[at]?.left) spanning[at] = { cell: own[0], left: own.shift().rowSpan };
      spanning[at].left -= 1;
      cells.push(spanning[at].cell);
    }
    return cells;
  });
}

// Headings and rows of a table as text. `data-copy` is the text of a cell that shows something else.
export function readTable(node) {
  const body = [...node.tBodies].flatMap((part) => [...part.rows]).filter((row) => !row.matches(".of-set")); // titles of groups
  const [heads, ...rows] = cellsOf([node.tHead.rows[0], ...body]);
  const kept = heads.map((_, i) => i).filter((i) => !heads[i].matches(".scripted"));
  const heading = (cell) => (cell.dataset.copy ? say(cell.dataset.copy) : cell.textContent);
  const text = (cell) => {
    if (cell.dataset.copy !== undefined) return cell.dataset.copy;
    const copy = cell.cloneNode(true);
    for (const part of copy.querySelectorAll(".unseen, small")) part.remove();
    return copy.textContent;
  };
  return {
    headings: kept.map((i) => heading(heads[i]).trim()),
    rows: rows.map((cells) => kept.map((i) => text(cells[i]).trim())),
    numeric: kept.map((i) => heads[i].matches(".number, .matrix th:not(:first-child)")),
  };
}

// ---- drawings that stand alone ------------------------------------------------------------------

const LOOK = {
  fill: "", "fill-opacity": "1", stroke: "none", "stroke-width": "1px", "stroke-opacity": "1", "stroke-dasharray": "none",
  "stroke-linecap": "butt", opacity: "1", "paint-order": "normal", "font-size": "", "font-weight": "400", "unicode-bidi": "normal",
}; // properties of the style sheet that become attributes, unless they have this value
const IN_PAGE = /^(class|style|role|tabindex|lang|title|aria-.*|data-.*)$/;

// A copy of a drawing whose attributes say what the page's style sheet says of it.
function plainDrawing(node) {
  const style = getComputedStyle(node);
  const isShown = style.display !== "none" && style.visibility !== "hidden" && !node.matches(".hit, .near, .area:not([width])");
  if (!isShown) return null;
  const copy = node.cloneNode(false);
  for (const { name } of [...copy.attributes]) if (IN_PAGE.test(name)) copy.removeAttribute(name);
  const isText = ["text", "tspan"].includes(node.localName);
  const isGroup = ["svg", "g"].includes(node.localName);
  for (const [name, usual] of node.localName === "title" ? [] : Object.entries(LOOK)) {
    const value = style.getPropertyValue(name);
    const isOwn = isGroup ? name === "opacity" : isText || !/^(font|unicode)/.test(name);
    if (isOwn && value && value !== usual) copy.setAttribute(name, isClear(value) ? "none" : value);
  }
  copy.append(...[...node.childNodes].map((child) => (child.nodeType === Node.TEXT_NODE ? child.cloneNode() : plainDrawing(child)))
    .filter(Boolean));
  return copy;
}

// A whole SVG file; its background is that of the page, whose colors may be dark.
function svgFile(title, width, height, viewBox, ...children) {
  const [left, top, w, h] = viewBox;
  const paper = make("svg:rect", { x: left, y: top, width: w, height: h, fill: getComputedStyle(document.body).backgroundColor });
  const file = make("svg:svg", { width: hundredths(width), height: hundredths(height), viewBox: viewBox.map(hundredths).join(" "),
    "font-family": getComputedStyle(document.body).fontFamily }, make("svg:title", {}, title), paper, children);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(file)}\n`;
}

export function svgOfDrawing(node) {
  const { width, height } = node.getBoundingClientRect();
  const box = node.viewBox.baseVal;
  return svgFile(node.getAttribute("aria-label"), width, height, [box.x, box.y, box.width, box.height], ...plainDrawing(node).childNodes);
}

// The text as much of which as fits the width.
function cut(text, width, available) {
  const characters = [...text];
  return width <= available + 1 ? text : `${characters.slice(0, Math.floor((characters.length * available) / width) - 1).join("")}…`;
}

// A table with drawings as one drawing: texts, lines and drawings where the page has them.
function svgOfTable(node) {
  const frame = node.getBoundingClientRect();
  const gaps = [...node.tHead.querySelectorAll(".scripted")].map((cell) => cell.getBoundingClientRect());
  const gap = gaps.reduce((sum, box) => sum + box.width, 0);
  const across = (x) => hundredths(x - frame.x - gaps.reduce((sum, box) => sum + (x >= box.right - 1 ? box.width : 0), 0));
  const down = (y) => hundredths(y - frame.y);
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const parts = [...node.rows].filter((row) => !row.closest("tfoot")).map((row) => {
    const isHead = Boolean(row.closest("thead"));
    const bottom = down(row.getBoundingClientRect().bottom);
    return make("svg:path", { d: `M0 ${bottom}H${hundredths(frame.width - gap)}`, stroke: color(isHead ? "--strong" : "--line") });
  });
  for (const cell of node.querySelectorAll("th, td")) {
    if (cell.matches(".scripted") || !cell.getClientRects().length) continue;
    const box = cell.getBoundingClientRect();
    const drawing = cell.querySelector("svg");
    if (drawing) {
      const place = drawing.getBoundingClientRect();
      const copy = plainDrawing(drawing);
      const attributes = { x: across(place.x), y: down(place.y), width: hundredths(place.width), height: hundredths(place.height), overflow: "visible" };
      for (const [name, value] of Object.entries(attributes)) copy.setAttribute(name, value);
      parts.push(copy);
      continue;
    }
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      if (!text.textContent.trim() || text.parentElement.closest(".unseen")) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const place = range.getBoundingClientRect();
      const style = getComputedStyle(text.parentElement);
      parts.push(make("svg:text", { x: across(place.x), y: down(place.y + place.height * 0.78), "font-size": style.fontSize, "font-weight": style.fontWeight,
        fill: text.parentElement.closest("button") ? color("--ink") : style.color }, cut(text.textContent.trim(), place.width, box.right - place.x)));
    }
    const bracket = cell.matches(".group") && cell.firstElementChild.getBoundingClientRect();
    if (bracket) parts.push(make("svg:path", { fill: "none", stroke: color("--strong"), "stroke-width": "1.5",
      d: `M${across(bracket.right)} ${down(bracket.y)}H${across(bracket.x)}V${down(bracket.bottom)}H${across(bracket.right)}` }));
  }
  const [width, height] = [frame.width - gap, frame.height];
  return svgFile(node.caption.textContent, width + 16, height + 16, [-8, -8, width + 16, height + 16], parts);
}

// ---- menus --------------------------------------------------------------------------------------

function saveButton(text, name) {
  return make("button", { type: "button", class: "copy", onclick: () => {
    const link = make("a", { href: URL.createObjectURL(new Blob([text()], { type: "image/svg+xml" })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  } }, say("Save SVG"));
}

// A button that opens a row of others; Esc closes it.
export const copyMenu = (subject, ...items) => copyMenuOf("Copy", subject, ...items);
export function copyMenuOf(label, subject, ...items) {
  const summary = make("summary", { "aria-label": `${say(label)}: ${subject}` }, say(label));
  return make("details", { class: "take", onkeydown: (event) => {
    if (event.key !== "Escape" || !event.currentTarget.open) return;
    event.preventDefault(); // or the segment would be closed, too
    event.stopPropagation();
    event.currentTarget.open = false;
    summary.focus();
  } }, summary, make("div", { role: "group", "aria-label": subject }, items));
}

export const tableButtons = (read) => Object.entries(TABLE_FORMATS).map(([name, written]) => copyButton(() => written(read()), name));
export const svgButtons = (text, name) => [copyButton(text, "SVG"), saveButton(text, `${name}.svg`)];
export const tableMenu = (node) => copyMenu(node.caption.textContent, tableButtons(() => readTable(node)));
export const chartMenu = (node, name) => copyMenu(node.caption.textContent, tableButtons(() => readTable(node)), svgButtons(() => svgOfTable(node), name));
export const drawingMenu = (subject, node, name) => copyMenu(subject, svgButtons(() => svgOfDrawing(node), name));

export function placeSignatureButtons() {
  for (const code of document.querySelectorAll(".signature > code"))
    code.after(" ", copyButton(() => code.textContent, "Copy", { "aria-label": say("Copy the signature") }));
}

// The menus of the tables that a page has without its script, also after it has changed its language.
export function placeTableMenus() {
  for (const node of document.querySelectorAll("main .take, .signature > .copy")) node.remove();
  for (const node of document.querySelectorAll("main .scroll > table:not(.concordance)")) node.parentElement.after(tableMenu(node));
  placeSignatureButtons();
}
