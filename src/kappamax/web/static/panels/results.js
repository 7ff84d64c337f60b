// Show the results for the chosen weights: numbers, words, tables and pictures.

import { byId, figure, fill, h, textTable } from "../dom.js";
import { chanceOf, count, decimal, interval, percent, plural, pvalue, raterName, tables } from "../format.js";

const MOST_PATTERNS = 20;
const DRAWN = ["pictures", "margins-body"], BY_CHANCE = ["maximizers", "chance"];

/** One weighting's result, with what chance would give once that is known; until then it is pending. */
export const resultOf = (answer) => ({ ...answer.results[0], ...answer.chance?.results[0],
  pending: !answer.chance && !answer.failed && answer.results[0].value !== null });

/** The numbers of one weighting; pictures of an older table fade until there are new ones. */
export function drawNumbers(answer) {
  const result = resultOf(answer);
  drawHeadline(result, answer.data);
  for (const id of [...answer.pictures ? [] : DRAWN, ...result.pending ? BY_CHANCE : []]) byId(id).inert = true;
  byId("announce").textContent = result.value === null ? `Kappa is undefined: ${result.reason}`
    : `${result.title}, ${result.weights}: ${decimal(result.value)}; largest ${decimal(result.maximum)}.`;
}

/** Before there is a table. */
export function drawNothing() {
  fill(byId("headline"), h("p", { class: "faint" }, "Type or paste a table, choose an example, or drop a file: the results appear here."));
  for (const id of ["comparison", ...DRAWN, ...BY_CHANCE]) renew(id);
  byId("margins").hidden = true;
}

/** A line above the results: that they are being renewed, or are of an older table. */
export function say(words) {
  byId("results-state").textContent = words;
  byId("results").setAttribute("aria-busy", String(words.startsWith("Computing…")));
}

