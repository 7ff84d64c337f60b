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
export const count = (n) => (typeof n === "number" ? n.toLocaleString("en-US")
  : String(n).replace(/\B(?=(\d{3})+$)/g, ","));
export const plural = (n, noun) => `${count(n)} ${noun}${Number(n) === 1 ? "" : "s"}`;
/** Return the number of tables that attain the maximum, or a lower bound. */
export const howMany = (n, atLeast) => (n !== null && n !== undefined ? count(n)
  : atLeast !== null && atLeast !== undefined ? `at least ${count(atLeast)}` : "not known");
/** Return the p-value of a result, and the number of tables that attain its maximum. */
export const chanceOf = ({ pending, test, pvalue: p }) => (pending ? "…" : test ? pvalue(p) : "not computed");
export const tables = (result) => (result.pending ? "…" : howMany(result.n_maximizers, result.n_maximizers_at_least));
/** Return a weighting as captions name it: "unweighted" or "linear weights". */
export const weightingName = (name) => (name === "unweighted" ? name : `${name} weights`);
export const raterName = (name) => (/^\d+$/.test(name) ? `rater ${name}` : name);
