// One segment: its texts, every system's output, and where the score of one of them comes from.

const dialog = document.getElementById("segment");

function textRow(name, text, lang) {
  return [make("dt", {}, isolated(name)), make("dd", { lang, dir: "auto" }, text === "" ? "(empty)" : text)];
}

function outputs() {
  const { digits, name } = metric();
  const rows = data.systems.map((system, i) => make("tr", { class: i === state.system ? "chosen" : null },
    make("th", { scope: "row" }, make("button", {
      type: "button", "aria-pressed": String(i === state.system), "data-system": i,
      onclick: () => change({ system: i }),
    }, isolated(system))),
    make("td", { class: "number" }, format(score(i, state.segment), digits)),
    make("td", { lang: data.lang, dir: "auto", class: "output" }, data.hyps[i][state.segment] || "(empty)")));
  return table(["System", `#${name}`, "Output"], rows, { class: "outputs" }, "Outputs of all systems");
}

// A mean has a view for each part, whose settings are its own.
function viewOf(pair, settings = metric().settings) {
  if (!pair.parts) return pair.words ? wordsView(pair, settings) : celabView(pair, settings);
  const parts = pair.parts.flatMap((part, i) => [
    make("h4", {}, `Part ${i + 1} of ${pair.parts.length}`),
    make("p", { class: "note signature" }, metric().parts[i].signature),
    ...viewOf(part, metric().parts[i].settings),
  ]);
  const scores = pair.parts.map((part) => figure(part.values[0]));
  return [...parts, make("h4", {}, `Mean of ${scores.length} parts`),
    make("div", { class: "equations" }, equation("score", fraction(scores.join(" + "), scores.length),
      make("b", {}, figure(pair.values[0]))))];
}

function explanation() {
  const { name } = metric();
  const notice = (text) => [make("p", { class: "notice" }, text)];
  if (metric().explained === null) return notice(`${name} has no links to explain.`);
  const explained = explainedOf(state.system, state.segment);
  if (!explained)
    return notice([isolated(data.systems[state.system]),
      `’s output is not explained in this report; run celab explain ${state.segment + 1} to see it.`]);
  const views = explained.against.flatMap((pair) => [
    explained.against.length > 1 || data.references.length > 1
      ? make("h4", {}, "Against ", isolated(data.references[pair.ref])) : null,
    ...viewOf(pair),
  ]);
  return [...views, ...(combinedScore(explained) ?? [])];
}

function topBar() {
  const button = (step, text, label, act, disabled) => make("button", {
    type: "button", "data-step": step, "aria-label": label, title: label, onclick: act, disabled,
  }, text);
  return make("div", { class: "bar" },
    make("h2", { id: "segment-heading" }, `Segment ${state.segment + 1} `,
      make("small", {}, isolated(title(state.segment)))),
    button("previous", "‹", "Previous in the list (k)", () => open(active - 1), active <= 0),
    button("next", "›", "Next in the list (j)", () => open(active + 1), active >= listed.length - 1),
    button("close", "×", "Close (Esc)", () => dialog.close()));
}

function texts() {
  const { segment } = state;
  const source = data.source && textRow("Source", data.source[segment]);
  const name = (i) => (data.refs.length > 1 ? data.references[i] : "Reference");
  return make("dl", { class: "texts" }, source,
    data.refs.map((side, i) => textRow(name(i), side[segment], data.lang)));
}

// Selector of the focused button, so that the button that replaces it gets the focus again.
function focusedButton() {
  const { step, system } = (dialog.contains(document.activeElement) && document.activeElement.dataset) || {};
  if (system !== undefined) return `[data-system="${state.system}"]`;
  return step === undefined ? null : `[data-step="${step}"]:not(:disabled)`;
}

function show() {
  if (state.segment === null) {
    if (dialog.open) dialog.close();
    return;
  }
  const place = listed.indexOf(state.segment * data.systems.length + state.system);
  if (place >= 0 && place !== active) activate(place, false);
  const selector = focusedButton();
  const value = format(score(state.system, state.segment), metric().digits);
  const heading = make("h3", {}, isolated(data.systems[state.system]), `: ${metric().name} ${value}`);
  const versus = state.a >= 0 && state.b >= 0 && state.a !== state.b ? stackedPair(state.a, state.b) : [];
  const inner = make("div", { class: "inner", tabindex: "0", role: "group", "aria-labelledby": "segment-heading" },
    texts(), versus, outputs(), heading, explanation());
  dialog.replaceChildren(topBar(), inner);
  if (!dialog.open) dialog.showModal();
  const focused = selector && dialog.querySelector(selector);
  (focused || dialog.querySelector("[data-step=close]")).focus();
}

dialog.addEventListener("close", () => {
  if (state.segment === null) return;
  change({ segment: null, system: null });
  activate(active);
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});
dialog.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const step = { j: "next", k: "previous" }[event.key];
  if (step) dialog.querySelector(`[data-step="${step}"]`).click();
});
