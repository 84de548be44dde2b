// The metric whose figures are shown; each page says which one that is.

let shown = () => null;
const metric = () => shown();
function showMetric(choose) {
  shown = choose;
}
