// Show the results for the chosen weights in numbers, sentences, tables and figures.

import { byId, figure, fill, h, textTable } from "../dom.js";
import { chanceOf, count, decimal, interval, plural, raterName, shareReached, tables, weightingName } from "../format.js";

const MOST_PATTERNS = 20, MOST_LISTED_RATERS = 30;
const DRAWN = ["pictures", "margins-body"], BY_CHANCE = ["maximizers", "chance"];

/** Return the result for one weighting, with the test against chance; `pending` is true until the test is known. */
export const resultOf = (answer) => ({ ...answer.results[0], ...answer.chance?.results[0],
  pending: !answer.chance && !answer.failed && answer.results[0].value !== null });

/** Draw the numbers for one weighting; figures of the previous table are faded until they are replaced. */
export function drawNumbers(answer) {
  const result = resultOf(answer);
  drawHeadline(result, answer.data);
  for (const id of [...answer.pictures ? [] : DRAWN, ...result.pending ? BY_CHANCE : []]) byId(id).inert = true;
  byId("announce").textContent = result.value === null ? `Kappa is undefined because ${result.reason}.`
    : `${result.title}, ${result.weights}: ${decimal(result.value)}; maximum ${decimal(result.maximum)}.`;
}

/** Show a hint if there is no table. */
export function drawNothing() {
  fill(byId("headline"), h("p", { class: "faint" }, "Enter or paste a table, choose an example, or open a file to see the results here."));
  for (const id of ["comparison", ...DRAWN, ...BY_CHANCE]) renew(id);
  byId("margins").hidden = true;
}

/** Show the status of the results in a line above them. */
export function say(words) {
  byId("results-state").textContent = words;
  byId("results").setAttribute("aria-busy", String(words.startsWith("Computing…")));
}

function drawHeadline(result, data) {
  const title = result.title ?? "Kappa";
  const parts = [h("p", { class: "faint small" }, `${plural(data.n_subjects, "subject")}${data.n_clusters ? ` in ${plural(data.n_clusters, "cluster")}` : ""}, ${data.n_raters} raters, ${data.n_categories} categories`
    + (data.n_missing ? `, ${plural(data.n_missing, "rating")} missing` : ""))];
  if (result.value === null) {
    fill(byId("headline"), parts, h("div", { class: "big" }, h("strong", { id: "kappa" }, "undefined")),
      result.sentences.map((words) => h("p", { class: "lead" }, words)));
    return;
  }
  parts.push(h("div", { class: "big" }, h("strong", { id: "kappa" }, decimal(result.value)), h("span", {}, `${title}, ${result.weights}`)));
  const most = result.maximum !== null && result.maximum !== undefined;
  if (most) parts.push(track(result));
  const proof = (proven, bound, sign) => (proven ? "proven" : `not proven; ${sign} ${decimal(bound)}`);
  const facts = [
    ["ci", `${Math.round(100 * (result.level ?? 0.95))}% confidence interval`, result.ci ? interval(result.ci) : "undefined", null],
    most && ["maximum", "Maximum", decimal(result.maximum), proof(result.proven, result.bound, "at most")],
    most && ["minimum", "Minimum", known(result.minimum), proof(result.minimum_proven, result.minimum_bound, "at least")],
    most && ["ratio", "Reached", shareReached(result.value, result.ratio), result.ratio_reason ?? (result.value < 0 ? "a negative value is not a share of the maximum" : "of the maximum")],
    most && ["tables", "Tables that attain the maximum", tables(result), null],
    ["pvalue", "P-value", chanceOf(result), testNote(result)],
  ].filter(Boolean);
  parts.push(h("dl", { class: "facts" }, facts.map(([id, name, value, note]) => h("div", {}, h("dt", {}, name),
    h("dd", { id }, value, note ? h("small", {}, note) : null)))));
  const [first, second, ...rest] = result.sentences;
  parts.push(h("p", { class: "lead", id: "sentence" }, [first, second].filter(Boolean).join(" ")));
  if (rest.length) parts.push(h("ul", {}, rest.map((words) => h("li", {}, words))));
  fill(byId("headline"), parts);
}

/** Return how the p-value was computed. */
const testNote = ({ test, pending }) => (pending ? "computing…" : !test ? null : test.n_draws ? test.at_most ? `none of ${count(test.n_draws)} draws is as extreme` : `estimated from ${count(test.n_draws)} random tables` : "exact, conditional on the margins");

/** Return a number, or words if the search ended before it found one. */
const known = (value) => (value === null ? "not found" : decimal(value));