function drawHeadline(result, data) {
  const title = result.title ?? "Kappa";
  const parts = [h("p", { class: "faint small" }, `${plural(data.n_subjects, "subject")}, ${data.n_raters} raters, ${data.n_categories} categories`
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
    ["ci", `${Math.round(100 * (result.level ?? 0.95))}% interval`, result.ci ? interval(result.ci) : "undefined", null],
    most && ["maximum", "Maximum", decimal(result.maximum), proof(result.proven, result.bound, "at most")],
    most && ["minimum", "Minimum", decimal(result.minimum), proof(result.minimum_proven, result.minimum_bound, "at least")],
    most && ["ratio", "Reached", result.ratio === null ? "undefined" : percent(result.ratio), result.ratio_reason ?? "of the maximum"],
    most && ["tables", "Tables at the maximum", tables(result), null],
    ["pvalue", "P-value", chanceOf(result), testNote(result)],
  ].filter(Boolean);
  parts.push(h("dl", { class: "facts" }, facts.map(([id, name, value, note]) => h("div", {}, h("dt", {}, name),
    h("dd", { id }, value, note ? h("small", {}, note) : null)))));
  const [first, second, ...rest] = result.sentences;
  parts.push(h("p", { class: "lead", id: "sentence" }, [first, second].filter(Boolean).join(" ")));
  if (rest.length) parts.push(h("ul", {}, rest.map((words) => h("li", {}, words))));
  fill(byId("headline"), parts);
}

/** How the p-value came about; while one types, few tables are drawn. */
const testNote = ({ test, pending }) => (pending ? "on its way" : !test ? null : test.n_draws ? `from ${count(test.n_draws)} random tables; a saved report works longer` : "exact, given the margins");

/** Smallest, observed with its interval, and largest on one line; the numbers stand below. */
function track(result) {
  const low = Math.min(-1, result.minimum), high = 1;
  const across = (value) => `${(100 * (Math.min(high, Math.max(low, value)) - low)) / (high - low)}%`;
  const place = (name, from, to) => {
    const mark = h("div", { class: name });
    mark.style.setProperty("left", across(from));
    if (to !== undefined) mark.style.setProperty("width", `calc(${across(to)} - ${across(from)})`);
    return mark;
  };
  return h("div", { class: "track", "aria-hidden": "true" }, h("div", { class: "rail" }), place("zero", 0),
    place("span", result.minimum, result.maximum), result.ci ? place("ci", result.ci[0], result.ci[1]) : null,
    place("end", result.minimum), place("end", result.maximum), place("dot", result.value));
}

/** The tables, the pairs of raters and the margins. */
export function drawPictures(answer) {
  const result = answer.results[0], { observed_table: observed, pairs, margins } = answer.report;
  const drawn = Object.values(answer.pictures.by_weights)[0] ?? {};
  const parts = [];
  if (drawn.observed && drawn.maximum) {
    parts.push(h("h3", {}, "Observed, and the largest agreement the margins allow"),
      h("div", { class: "side", id: "heat-maps" },
        figure(drawn.observed, `Observed: ${decimal(result.value)}`, crossTable("Observed", observed)),
        figure(drawn.maximum, `Largest: ${decimal(result.maximum)}; framed cells differ`, crossTable("Largest", result.table))));
  } else if (observed) {
    parts.push(h("h3", {}, "Patterns: observed, and at the maximum"), h("div", { class: "side", id: "patterns-maximum" },
      patternTable("Observed patterns", observed),
      result.table ? patternTable(`Patterns at the maximum, ${decimal(result.maximum)}`, result.table)
        : h("p", {}, result.maximum_reason ?? "")));
  }
  if (pairs) parts.push(h("h3", {}, "Every two raters"), h("div", { id: "pairs" },
    figure(answer.pictures.pairs, `Kappa of every two raters, ${pairs.weights ?? result.weights}`, pairTable(pairs))));
  renew("pictures", parts);
  byId("margins").hidden = false;
  renew("margins-body", figure(answer.pictures.margins, null, marginTable(margins, answer.data.categories)));
}

/** What chance would give. */
export function drawChance(answer) {
  const result = resultOf(answer), { picture } = result;
  renew("chance", picture ? [h("h3", {}, "Every value that chance could give"), h("div", { id: "null" },
    figure(picture, "Probability of each value for raters who rate independently with these margins", textTable("The marked values",
      ["mark", "value"], [["observed", decimal(result.value)], ["largest", decimal(result.maximum)], ["smallest", decimal(result.minimum)],
        ["p-value", pvalue(result.pvalue)]])))] : []);
  byId("maximizers").inert = false;
}

function renew(id, parts = []) {
  fill(byId(id), parts);
  byId(id).inert = false;
}

/** Two raters: patterns as a square. */
function crossTable(caption, table) {
  const cells = new Map(table.patterns.map((pattern, i) => [JSON.stringify(pattern), table.counts[i]]));
  return textTable(caption, [table.raters.map(raterName).join(" \\ "), ...table.categories.map(String)],
    table.categories.map((row) => [String(row), ...table.categories.map((column) => count(cells.get(JSON.stringify([row, column])) ?? 0))]));
}

function patternTable(caption, table) {
  const order = table.counts.map((_, i) => i).sort((a, b) => table.counts[b] - table.counts[a]);
  const hidden = order.length - MOST_PATTERNS;
  return textTable(hidden > 0 ? `${caption}; ${count(hidden)} more` : caption, [...table.raters, "subjects"], order.slice(0, MOST_PATTERNS)
    .map((i) => [...table.patterns[i].map((label) => (label === null ? "-" : String(label))), count(table.counts[i])]));
}

function pairTable(pairs) {
  return textTable("Kappa of every two raters", ["rater", ...pairs.raters],
    pairs.raters.map((name, a) => [name, ...pairs.values[a].map((value, b) => (a === b ? "" : decimal(value)))]));
}

function marginTable(margins, categories) {
  const raters = Object.keys(margins);
  return textTable("Ratings by category and rater", ["category", ...raters.map(raterName)],
    categories.map((label, i) => [String(label), ...raters.map((name) => count(margins[name][i]))]));
}
