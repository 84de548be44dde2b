// Columns of the table of systems: those without room are hidden, in a fixed order, and a reader can choose.

import { make, say } from "./dom.js";
import { showEdges } from "./controls.js";

// Which go first; what is not named stays: name, score and interval.
const LEAVING = ["rates", "segments", "pair", "metric", "without", "length", "judge", "rank"];
const chosenColumns = new Map(); // by name: whether the reader wants the column

const nameOfColumn = (node) => node.dataset.column;
// The columns of a table from the first to leave to the last; of several of a kind the last goes first.
function leavingColumns(board) {
  const names = [...new Set([...board.querySelectorAll("thead [data-column]")].map(nameOfColumn))];
  const place = (name) => LEAVING.indexOf(name.replace(/-\d+$/, ""));
  return names.map((name, i) => [name, i]).sort(([x, i], [y, j]) => place(x) - place(y) || j - i).map(([name]) => name);
}

function showColumn(board, name, isShown) {
  for (const cell of board.querySelectorAll(`[data-column="${name}"]`)) cell.hidden = !isShown;
}

function fitColumns(board) {
  const room = board.parentElement;
  if (!room.clientWidth) return; // of another metric
  const names = leavingColumns(board);
  for (const name of names) showColumn(board, name, chosenColumns.get(name) ?? true);
  for (const name of names.filter((each) => !chosenColumns.has(each))) {
    if (room.scrollWidth <= room.clientWidth) break;
    showColumn(board, name, false);
  }
  for (const box of board.closest("section").querySelectorAll(".columns input"))
    box.checked = !board.querySelector(`thead [data-column="${box.value}"]`).hidden;
}

const fitAll = () => document.querySelectorAll("table.board").forEach(fitColumns);

// The choice of columns, below each table.
export function placeColumns() {
  for (const node of document.querySelectorAll("details.columns")) node.remove();
  for (const board of document.querySelectorAll("table.board")) {
    const names = leavingColumns(board);
    const heading = (name) => board.querySelector(`thead [data-column="${name}"]`);
    const box = (name) => make("label", {}, make("input", { type: "checkbox", value: name, onchange: (event) => {
      chosenColumns.set(name, event.target.checked);
      fitAll();
      showEdges();
    } }), " ", heading(name).textContent.trim());
    board.parentElement.after(make("details", { class: "columns" }, make("summary", {}, say("Columns")),
      make("div", { role: "group", "aria-label": say("Columns") }, names.toReversed().map(box))));
  }
  fitAll();
}
addEventListener("resize", fitAll);
addEventListener("beforeprint", fitAll);
