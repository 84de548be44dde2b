// Reviews of each system, and the MQM points that they add up to.

import { POINTS } from "./constants.js";
import { format, grouped } from "./figures.js";
import { data, isolated, make, say, table } from "./dom.js";
import { initial, state } from "./state.js";
import { SEVERITIES, reviewOf, reviewedRows } from "./reviews.js";
import { systemOf } from "./filters.js";
import { listChosen } from "./chips.js";
import { tableMenu } from "./copying.js";

// POINTS, by severity and of two categories, come from celab/evaluation/judges/annotations.py.
function pointsOf({ severity, category }) {
  const name = category.toLowerCase();
  if (name.startsWith("non-translation")) return POINTS["non-translation"];
  return severity === "minor" && name === "fluency/punctuation" ? POINTS.punctuation : POINTS[severity] ?? 0;
}

// Systems with their reviews, those with the fewest points first. A star or a note alone is no judgment.
function reviewedSystems() {
  const judged = reviewedRows().filter((row) => reviewOf(row).severity || reviewOf(row).category);
  return data.systems.map((_, system) => {
    const reviews = judged.filter((row) => systemOf(row) === system).map(reviewOf);
    return { system, reviews, mean: reviews.reduce((sum, review) => sum + pointsOf(review), 0) / reviews.length };
  }).filter(({ reviews }) => reviews.length).sort((x, y) => x.mean - y.mean);
}

export function showReviewTable() {
  const place = document.getElementById("review-table");
  const severities = SEVERITIES.toReversed();
  const rows = reviewedSystems().map(({ system, reviews, mean }) => [
    make("button", { type: "button", class: "plain", onclick: () => listChosen({ ...initial(), language: state.language, metric: state.metric, a: data.systems.length > 1 ? system : 0, review: "reviewed" }) },
      isolated(data.systems[system])),
    grouped(reviews.length), ...severities.map((name) => grouped(reviews.filter(({ severity }) => severity === name).length)), format(mean, 2)]);
  if (!rows.length) return place.replaceChildren();
  const view = table(["System", "#Reviewed", ...severities.map((name) => `#${name}`), "#MQM"], rows, {}, say("Your reviews by system"));
  place.replaceChildren(view, tableMenu(view.querySelector("table")),
    make("p", { class: "note" }, say("MQM: points per reviewed output, lower is better: minor 1, major and critical 5, punctuation 0.1, non-translation 25.")));
}
