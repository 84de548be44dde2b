// Reviews of outputs: severity, category, note and star. Those of a file (--reviews) are in the page; what
// is changed is kept in this browser, by a digest of the texts, and can be saved as TSV and JSON.

import { data, make, say } from "./dom.js";
import { filtered, segmentOf, systemOf } from "./filters.js";
import { LINE_END } from "./copying.js";

export const SEVERITIES = ["neutral", "minor", "major", "critical"];
// The list of Google's MQM (Freitag et al. 2021).
const MQM = [
  "Accuracy/Addition", "Accuracy/Mistranslation", "Accuracy/Omission", "Accuracy/Untranslated text",
  "Fluency/Character encoding", "Fluency/Grammar", "Fluency/Inconsistency", "Fluency/Punctuation", "Fluency/Register", "Fluency/Spelling",
  "Locale convention/Address format", "Locale convention/Currency format", "Locale convention/Date format",
  "Locale convention/Name format", "Locale convention/Telephone format", "Locale convention/Time format",
  "Style/Awkward", "Terminology/Inappropriate for context", "Terminology/Inconsistent use",
  "Non-translation", "Source error", "Other",
];
export const REVIEW_FILTERS = ["reviewed", "starred", "not reviewed"];
export const REVIEWS = `celab-reviews-${data.digest}`;
const NO_REVIEW = { severity: "", category: "", note: "", star: false };

export const rowOf = (segment, system) => segment * data.systems.length + system;
const filedReviews = new Map((data.reviews ?? []).map(([system, segment, review]) => [rowOf(segment, system), review]));
const filedCategories = data.categories ?? MQM;
let ownReviews = new Map(); // those that differ from the file's; an empty one hides the file's
export let categories = filedCategories;
export let isStoring = true; // whether this browser keeps reviews

export const reviewOf = (row) => ownReviews.get(row) ?? filedReviews.get(row) ?? NO_REVIEW;
const isReviewed = ({ severity, category, note, star }) => Boolean(severity || category || note || star);
const isSameReview = (x, y) => Object.keys(NO_REVIEW).every((key) => x[key] === y[key]);

// What is stored may come from anywhere; whatever is not a review is left out.
function storedReview(value) {
  const { severity, category, note, star } = value ?? {};
  const isValid = [category, note].every((text) => typeof text === "string") && typeof star === "boolean" && ["", ...SEVERITIES].includes(severity);
  return isValid ? { severity, category, note, star } : null;
}

export function loadReviews() {
  try {
    const stored = JSON.parse(localStorage.getItem(REVIEWS) ?? "{}");
    const rows = Object.entries(stored.reviews ?? {}).map(([row, value]) => [Number(row), storedReview(value)]);
    ownReviews = new Map(rows.filter(([row, review]) => review && Number.isInteger(row) && row >= 0 && row < data.segments.length * data.systems.length));
    categories = Array.isArray(stored.categories) ? stored.categories.filter((name) => typeof name === "string") : filedCategories;
  } catch (error) {
    if (!(error instanceof SyntaxError)) isStoring = false;
  }
}

function storeReviews() {
  const isOwnList = categories.join("\n") !== filedCategories.join("\n");
  try {
    if (!ownReviews.size && !isOwnList) localStorage.removeItem(REVIEWS);
    else localStorage.setItem(REVIEWS, JSON.stringify({ reviews: Object.fromEntries(ownReviews), ...(isOwnList ? { categories } : {}) }));
    isStoring = true;
  } catch { // refused, or full
    isStoring = false;
  }
}

export function setReview(row, changes) {
  const review = { ...reviewOf(row), ...changes };
  if (isSameReview(review, filedReviews.get(row) ?? NO_REVIEW)) ownReviews.delete(row);
  else ownReviews.set(row, review);
  filtered.clear(); // results of filters
  storeReviews();
}

export function setCategories(names) {
  const list = [...new Set(names.map((name) => name.trim()).filter(Boolean))];
  categories = list.length ? list : filedCategories;
  storeReviews();
}

// Back to the reviews of the file.
export function discardReviews() {
  ownReviews.clear();
  categories = filedCategories;
  filtered.clear();
  storeReviews();
}

export const reviewedRows = () => [...new Set([...filedReviews.keys(), ...ownReviews.keys()])]
  .filter((row) => isReviewed(reviewOf(row))).sort((x, y) => x - y);

export function passesReview(name, row) {
  const review = reviewOf(row);
  return name === "starred" ? review.star : isReviewed(review) === (name === "reviewed");
}

// Star and severity of an output, for the list; its title has the rest.
export function reviewMarks(row) {
  const { star, severity, category, note } = reviewOf(row);
  const said = [star ? "★" : "", severity ? say(severity) : category || note ? "✎" : ""].join(" ").trim();
  const more = [category, note].filter(Boolean).join(": ");
  return said ? make("small", { class: "reviewed", "data-severity": severity || null, title: more || null }, said) : null;
}

// ---- files --------------------------------------------------------------------------------------

const REVIEW_COLUMNS = ["system", "segment", "severity", "category", "star", "note", "output"];

const reviewRecords = () => reviewedRows().map((row) => {
  const { severity, category, star, note } = reviewOf(row);
  const [system, segment] = [systemOf(row), segmentOf(row)];
  return { system: data.systems[system], segment: data.names?.[segment] ?? segment + 1, severity, category, star, note, output: data.hyps[system][segment] };
});

export const REVIEW_FILES = {
  tsv: () => [REVIEW_COLUMNS, ...reviewRecords().map((record) => REVIEW_COLUMNS.map((name) => (name === "star" ? String(Number(record.star)) : String(record[name]))))]
    .map((cells) => `${cells.map((cell) => cell.replace(new RegExp(`\\t|${LINE_END}`, "g"), " ")).join("\t")}\n`).join(""),
  json: () => `${JSON.stringify({ format: "celab-reviews", version: 1, categories, reviews: reviewRecords() }, null, 1)}\n`,
};

loadReviews();
