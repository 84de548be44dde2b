// The pages of `celab check` and `celab terms`: what follows a change.

import { data } from "./dom.js";
import { sayPage, switches } from "./saying.js";
import { change, followUrl, fragment, listeners, state } from "./state.js";
import { showConcordance } from "./terms.js";
import { showChips } from "./chips.js";
import { facetLabels, fillFacets } from "./facets.js";
import { forgetMore, showList } from "./unscored-list.js";
import { showListing } from "./report-view.js";
import { placeTableMenus } from "./copying.js";
import { begin, filters, showTyped } from "./controls.js";

let before = "";
listeners.push((changes) => {
  if (sayPage(state.language)) placeTableMenus();
  const now = fragment();
  if (now !== before) forgetMore();
  before = now;
  showConcordance();
  if (!filters.elements) return;
  fillFacets();
  showTyped("search");
  showChips();
  showList();
  if (changes.segment !== undefined && changes.segment !== null) showListing();
});

addEventListener("hashchange", followUrl);
for (const button of switches) button.addEventListener("click", () => change({ ...state, language: button.dataset.language }));

if (filters.elements) {
  filters.querySelector(".search").before(...facetLabels());
  filters.a.closest("label").hidden = data.systems.length < 2;
}
begin();
placeTableMenus();
followUrl();
