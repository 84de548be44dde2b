// The parts of the evidence are closed: whatever leads into one opens it.

const allParts = () => [...document.querySelectorAll("details.part")];

export function uncover(node) {
  for (let part = node?.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
}

// Opens the part with this title, and goes there.
export function leadTo(title) {
  if (!title) return;
  uncover(title);
  title.scrollIntoView();
  title.focus({ preventScroll: true });
}

// What was closed had no size: the list and the tables are fitted again.
document.addEventListener("toggle", ({ target }) => {
  if (target.open && target.matches("details.part")) dispatchEvent(new Event("resize"));
}, { capture: true });

// All parts are printed.
let closedParts = [];
addEventListener("beforeprint", () => {
  closedParts = allParts().filter((part) => !part.open);
  for (const part of closedParts) part.open = true;
});
addEventListener("afterprint", () => {
  for (const part of closedParts) part.open = false;
});
