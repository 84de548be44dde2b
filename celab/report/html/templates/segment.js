// One segment: where the score of one output comes from, and the outputs of all systems. It stands
// beside the list on wide screens, and over the page on narrow ones.

const dialog = document.getElementById("segment");
const reader = document.getElementById("reader");
const wide = matchMedia("(min-width: 1100px)");

// The references, then the outputs, the best first.
function outputs() {
  const { digits, name, higher } = metric();
  const { segment } = state;
  const nameOf = (i) => (data.refs.length > 1 ? isolated(data.references[i]) : say("Reference"));
  const text = (words) => make("td", { lang: data.lang, dir: "auto", class: "output" }, marked(words || say("(empty)"), state.search));
  const refs = data.refs.map((side, i) => make("tr", { class: "reference" },
    make("th", { scope: "row" }, nameOf(i)), make("td", {}), text(side[segment])));
  const ranked = data.systems.map((_, i) => i).sort((x, y) => (score(y, segment) - score(x, segment)) * (higher ? 1 : -1) || x - y);
  const rows = ranked.map((i) => make("tr", { class: i === state.system ? "chosen" : null },
    make("th", { scope: "row" }, make("button", {
      type: "button", "aria-pressed": String(i === state.system), "data-system": i,
      onclick: () => change({ system: i }),
    }, isolated(data.systems[i]))),
    make("td", { class: "number" }, bar(score(i, segment)), format(score(i, segment), digits)),
    text(data.hyps[i][segment])));
  return table(["System", `#${name}`, "Output"], [...refs, ...rows], { class: "outputs" }, say("Outputs by score"));
}

// What explains the output outside this report.
function explainCommand() {
  const text = commandText();
  if (text === null) return make("p", { class: "notice" }, phrase(
    "{0}’s output is not explained in this report. In Python, {1} explains it.",
    isolated(data.systems[state.system]), make("code", {}, "metric.explain(hypothesis, reference)")));
  return make("div", { class: "notice" },
    make("p", {}, phrase("{0}’s output is not explained in this report. This command explains it:", isolated(data.systems[state.system]))),
    make("div", { class: "code" }, make("pre", { tabindex: "0" }, text), copyButton(() => text)));
}

function explanation() {
  const { name } = metric();
  const notice = (text) => ({ first: [make("p", { class: "notice" }, text)], folded: [] });
  if (metric().explained === null) return notice(say("{0} has no links to explain.", name));
  if (!isExplained(state.system, state.segment)) return { first: [explainCommand()], folded: [] };
  if (!isLoaded(state.segment)) return { first: [make("p", { class: "notice reading" }, say("Reading the explanation …"))], folded: [] };
  const explained = explainedOf(state.system, state.segment);
  if (!explained) return notice(say("This browser cannot read the explanations of this report: it has no DecompressionStream."));
  data.labels = blocks.get(blockId(state.segment)).labels;
  const views = explained.against.map((pair) => viewOf(pair));
  const several = explained.against.length > 1 || data.references.length > 1;
  const heading = (i) => (several ? [make("h4", {}, phrase("Against {0}", isolated(data.references[explained.against[i].ref])))] : []);
  return {
    first: [...views.flatMap(({ first }, i) => [...heading(i), ...first]), ...(combinedScore(explained) ?? [])],
    folded: views.flatMap(({ folded }, i) => [...heading(i), ...folded]),
  };
}

function topBar() {
  const button = (step, text, label, act, disabled) => make("button", {
    type: "button", "data-step": step, "aria-label": label, title: label, onclick: act, disabled,
  }, text);
  return make("div", { class: "bar" },
    make("h2", { id: "segment-heading" }, say("Segment {0}", state.segment + 1), " ",
      make("small", {}, isolated(title(state.segment)))),
    segmentMenu(),
    button("previous", "‹", say("Previous in the list (k)"), () => open(active - 1), active <= 0),
    button("next", "›", say("Next in the list (j)"), () => open(active + 1), active >= listed.length - 1),
    button("close", "×", say("Close (Esc)"), closeSegment));
}

// Selector of the focused button, so that the button that replaces it gets the focus again.
function focusedButton() {
  const { step, system } = (dialog.contains(document.activeElement) && document.activeElement.dataset) || {};
  if (system !== undefined) return `[data-system="${state.system}"]`;
  return step === undefined ? null : `[data-step="${step}"]:not(:disabled)`;
}

function content() {
  const value = format(score(state.system, state.segment), metric().digits);
  const heading = make("h3", {}, isolated(data.systems[state.system]), `${say(": ")}${metric().name} ${value}`);
  const source = data.source && make("p", { class: "source", dir: "auto" }, make("small", {}, say("Source")), " ",
    make("bdi", {}, marked(data.source[state.segment], state.search)));
  const versus = state.a >= 0 && state.b >= 0 && state.a !== state.b ? stackedPair(state.a, state.b) : [];
  const { first, folded } = explanation();
  return make("div", { class: "inner", tabindex: "0", role: "group", "aria-labelledby": "segment-heading" },
    source, versus, heading, first, outputs(), folded);
}

function show() {
  for (const node of drawn.values()) {
    const row = listed[Number(node.dataset.place)];
    node.classList.toggle("chosen", segmentOf(row) === state.segment && systemOf(row) === state.system);
  }
  if (state.segment === null) return hide();
  if (!isLoaded(state.segment)) {
    const shown = [state.metric, state.segment, state.system];
    load(state.segment).then(() => `${shown}` === `${[state.metric, state.segment, state.system]}` && show());
  }
  const place = listed.indexOf(state.segment * data.systems.length + state.system);
  if (place >= 0 && place !== active) activate(place, false);
  const selector = focusedButton();
  const before = dialog.querySelector(".inner");
  const top = before?.dataset.segment === String(state.segment) ? before.scrollTop : 0; // of another system
  const inner = content();
  inner.dataset.segment = state.segment;
  dialog.replaceChildren(topBar(), inner);
  if (top) inner.scrollTop = top;
  const opening = !dialog.open;
  if (opening) reveal();
  const focused = selector && dialog.querySelector(selector);
  if (focused || (opening && !wide.matches)) (focused || dialog.querySelector("[data-step=close]")).focus({ preventScroll: true });
}

// Beside the list, which keeps the focus; or over the page.
function reveal() {
  if (!wide.matches) return dialog.showModal();
  dialog.setAttribute("open", "");
  reader.classList.add("open");
  redraw();
  activate(active, viewport.contains(document.activeElement));
  reader.scrollIntoView();
}

function hide() {
  if (!dialog.open) return;
  reader.classList.remove("open");
  dialog.close();
  redraw();
}

function closeSegment() {
  change({ segment: null, system: null });
  activate(active);
}

const focusSegment = () => dialog.querySelector(".inner").focus();

dialog.addEventListener("close", () => {
  if (state.segment !== null && !dialog.open) closeSegment(); // by Esc
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog && dialog.matches(":modal")) closeSegment();
});
document.addEventListener("keydown", (event) => {
  const isTyped = event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea");
  if (state.segment === null || isTyped) return;
  const step = { j: "next", k: "previous" }[event.key];
  if (step) dialog.querySelector(`[data-step="${step}"]`).click();
  else if (event.key === "Escape" && !dialog.matches(":modal")) closeSegment();
});
wide.addEventListener("change", () => {
  if (!dialog.open) return;
  reader.classList.remove("open");
  dialog.close();
  redraw();
  show();
});
