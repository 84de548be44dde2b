// The controls, and what has to be drawn again when one of them is changed.

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
  buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === state.metric)));
  for (const part of document.querySelectorAll(".of-metric"))
    part.hidden = Number(part.dataset.metric) !== state.metric;
}

function startFromAddress() {
  fromAddress();
  showControls();
  list();
  if (state.segment !== null) {
    const row = state.segment * data.systems.length + state.system;
    active = Math.max(0, listed.indexOf(row));
    activate(active, false);
  }
  show();
}

fill(filters.a, data.systems, data.systems.length > 1 ? [[EVERY, "all systems"]] : []);
fill(filters.b, data.systems, [[NONE, "none"]]);
fill(filters.document, data.documents, [[NONE, "all documents"]]);

let waiting = 0;
filters.addEventListener("input", (event) => {
  const { name, value } = event.target;
  const number = ["a", "b", "document"].includes(name);
  clearTimeout(waiting);
  // A word is searched for when it has been typed, not letter by letter.
  waiting = setTimeout(() => change({ [name]: number ? Number(value) : value }), number ? 0 : 120);
});
filters.addEventListener("submit", (event) => event.preventDefault());
filters.addEventListener("reset", (event) => {
  event.preventDefault();
  clearTimeout(waiting);
  change({ ...initial(), metric: state.metric });
});
buttons.forEach((button, i) => button.addEventListener("click", () => change({ metric: i })));

listeners.push((changes) => {
  const inSegment = Object.keys(changes).every((key) => key === "segment" || key === "system");
  if (!inSegment) {
    if (state.b === NONE && (state.sort === "other" || state.sort === "difference")) state.sort = "segment";
    showControls();
    list();
  }
  show();
});
addEventListener("hashchange", startFromAddress);

for (const matrix of document.querySelectorAll(".matrix")) {
  const across = matrix.querySelectorAll("tbody tr").length;
  roving(matrix, "td", { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across });
}

document.querySelector(".browser").hidden = false;
startFromAddress();
