// Drawings of tokens as SVG that stands alone: positions, fonts and colors are those on the page.

import { make } from "./dom.js";

const DASHES = { dashed: "4 3", dotted: "1.5 2.5" };

// A line under or above a token; two lines if it is double.
function ruleOf(style, side, left, right, y) {
  const width = parseFloat(style.getPropertyValue(`border-${side}-width`));
  const kind = style.getPropertyValue(`border-${side}-style`);
  const stroke = style.getPropertyValue(`border-${side}-color`);
  if (!width || kind === "none" || isClear(stroke)) return [];
  const line = (at, thickness) => make("svg:line", {
    x1: hundredths(left), x2: hundredths(right), y1: hundredths(at), y2: hundredths(at), stroke,
    "stroke-width": hundredths(thickness), "stroke-dasharray": DASHES[kind] });
  return kind === "double" ? [line(y - width / 3, width / 3), line(y + width / 3, width / 3)] : [line(y, width)];
}

export const hundredths = (value) => Math.round(value * 100) / 100;
export const isClear = (color) => /^(transparent|rgba\(.*, 0\))$/.test(color);

// Box, text and lines of an element, whose place is given relative to `origin`.
function shapesOf(node, origin) {
  const style = getComputedStyle(node);
  if (style.display === "none") return [];
  // Text that is broken has a box on each line.
  const boxes = style.display === "inline" ? [...node.getClientRects()] : [node.getBoundingClientRect()];
  const parts = boxes.flatMap((box) => frameOf(box, style, origin));
  for (const child of node.childNodes) {
    if (child.nodeType === Node.ELEMENT_NODE) parts.push(...shapesOf(child, origin));
    else if (child.textContent.trim()) parts.push(...linesOf(child, style, origin));
  }
  return parts;
}

// Background, frame and lines of a box.
function frameOf(box, style, origin) {
  const [x, y] = [box.left - origin.left, box.top - origin.top];
  const parts = [];
  const frame = /^(rgba?\([^)]+\)).* ([1-9]\S*)px( inset)?$/.exec(style.boxShadow); // color, …, width
  const rule = /^(rgba?\([^)]+\)) 0px -(\S+)px 0px 0px inset$/.exec(style.boxShadow); // along the lower edge
  const [stroke, width, inset] = frame ? [frame[1], Number(frame[2]), frame[3] ? 1 : -1] : [null, 0, 0];
  if (!isClear(style.backgroundColor) || stroke) parts.push(make("svg:rect", {
    x: hundredths(x + (inset * width) / 2), y: hundredths(y + (inset * width) / 2),
    width: hundredths(box.width - inset * width), height: hundredths(box.height - inset * width), rx: 3,
    fill: isClear(style.backgroundColor) ? "none" : style.backgroundColor, stroke, "stroke-width": stroke ? width : null }));
  if (rule) parts.push(make("svg:line", { x1: hundredths(x), x2: hundredths(x + box.width), y1: hundredths(y + box.height - rule[2] / 2),
    y2: hundredths(y + box.height - rule[2] / 2), stroke: rule[1], "stroke-width": Number(rule[2]) }));
  parts.push(...ruleOf(style, "bottom", x, x + box.width, y + box.height - parseFloat(style.borderBottomWidth) / 2));
  parts.push(...ruleOf(style, "top", x, x + box.width, y + parseFloat(style.borderTopWidth) / 2));
  return parts;
}

// The text of a node, line by line as it is broken on the page.
function linesOf(text, style, origin) {
  const lines = [];
  const range = document.createRange();
  let at = 0;
  for (const char of text.textContent) {
    range.setStart(text, at);
    range.setEnd(text, (at += char.length));
    const box = range.getBoundingClientRect();
    const line = lines[lines.length - 1];
    if (line && Math.abs(line.box.top - box.top) < 2) {
      line.text += char;
      line.right = Math.max(line.right, box.right);
      line.left = Math.min(line.left, box.left);
    } else lines.push({ text: char, box, left: box.left, right: box.right });
  }
  const size = parseFloat(style.fontSize);
  return lines.map((line) => make("svg:text", {
    x: hundredths((line.left + line.right) / 2 - origin.left), y: hundredths(line.box.top - origin.top + line.box.height / 2 + size * 0.35),
    "text-anchor": "middle", "font-family": style.fontFamily, "font-size": size, fill: style.color,
    "font-weight": style.fontWeight === "400" ? null : style.fontWeight, "font-style": style.fontStyle === "normal" ? null : style.fontStyle }, line.text));
}

// The elements one below the other, as wide as their tokens, as the text of an SVG file.
export function standaloneSvg(elements, title) {
  const gap = 12;
  let [height, width] = [gap, 0];
  const parts = elements.flatMap((element) => {
    const { left, top, height: high } = element.getBoundingClientRect();
    const shapes = shapesOf(element, { left: left - gap, top: top - height });
    const rights = [...element.querySelectorAll(".token, .text-line")].map((node) => node.getBoundingClientRect().right - left + 2 * gap);
    height += high + gap;
    width = Math.max(width, ...rights);
    return shapes;
  });
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  for (const line of parts.filter((part) => Number(part.getAttribute("x2")) > size.width - gap)) line.setAttribute("x2", size.width - gap);
  const drawing = make("svg:svg", { ...size, viewBox: `0 0 ${size.width} ${size.height}`, role: "img" },
    make("svg:title", {}, title), make("svg:rect", { ...size, fill: getComputedStyle(document.body).backgroundColor }), parts);
  return `${new XMLSerializer().serializeToString(drawing)}\n`;
}
