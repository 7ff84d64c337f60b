// Hold the state of the page (the table and the weighting), keep it in this tab for a reload and encode it in a link.

export const FEWEST = 2, MOST = 12;
export const SCHEMES = ["unweighted", "linear", "quadratic", "sqrt", "gwet-ordinal", "ratio", "circular", "bipolar"];
export const COMPARED = ["unweighted", "linear", "quadratic", "sqrt"];
const EDITED = "The table was changed on the page after it had been read.";
const KEY = "kappamax", LONGEST_LINK = 2000, LARGEST_STORED = 1_000_000;

export const blank = (k) => Array.from({ length: k }, () => Array(k).fill(""));
export const numbered = (k) => Array.from({ length: k }, (_, i) => String(i + 1));
export const distances = (k) => Array.from({ length: k }, (_, i) => Array.from({ length: k }, (_, j) => String(Math.abs(i - j))));

const listeners = [];
let state = initial();

export const current = () => state;
export const subscribe = (listener) => listeners.push(listener);

/** Change the state, store it for a reload, and notify all listeners; `by` names the source of the change. */
export function change(patch, by = null) {
  state = { ...state, ...edited(patch), ...patch };
  store();
  for (const listener of listeners) listener(state, by);
}

/** If a table that was read from a file is changed on the page, add a note that says so. */
function edited(patch) {
  const { reading } = state;
  const table = ["cells", "categories", "raters"].some((name) => name in patch);
  if (!table || !reading || "reading" in patch || reading.notes?.includes(EDITED)) return {};
  return { reading: { ...reading, notes: [...(reading.notes ?? []), EDITED] } };
}

function initial() {
  return { kind: "square", reading: null, cells: blank(3), categories: numbered(3), raters: ["1", "2"], ordered: true, patterns: null,
    chosen: "linear", custom: { by: "positions", positions: ["1", "2", "3"], scheme: "linear", matrix: distances(3) } };
}

/** Return the cells and categories of the table resized to k categories; entries that fit are kept. */
export function resized(k) {
  const cells = blank(k).map((row, i) => row.map((_, j) => state.cells[i]?.[j] ?? ""));
  const categories = Array.from({ length: k }, (_, i) => state.categories[i] ?? fresh(state.categories, i));
  return { cells, categories };
}
const fresh = (taken, i) => (taken.includes(String(i + 1)) ? `category ${i + 1}` : String(i + 1));

/** Return the state of a square table, with its counts as text. */
export function typed(table) {
  return { kind: "square", patterns: null, reading: table.reading ?? null, cells: table.counts.map((row) => row.map(String)),
    categories: table.categories.map(String), raters: table.raters.map(String), ordered: table.ordered !== false };
}

/** Return the table in the form of a request, with its problems and their places. */
export function tableOf(held = state) {
  if (held.kind === "patterns") {
    const { patterns, counts, categories, raters, ordered, reading, clusters, cluster_name } = held.patterns;
    return { table: { patterns, counts, categories, raters, ordered, ...(reading ? { reading } : {}), ...(clusters ? { clusters, cluster_name } : {}) }, problems: [] };
  }
  const problems = [];
  held.cells.forEach((row, i) => row.forEach((text, j) => {
    if (text.trim() !== "" && !/^\d{1,12}$/.test(text.trim())) {
      problems.push({ cell: [i, j], message: `Enter a whole number of at least 0 instead of ${text.trim().slice(0, 20)}.` });
    }
  }));
  const names = held.categories.map((name) => name.trim());
  names.forEach((name, i) => {
    if (name === "") problems.push({ category: i, message: "Enter a name for this category." });
    else if (names.indexOf(name) < i) problems.push({ category: i, message: `The name ${name} is used twice.` });
  });
  const raters = held.raters.map((name) => name.trim());
  if (raters[0] === raters[1]) problems.push({ rater: 1, message: "The raters must have different names." });
  raters.forEach((name, i) => { if (name === "") problems.push({ rater: i, message: "Enter a name for this rater." }); });
  const counts = held.cells.map((row) => row.map((text) => Number(text.trim() || 0)));
  const empty = counts.flat().every((n) => n === 0);
  const read = held.reading ? { reading: held.reading } : {};
  return { table: { counts, categories: labels(names), raters, ordered: held.ordered, ...read }, problems, empty };
}

/** If all names are whole numbers, they are sent as numbers, as they would be read from a file. */
const labels = (names) => (names.every((name) => /^-?\d{1,9}$/.test(name)) ? names.map(Number) : names);

export const sizeOf = (held = state) => (held.kind === "patterns" ? held.patterns.categories.length : held.cells.length);
export const namesOf = (held = state) => (held.kind === "patterns" ? held.patterns.categories.map(String) : held.categories);
export const isOrdered = (held = state) => (held.kind === "patterns" ? held.patterns.ordered !== false : held.ordered);

