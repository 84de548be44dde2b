// Where reviews are written: a bar below the open segment, keys, and the menu that saves them.

import { grouped } from "./figures.js";
import { data, isolated, make, phrase, say, table } from "./dom.js";
import { state } from "./state.js";
import {
  REVIEWS, REVIEW_FILES, REVIEW_FILTERS, categories, discardReviews, isStoring, loadReviews, passesReview,
  reviewOf, reviewedRows, rowOf, setCategories, setReview,
} from "./reviews.js";
import { filtered, rowsOf } from "./filters.js";
import { redraw } from "./rows.js";
import { showReviewTable } from "./review-table.js";
import { dialog, focusSegment } from "./segment.js";
import { filters } from "./main.js";

const REVIEW_KEYS = { 0: "neutral", 1: "minor", 2: "major", 3: "critical" };
export const openRow = () => rowOf(state.segment, state.system);

// The bar of the open output; `data-review` names its controls, so that they keep the focus.
export function reviewBar() {
  const review = reviewOf(openRow());
  const press = (name, isOn, text, label, act) => make("button", {
    type: "button", "data-review": name, "aria-pressed": String(isOn), title: label, "aria-label": text === label ? null : label, onclick: act }, text);
  const severities = Object.entries(REVIEW_KEYS).map(([key, name]) =>
    press(name, review.severity === name, say(name), say("{0} ({1})", say(name), key), () => toggleSeverity(name)));
  const write = (name) => ({ oninput: (event) => { setReview(openRow(), { [name]: event.target.value }); showReviewCounts(); }, onchange: showReviewMarks });
  const isTouched = matchMedia("(hover: none) and (pointer: coarse)").matches; // without keys to name
  const category = make("input", { "data-review": "category", list: "categories", "aria-label": say("Category (c)"), placeholder: isTouched ? say("Category") : say("Category (c)"), autocomplete: "off", ...write("category") });
  const note = make("textarea", { "data-review": "note", rows: 1, dir: "auto", "aria-label": say("Note (n)"), placeholder: isTouched ? say("Note") : say("Note (n)"), ...write("note") });
  [category.value, note.value] = [review.category, review.note];
  return make("div", { class: "review", role: "group", "aria-label": say("Review of {0}", data.systems[state.system]) },
    make("span", { class: "of" }, phrase("Review of {0}", isolated(data.systems[state.system]))),
    make("span", { class: "severities" }, press("star", review.star, review.star ? "★" : "☆", say("Star (s)"), toggleStar), severities),
    category, make("datalist", { id: "categories" }, categories.map((name) => make("option", { value: name, label: say(name) === name ? null : say(name) }))),
    note, isStoring ? null : make("p", { class: "notice" }, say("This browser does not keep reviews. Save them before you leave this page.")));
}

// The bar is drawn again with what has the focus; texts are as they were typed.
function showReview() {
  const before = dialog.querySelector(".review");
  if (!before || state.segment === null) return;
  const focused = before.contains(document.activeElement) ? document.activeElement.dataset.review : null;
  const after = reviewBar();
  before.replaceWith(after);
  if (focused) after.querySelector(`[data-review="${focused}"]`).focus({ preventScroll: true });
}

function showReviewMarks() {
  redraw();
  showReviewCounts();
}

function applyReview(changes) {
  setReview(openRow(), changes);
  showReview();
  showReviewMarks();
}
const toggleStar = () => applyReview({ star: !reviewOf(openRow()).star });
const toggleSeverity = (name) => applyReview({ severity: reviewOf(openRow()).severity === name ? "" : name });

// What was begun becomes the category that begins so, in either language.
function completeCategory(field) {
  const typed = field.value.trim().toLowerCase();
  const name = typed && categories.find((category) => [category, say(category)].some((text) => text.toLowerCase().startsWith(typed)));
  if (!name || name === field.value) return;
  field.value = name;
  setReview(openRow(), { category: name });
  showReviewMarks();
}

