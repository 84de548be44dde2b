// Figures → text, as `celab.tables.cells` writes them on a page; tests/unit/tables/test_cells.py compares the two.

// A tie is rounded to the even digit, as in Python; `toFixed` alone would round it up.
function fixed(value, digits) {
  const rounded = value.toFixed(digits);
  if (!value.toFixed(digits + 1).endsWith("5")) return rounded;
  const exact = value.toFixed(100);
  const end = exact.indexOf(".") + 1 + digits;
  const below = digits ? exact.slice(0, end) : exact.slice(0, end - 1);
  return /^50*$/.test(exact.slice(end)) && "02468".includes(below.at(-1)) ? below : rounded;
}
const unsigned = (value, digits) => (Number.isNaN(value) ? "–" : fixed(Math.abs(value), digits));
export const format = (value, digits) => (value < 0 ? "−" : "") + unsigned(value, digits);
export const signed = (value, digits) => (value < 0 ? "−" : value >= 0 ? "+" : "") + unsigned(value, digits);
const counts = new Intl.NumberFormat("en");
export const grouped = (count) => counts.format(count);
// Formats a number with at most four decimals, without trailing zeros.
export const brief = (value) => String(Math.round(value * 1e4) / 1e4);
