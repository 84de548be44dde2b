// The controls, and the parts of the page to redraw when one of them changes.

const filters = document.getElementById("filters");
const buttons = [...document.querySelectorAll(".metrics button")];

function fill(select, names, first) {
  const options = [...first, ...names.map((name, i) => [i, name])];
  select?.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
}

function showControls() {
  const several = data.systems.length > 1;
  for (const name of ["a", "b", "document"]) if (filters[name]) filters[name].value = state[name];
  for (const name of ["min", "max", "least", "search"])
    if (filters[name].value !== state[name]) filters[name].value = state[name];
  filters.a.closest("label").hidden = filters.b.closest("label").hidden = !several;
  filters.querySelector(".difference").hidden = state.b === NONE;
  showChips();
  buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === state.metric)));
  for (const part of document.querySelectorAll(".of-metric"))
    part.hidden = Number(part.dataset.metric) !== state.metric;
}

function fillControls() {
  fill(filters.a, data.systems, data.systems.length > 1 ? [[EVERY, say("all systems")]] : []);
  fill(filters.b, data.systems, [[NONE, say("none")]]);
  fill(filters.document, data.documents, [[NONE, say("all documents")]]);
  for (const select of two ? [two.a, two.b] : []) fill(select, data.systems, []);
}

let waiting = 0;
filters.addEventListener("input", (event) => {
  const { name, value } = event.target;
  const number = ["a", "b", "document"].includes(name);
  clearTimeout(waiting);
  // Wait for the reader to stop typing before searching.
  waiting = setTimeout(() => change({ [name]: number ? Number(value) : value }), number ? 0 : 120);
});
filters.addEventListener("submit", (event) => event.preventDefault());
filters.addEventListener("reset", (event) => {
  event.preventDefault();
  clearTimeout(waiting);
  change({ ...initial(), language: state.language, metric: state.metric, by: state.by, segment: state.segment, system: state.system }, true);
});
buttons.forEach((button, i) => button.addEventListener("click", () => change({ metric: i }, true)));

listeners.push((changes) => {
  const inSegment = Object.keys(changes).every((key) => key === "segment" || key === "system");
  if ("language" in changes) {
    setLanguage(state.language);
    fillControls();
  }
  if (!inSegment) {
    if (state.b === NONE && ["other", "difference", "apart"].includes(state.sort)) state.sort = "segment";
    showControls();
    if (["language", "metric", "a", "b", "by", "box"].some((key) => key in changes)) compareTwo();
    list();
  }
  show();
});

// The view of the URL, after Back, Forward or an edit.
function followUrl() {
  const before = { ...state };
  readUrl();
  const changed = Object.keys(state).filter((key) => state[key] !== before[key]);
  if (!changed.length) return;
  for (const listener of listeners) listener(Object.fromEntries(changed.map((key) => [key, state[key]])));
  if (Number.isInteger(before.segment) && state.segment === null) activate(active);
}
addEventListener("hashchange", followUrl);

// Links of the contents only scroll, because the fragment of the URL holds the view.
for (const link of document.querySelectorAll(".contents a, .skip"))
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const target = document.getElementById(link.hash.slice(1).replace(/-0$/, `-${state.metric}`));
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  });

// Marks tables that can be scrolled further to the right, once the page has its layout.
let marking = 0;
function showEdges() {
  cancelAnimationFrame(marking);
  marking = requestAnimationFrame(() => {
    const nodes = [...document.querySelectorAll(".scroll")];
    const isMore = nodes.map((node) => node.scrollLeft + node.clientWidth < node.scrollWidth - 4);
    nodes.forEach((node, i) => node.classList.toggle("more", isMore[i]));
  });
}
document.addEventListener("scroll", showEdges, { capture: true, passive: true });
addEventListener("resize", showEdges);
listeners.push(showEdges);

document.documentElement.classList.add("has-script");
for (const part of document.querySelectorAll(".browser")) part.hidden = false;
placeMenus();
followUrl();
showEdges();