document.addEventListener("keydown", (event) => {
  if (state.segment === null || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = event.target.closest?.("input, select, textarea");
  if (field) {
    // From the fields of the bar, Esc and Enter lead back to the segment; a note may have lines.
    const isDone = event.key === "Escape" || (event.key === "Enter" && !event.shiftKey && !event.isComposing);
    if (!field.matches(".review [data-review]") || !isDone) return;
    event.preventDefault(); // or Esc would close the segment
    event.stopPropagation();
    if (event.key === "Enter" && field.dataset.review === "category") completeCategory(field);
    field.blur();
    return focusSegment();
  }
  if (event.key in REVIEW_KEYS) toggleSeverity(REVIEW_KEYS[event.key]);
  else if (event.key === "s") toggleStar();
  else if (event.key === "c" || event.key === "n") dialog.querySelector(`[data-review="${event.key === "c" ? "category" : "note"}"]`).focus();
  else return;
  event.preventDefault();
}, { capture: true });

// ---- filter and menu ----------------------------------------------------------------------------

// The choices of the filter with how many outputs the other filters leave of each.
export function fillReviews() {
  const rows = rowsOf(["review"]);
  const options = REVIEW_FILTERS.map((name) => [name, `${say(name)} (${grouped(rows.filter((row) => passesReview(name, row)).length)})`]);
  filters.review.replaceChildren(...[["", say("all outputs")], ...options].map(([value, text]) => make("option", { value }, text)));
  filters.review.value = state.review;
}

function saveFile(name, text, type) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function showReviewCounts() {
  fillReviews();
  const menu = document.getElementById("reviews");
  menu.querySelector("summary").textContent = say("Reviews ({0})", grouped(reviewedRows().length));
  showReviewTable();
}

export function placeReviews() {
  const list = make("textarea", { rows: 8, "aria-label": say("Categories, one per line"), onchange: (event) => {
    setCategories(event.target.value.split("\n"));
    event.target.value = categories.join("\n");
    showReview();
  } });
  list.value = categories.join("\n");
  const button = (text, act) => make("button", { type: "button", onclick: act }, say(text));
  const discard = () => {
    if (!confirm(say("Remove all reviews that are kept in this browser for these texts?"))) return;
    discardReviews();
    placeReviews();
    showReview();
    showReviewMarks();
  };
  const menu = document.getElementById("reviews");
  const isOpen = menu.open;
  menu.replaceChildren(make("summary", {}), make("div", { class: "menu" }, make("div", { id: "review-table" }),
    make("p", {}, button("Save TSV", () => saveFile("reviews.tsv", REVIEW_FILES.tsv(), "text/tab-separated-values")), " ",
      button("Save JSON", () => saveFile("reviews.json", REVIEW_FILES.json(), "application/json")), " ",
      button("Remove all", discard)),
    make("p", { class: "note" }, say("Kept in this browser only. A new report of the same outputs shows saved reviews with --reviews FILE.")),
    make("label", {}, make("span", {}, say("Categories, one per line")), list)));
  menu.open = isOpen;
  showReviewCounts();
}

// Reviews of a file whose outputs are not those of the report; they are never shown with other texts.
export function placeStale() {
  const stale = data.stale_reviews ?? [];
  const node = document.getElementById("stale-reviews");
  node.hidden = !stale.length;
  if (!stale.length) return;
  const rows = stale.map(({ where, system, segment, severity, category, star, note, output }) =>
    [where, isolated(system), String(segment), [star ? "★" : "", severity ? say(severity) : "", category].filter(Boolean).join(" "), isolated(note), isolated(output)]);
  const isOpen = node.open;
  node.replaceChildren(make("summary", {}, say("Reviews of other texts ({0}): not shown with the outputs", grouped(stale.length))),
    table(["Place", "System", "#Segment", "Review", "Note", "Reviewed output"], rows, { class: "stale" }, say("Reviews in {0} whose output this report does not have", data.reviews_file)));
  node.open = isOpen;
}

addEventListener("storage", (event) => { // another tab has changed them
  if (event.key !== REVIEWS && event.key !== null) return;
  loadReviews();
  filtered.clear();
  placeReviews();
  showReview();
  showReviewMarks();
});
