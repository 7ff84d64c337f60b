// Keep the state of the page: the table, the weighting, a link to both and their copy in the browser.

export const FEWEST = 2, MOST = 12;
export const SCHEMES = ["unweighted", "linear", "quadratic", "sqrt", "ordinal", "ratio", "circular", "bipolar"];
export const COMPARED = ["unweighted", "linear", "quadratic", "sqrt"];
const KEY = "kappamax", LONGEST_LINK = 2000, LARGEST_STORED = 1_000_000;

export const blank = (k) => Array.from({ length: k }, () => Array(k).fill(""));
export const numbered = (k) => Array.from({ length: k }, (_, i) => String(i + 1));
export const distances = (k) => Array.from({ length: k }, (_, i) => Array.from({ length: k }, (_, j) => String(Math.abs(i - j))));

const listeners = [];
let state = initial();

export const current = () => state;
export const subscribe = (listener) => listeners.push(listener);

/** Change what is held, keep it for a reload, and tell everyone; `by` says who changed it. */
export function change(patch, by = null) {
  state = { ...state, ...patch };
  store();
  for (const listener of listeners) listener(state, by);
}

function initial() {
  return { kind: "square", cells: blank(3), categories: numbered(3), raters: ["1", "2"], ordered: true, patterns: null,
    chosen: "linear", custom: { by: "positions", positions: ["1", "2", "3"], scheme: "linear", matrix: distances(3) } };
}

/** The same table with another number of categories; what fits stays. */
export function resized(k) {
  const cells = blank(k).map((row, i) => row.map((_, j) => state.cells[i]?.[j] ?? ""));
  const categories = Array.from({ length: k }, (_, i) => state.categories[i] ?? fresh(state.categories, i));
  return { cells, categories };
}
const fresh = (taken, i) => (taken.includes(String(i + 1)) ? `category ${i + 1}` : String(i + 1));

/** A square table as it is typed, from one with numbers. */
export function typed(table) {
  return { kind: "square", patterns: null, cells: table.counts.map((row) => row.map(String)),
    categories: table.categories.map(String), raters: table.raters.map(String), ordered: table.ordered !== false };
}

/** The table for the server, or what is wrong with it and where. */
export function tableOf(held = state) {
  if (held.kind === "patterns") {
    const { patterns, counts, categories, raters, ordered } = held.patterns;
    return { table: { patterns, counts, categories, raters, ordered }, problems: [] };
  }
  const problems = [];
  held.cells.forEach((row, i) => row.forEach((text, j) => {
    if (text.trim() !== "" && !/^\d{1,12}$/.test(text.trim())) {
      problems.push({ cell: [i, j], message: `A count is a whole number, 0 or more; this is ${text.trim().slice(0, 20)}.` });
    }
  }));
  const names = held.categories.map((name) => name.trim());
  names.forEach((name, i) => {
    if (name === "") problems.push({ category: i, message: "A category needs a name." });
    else if (names.indexOf(name) < i) problems.push({ category: i, message: `${name} is there twice.` });
  });
  const raters = held.raters.map((name) => name.trim());
  if (raters[0] === raters[1]) problems.push({ rater: 1, message: "The raters need different names." });
  raters.forEach((name, i) => { if (name === "") problems.push({ rater: i, message: "A rater needs a name." }); });
  const counts = held.cells.map((row) => row.map((text) => Number(text.trim() || 0)));
  const empty = counts.flat().every((n) => n === 0);
  return { table: { counts, categories: labels(names), raters, ordered: held.ordered }, problems, empty };
}

/** Names that are all whole numbers are sent as numbers, as a file would have them. */
const labels = (names) => (names.every((name) => /^-?\d{1,9}$/.test(name)) ? names.map(Number) : names);

export const sizeOf = (held = state) => (held.kind === "patterns" ? held.patterns.categories.length : held.cells.length);
export const namesOf = (held = state) => (held.kind === "patterns" ? held.patterns.categories.map(String) : held.categories);
export const isOrdered = (held = state) => (held.kind === "patterns" ? held.patterns.ordered !== false : held.ordered);

