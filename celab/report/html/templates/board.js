// The table of systems and the matrix of p-values as controls: names, boxes, bars and cells.

import { countText, data, isolated, make, phrase, roving, say } from "./dom.js";
import { saying } from "./saying.js";
import { NONE, change } from "./state.js";
import { listChosen } from "./chips.js";
import { leadTo } from "./parts.js";

function comparePair(a, b) {
  change({ a, b, box: "", sort: "worst", order: "ascending" }, true);
  leadTo(document.getElementById("pair-heading"));
}

function listLowest(system) {
  listChosen({ a: system, b: NONE, bucket: "", box: "", min: "", max: "", sort: "worst", order: "ascending" });
}

// The systems whose boxes are ticked; a third one replaces the first.
let picked = [];
function pick(box, system) {
  picked = box.checked ? [...picked, system].slice(-2) : picked.filter((other) => other !== system);
  showPicked();
  if (box.checked && picked.length === 2) comparePair(...picked);
}

function showPicked() {
  for (const box of document.querySelectorAll(".board input")) {
    const at = picked.indexOf(Number(box.value));
    box.checked = at >= 0;
    box.nextElementSibling.textContent = at < 0 ? "" : "AB"[at];
  }
}

for (const row of document.querySelectorAll(".board tbody tr")) {
  const system = Number(row.dataset.system);
  const name = row.querySelector(".name");
  name.replaceChildren(make("button", { type: "button", class: "plain", ...saying(["title"], "Lowest segments of {0}", data.systems[system]),
    onclick: () => listLowest(system) }, ...name.childNodes));
  row.querySelector("td.scripted")?.append(make("label", {}, make("input", {
    type: "checkbox", value: system, ...saying(["aria-label"], "Compare {0}", data.systems[system]), onchange: (event) => pick(event.target, system),
  }), make("b", { "aria-hidden": "true" })));
  const histogram = row.querySelector(".histogram");
  histogram.addEventListener("mouseover", (event) => {
    const bar = event.target.closest("[data-low]");
    if (!bar) return;
    bar.querySelector("title")?.remove();
    const { low, high, count } = bar.dataset;
    bar.append(make("svg:title", {}, say("{0} to {1}: {2}", low, high, countText(Number(count), "segment"))));
  });
  histogram.addEventListener("click", (event) => {
    const bar = event.target.closest("[data-low]");
    if (bar) listChosen({ a: system, b: NONE, bucket: "", box: "", min: bar.dataset.low, max: bar.dataset.high });
  });
}

for (const matrix of document.querySelectorAll(".matrix")) {
  roving(matrix, "td button");
  // Half of the matrix is there, so up and down go to the cell of the same column, if it has one.
  matrix.addEventListener("keydown", (event) => {
    const rows = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const cell = event.target.closest("td");
    const next = rows && cell && matrix.tBodies[0].rows[cell.parentElement.sectionRowIndex + rows]?.cells[cell.cellIndex]?.querySelector("button");
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  matrix.addEventListener("mouseover", (event) => {
    const cell = event.target.closest("[data-a]");
    if (cell) cell.title = cell.querySelector(".unseen").textContent;
  });
  matrix.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-a]");
    if (cell) comparePair(Number(cell.dataset.a), Number(cell.dataset.b));
  });
}

// The hidden texts of the matrix.
export function sayMatrix() {
  for (const cell of document.querySelectorAll(".matrix [data-a]")) {
    const names = [cell.dataset.a, cell.dataset.b].map((system) => isolated(data.systems[system]));
    cell.querySelector(".unseen").replaceChildren(...phrase(data.metrics[cell.closest(".of-metric").dataset.metric].higher ? "{0} scores higher than {1}: p {2}" : "{0} scores lower than {1}: p {2}", ...names, cell.dataset.p));
  }
}

// Links of sentences about two systems.
for (const link of document.querySelectorAll("a[data-pair]"))
  link.addEventListener("click", (event) => {
    event.preventDefault();
    comparePair(...link.dataset.pair.split(",").map(Number));
  });

// What a heading means stands below its sign.
for (const legend of document.querySelectorAll(".legend-of"))
  legend.addEventListener("beforetoggle", () => {
    const sign = document.querySelector(`[popovertarget="${legend.id}"]`).getBoundingClientRect();
    legend.style.top = `${sign.bottom + 4}px`;
    legend.style.left = `${Math.max(8, Math.min(sign.left - 16, innerWidth - 336))}px`;
  });