/** Return the chosen weighting in the form of a request, with the entries that are not numbers. */
export function weightingOf(held = state) {
  if (held.chosen !== "custom") return { weighting: held.chosen, problems: [] };
  const { by, scheme } = held.custom;
  const problems = [];
  const numberAt = (text, place) => {
    const value = Number(text.trim().replace(",", "."));
    const wrong = text.trim() === "" || !Number.isFinite(value) || (by === "matrix" && value < 0);
    if (wrong) problems.push({ place, message: by === "matrix" ? "Enter a number of at least 0." : "Enter a number." });
    return value;
  };
  if (by === "positions") {
    return { weighting: { positions: held.custom.positions.map((text, i) => numberAt(text, [i])), scheme }, problems };
  }
  return { weighting: { matrix: held.custom.matrix.map((row, i) => row.map((text, j) => (i === j ? 0 : numberAt(text, [i, j])))),
    kind: "disagreement" }, problems };
}

/** Return custom weights for k categories; entries that fit are kept. */
export function customFor(k, custom = state.custom) {
  return { ...custom, positions: numbered(k).map((text, i) => custom.positions[i] ?? text),
    matrix: distances(k).map((row, i) => row.map((text, j) => custom.matrix[i]?.[j] ?? text)) };
}

/** Return a link that contains the table, or null if the table is too large or comes from a file. */
export function linkOf(held = state) {
  if (held.kind !== "square") return null;
  const parts = new URLSearchParams({ table: held.cells.map((row) => row.map((text) => text.trim()).join(",")).join(";"),
    categories: JSON.stringify(held.categories), raters: JSON.stringify(held.raters), ordered: held.ordered ? "1" : "0",
    weights: held.chosen });
  if (held.reading) parts.set("reading", JSON.stringify(held.reading));
  if (held.chosen === "custom") parts.set("custom", JSON.stringify(held.custom));
  const link = `${location.origin}${location.pathname}#${parts}`;
  return link.length <= LONGEST_LINK ? link : null;
}

/** Restore the table from the link or else from the session storage of this tab; return which one was used, or null. */
export function restore() {
  forgetOlder();
  const linked = fromLink(location.hash.slice(1));
  if (linked) {
    state = { ...state, ...linked };
    history.replaceState(null, "", location.pathname + location.search);
    store();
    return "link";
  }
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY));
    if (kept && sound(kept)) { state = { ...state, ...kept }; return "kept"; }
  } catch { /* an unreadable stored state is ignored */ }
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
    const named = parts.get("weights") ?? "linear";
    const chosen = named === "ordinal" ? "gwet-ordinal" : named; // the name in older links
    const custom = parts.has("custom") ? JSON.parse(parts.get("custom")) : customFor(k);
    const linked = { ...state, kind: "square", patterns: null, reading: parts.has("reading") ? JSON.parse(parts.get("reading")) : null, cells, categories, raters, ordered: parts.get("ordered") !== "0", chosen, custom };
    return sound(linked) ? linked : null;
  } catch { return null; }
}

/** Return whether a restored state has the expected structure. */
function sound(held) {
  const texts = (list, n) => Array.isArray(list) && list.length === n && list.every((one) => typeof one === "string" && one.length <= 200);
  const k = held.cells?.length;
  const custom = held.custom;
  return Number.isInteger(k) && k >= FEWEST && k <= MOST && held.cells.every((row) => texts(row, k)) && texts(held.categories, k)
    && texts(held.raters, 2) && (!held.reading || Array.isArray(held.reading.notes ?? [])) && typeof held.ordered === "boolean" && (held.chosen === "custom" || SCHEMES.includes(held.chosen))
    && ["positions", "matrix"].includes(custom?.by) && ["undefined", "boolean"].includes(typeof custom.alike) && Array.isArray(custom.positions) && custom.positions.every((one) => typeof one === "string")
    && SCHEMES.includes(custom.scheme) && Array.isArray(custom.matrix) && custom.matrix.every((row) => texts(row, custom.matrix.length))
    && (held.kind === "square" || (held.kind === "patterns" && Array.isArray(held.patterns?.patterns) && Array.isArray(held.patterns.raters)));
}

function store() {
  const text = JSON.stringify(state);
  try {
    if (text.length <= LARGEST_STORED) sessionStorage.setItem(KEY, text);
    else sessionStorage.removeItem(KEY);
  } catch { /* without session storage, the page still works but forgets its state */ }
}

/** Remove what earlier versions of the page kept in the browser after its tab was closed. */
function forgetOlder() {
  try { localStorage.removeItem(KEY); } catch { /* without local storage, there is nothing to remove */ }
}