/** The chosen weighting for the server, or the places that are no numbers. */
export function weightingOf(held = state) {
  if (held.chosen !== "custom") return { weighting: held.chosen, problems: [] };
  const { by, scheme } = held.custom;
  const problems = [];
  const numberAt = (text, place) => {
    const value = Number(text.trim().replace(",", "."));
    const wrong = text.trim() === "" || !Number.isFinite(value) || (by === "matrix" && value < 0);
    if (wrong) problems.push({ place, message: by === "matrix" ? "A weight is a number, 0 or more." : "A position is a number." });
    return value;
  };
  if (by === "positions") {
    return { weighting: { positions: held.custom.positions.map((text, i) => numberAt(text, [i])), scheme }, problems };
  }
  return { weighting: { matrix: held.custom.matrix.map((row, i) => row.map((text, j) => (i === j ? 0 : numberAt(text, [i, j])))),
    kind: "disagreement" }, problems };
}

/** Own weights for k categories; what was typed stays where it fits. */
export function customFor(k, custom = state.custom) {
  return { ...custom, positions: numbered(k).map((text, i) => custom.positions[i] ?? text),
    matrix: distances(k).map((row, i) => row.map((text, j) => custom.matrix[i]?.[j] ?? text)) };
}

/** An address that carries the table, or null if it is too large for one. */
export function linkOf(held = state) {
  if (held.kind !== "square") return null;
  const parts = new URLSearchParams({ table: held.cells.map((row) => row.map((text) => text.trim()).join(",")).join(";"),
    categories: JSON.stringify(held.categories), raters: JSON.stringify(held.raters), ordered: held.ordered ? "1" : "0",
    weights: held.chosen });
  if (held.chosen === "custom") parts.set("custom", JSON.stringify(held.custom));
  const link = `${location.origin}${location.pathname}#${parts}`;
  return link.length <= LONGEST_LINK ? link : null;
}

/** Begin with the table of the address, else with what was typed last; says which. */
export function restore() {
  const linked = fromLink(location.hash.slice(1));
  if (linked) {
    state = { ...state, ...linked };
    history.replaceState(null, "", location.pathname + location.search);
    store();
    return "link";
  }
  try {
    const kept = JSON.parse(localStorage.getItem(KEY));
    if (kept && sound(kept)) { state = { ...state, ...kept }; return "kept"; }
  } catch { /* what cannot be read is not kept */ }
  return null;
}

function fromLink(fragment) {
  const parts = new URLSearchParams(fragment);
  if (!parts.has("table")) return null;
  try {
    const cells = parts.get("table").split(";").map((row) => row.split(",").map((text) => text.slice(0, 12)));
    const k = cells.length;
    const categories = parts.has("categories") ? JSON.parse(parts.get("categories")) : numbered(k);
    const raters = parts.has("raters") ? JSON.parse(parts.get("raters")) : ["1", "2"];
    const chosen = parts.get("weights") ?? "linear";
    const custom = parts.has("custom") ? JSON.parse(parts.get("custom")) : customFor(k);
    const linked = { ...state, kind: "square", patterns: null, cells, categories, raters, ordered: parts.get("ordered") !== "0", chosen, custom };
    return sound(linked) ? linked : null;
  } catch { return null; }
}

/** Whether something read back has the shape that this page writes. */
function sound(held) {
  const texts = (list, n) => Array.isArray(list) && list.length === n && list.every((one) => typeof one === "string" && one.length <= 200);
  const k = held.cells?.length;
  const custom = held.custom;
  return Number.isInteger(k) && k >= FEWEST && k <= MOST && held.cells.every((row) => texts(row, k)) && texts(held.categories, k)
    && texts(held.raters, 2) && typeof held.ordered === "boolean" && (held.chosen === "custom" || SCHEMES.includes(held.chosen))
    && ["positions", "matrix"].includes(custom?.by) && ["undefined", "boolean"].includes(typeof custom.alike) && Array.isArray(custom.positions) && custom.positions.every((one) => typeof one === "string")
    && SCHEMES.includes(custom.scheme) && Array.isArray(custom.matrix) && custom.matrix.every((row) => texts(row, custom.matrix.length))
    && (held.kind === "square" || (held.kind === "patterns" && Array.isArray(held.patterns?.patterns) && Array.isArray(held.patterns.raters)));
}

function store() {
  const text = JSON.stringify(state);
  try {
    if (text.length <= LARGEST_STORED) localStorage.setItem(KEY, text);
    else localStorage.removeItem(KEY);
  } catch { /* a browser that keeps nothing still computes */ }
}
