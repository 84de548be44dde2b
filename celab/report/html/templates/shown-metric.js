// The metric whose figures are shown; each page says which one that is.

let shown = () => null;
export const metric = () => shown();
export function showMetric(choose) {
  shown = choose;
}