/** Return a line that shows the minimum, the observed value with its interval, and the maximum. */
function track(result) {
  const least = result.minimum ?? result.minimum_bound, low = Math.min(-1, least), high = 1;
  const across = (value) => `${(100 * (Math.min(high, Math.max(low, value)) - low)) / (high - low)}%`;
  const place = (name, from, to) => {
    const mark = h("div", { class: name });
    mark.style.setProperty("left", across(from));
    if (to !== undefined) mark.style.setProperty("width", `calc(${across(to)} - ${across(from)})`);
    return mark;
  };
  return h("div", { class: "track", "aria-hidden": "true" }, h("div", { class: "rail" }), place("zero", 0),
    place("span", least, result.maximum), result.ci ? place("ci", result.ci[0], result.ci[1]) : null,
    result.minimum === null ? null : place("end", result.minimum), place("end", result.maximum), place("dot", result.value));
}

/** Draw the tables, the pairs of raters and the margins. */
export function drawPictures(answer) {
  const result = answer.results[0], { observed_table: observed, pairs, margins } = answer.report;
  const drawn = Object.values(answer.pictures.by_weights)[0] ?? {};
  const parts = [];
  if (drawn.observed && drawn.maximum) {
    parts.push(h("h3", {}, "Observed table and table with the largest agreement"),
      h("div", { class: "side", id: "heat-maps" },
        figure(drawn.observed, `Observed table: ${decimal(result.value)}`, crossTable("Counts of the observed table", observed)),
        figure(drawn.maximum, `Largest agreement: ${decimal(result.maximum)}; framed cells differ from the observed table`, crossTable("Counts of the table with the largest agreement", result.table))));
  } else if (observed) {
    parts.push(h("h3", {}, "Observed patterns and patterns of the largest agreement"), h("div", { class: "side", id: "patterns-maximum" },
      patternTable("Observed patterns", observed),
      result.table ? patternTable(`Patterns of the largest agreement: ${decimal(result.maximum)}`, result.table)
        : h("p", {}, result.maximum_reason ?? "")));
  }
  if (pairs) parts.push(h("h3", {}, "Pairs of raters"), h("div", { id: "pairs" },
    figure(answer.pictures.pairs, `Kappa for each pair of raters, ${weightingName(pairs.weights ?? result.weights)}`, pairTable(pairs))));
  renew("pictures", parts);
  byId("margins").hidden = false;
  renew("margins-body", figure(answer.pictures.margins, null, marginTable(margins, answer.data.categories)));
}

/** Draw the distribution under chance. */
export function drawChance(answer) {
  const result = resultOf(answer), { picture } = result;
  renew("chance", picture ? [h("h3", {}, "Distribution under chance"), h("div", { id: "null" },
    figure(picture, "Probability of each value if the raters rated independently with these margins", textTable("Marked values",
      ["mark", "value"], [["observed", decimal(result.value)], ["maximum", decimal(result.maximum)], ["minimum", known(result.minimum)],
        ["p-value", chanceOf(result)]])))] : []);
  byId("maximizers").inert = false;
}

function renew(id, parts = []) {
  fill(byId(id), parts);
  byId(id).inert = false;
}

/** Return the patterns of two raters as a square table. */
function crossTable(caption, table) {
  const cells = new Map(table.patterns.map((pattern, i) => [JSON.stringify(pattern), table.counts[i]]));
  return textTable(caption, [table.raters.map(raterName).join(" \\ "), ...table.categories.map(String)],
    table.categories.map((row) => [String(row), ...table.categories.map((column) => count(cells.get(JSON.stringify([row, column])) ?? 0))]));
}

function patternTable(caption, table) {
  const order = table.counts.map((_, i) => i).sort((a, b) => table.counts[b] - table.counts[a]);
  const hidden = order.length - MOST_PATTERNS;
  return textTable(hidden > 0 ? `${caption}; ${plural(hidden, "less frequent pattern")} not shown` : caption, [...table.raters, "subjects"], order.slice(0, MOST_PATTERNS)
    .map((i) => [...table.patterns[i].map((label) => (label === null ? "-" : String(label))), count(table.counts[i])]));
}

/** Return one row per pair of raters with its interval; for many raters, one row per rater with the kappas of its pairs. */
function pairTable(pairs) {
  const { raters, values, ci, n_subjects: subjects } = pairs, caption = "Kappa for each pair of raters";
  if (raters.length > MOST_LISTED_RATERS) return textTable(caption, ["rater", ...raters],
    raters.map((name, a) => [name, ...values[a].map((value, b) => (a === b ? "" : decimal(value)))]));
  return textTable(caption, ["raters", "kappa", `${Number((100 * pairs.level).toPrecision(6))}% interval`, "subjects"],
    raters.flatMap((first, a) => raters.slice(a + 1).map((second, i) => [`${raterName(first)} and ${raterName(second)}`,
      decimal(values[a][a + 1 + i]), interval(ci[a][a + 1 + i]), count(subjects[a][a + 1 + i])])));
}

function marginTable(margins, categories) {
  const raters = Object.keys(margins);
  return textTable("Number of ratings by category and rater", ["category", ...raters.map(raterName)],
    categories.map((label, i) => [String(label), ...raters.map((name) => count(margins[name][i]))]));
}
