// Format numbers with the same rounding as the reports.

export const decimal = (value, digits = 4) => {
  if (value === null || value === undefined) return "undefined";
  const shown = Number(value).toFixed(digits);
  return Number(shown) === 0 ? shown.replace("-", "") : shown;
};
export const interval = (ends) => (ends ? `${decimal(ends[0])} to ${decimal(ends[1])}` : "undefined");
export const percent = (share) => `${(100 * share).toFixed(1)}%`;
/** Return the ratio of a value to its maximum in percent; the result is "-" for a negative value, which is not a share. */
export const shareReached = (value, ratio) => (ratio === null || ratio === undefined ? "undefined" : value < 0 ? "-" : percent(ratio));
export const pvalue = (p) => (p === null || p === undefined ? "undefined" : p < 0.0001 ? "< 0.0001" : p.toFixed(4));
/** Return a p-value that is only known to be at most p, because no random table was as extreme: one digit, rounded up. */
export const pvalueAtMost = (p) => {
  const first = -Math.floor(Math.log10(p));
  const digit = Math.ceil(Number((p * 10 ** first).toFixed(9)));
  const place = digit === 10 ? first - 1 : first;
  return `<= ${(digit / 10 ** first).toFixed(place)}`;
};
export const count = (n) => (typeof n === "number" ? n.toLocaleString("en-US")
  : String(n).replace(/\B(?=(\d{3})+$)/g, ","));
export const plural = (n, noun) => `${count(n)} ${noun}${Number(n) === 1 ? "" : "s"}`;
/** Return the number of tables that attain the maximum, or a lower bound. */
export const howMany = (n, atLeast) => (n !== null && n !== undefined ? count(n)
  : atLeast !== null && atLeast !== undefined ? `at least ${count(atLeast)}` : "not known");
/** Return the p-value of a result, and the number of tables that attain its maximum. */
export const chanceOf = ({ pending, test, pvalue: p }) => (pending ? "…" : !test ? "not computed" : test.at_most ? pvalueAtMost(p)
  : test.method === "importance-sampling" && p < 0.0001 ? p.toExponential(1) : pvalue(p));
export const tables = (result) => (result.pending ? "…" : howMany(result.n_maximizers, result.n_maximizers_at_least));
/** Return a weighting as captions name it: "unweighted" or "linear weights". */
export const weightingName = (name) => (name === "unweighted" ? name : `${name} weights`);
export const raterName = (name) => (/^\d+$/.test(name) ? `rater ${name}` : name);
