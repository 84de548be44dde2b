// Work that can wait until what was drawn before it is on the screen.

const whenIdle = "requestIdleCallback" in globalThis ? (act) => requestIdleCallback(act, { timeout: 200 }) : (act) => setTimeout(act);

// A place for such work: what is planned replaces what was planned before and has not begun. Paper does not wait.
export function planner() {
  let planned = null; // a new object for each plan
  const perform = (plan) => {
    if (plan === null || plan !== planned) return;
    planned = null;
    plan.act();
  };
  addEventListener("beforeprint", () => perform(planned));
  return (act) => {
    const plan = { act };
    planned = plan;
    requestAnimationFrame(() => whenIdle(() => perform(plan)));
  };
}
