// Read a file that was opened or dropped, with options for its layout and columns.

import { Problem, askFile } from "../api.js";
import { button, byId, fill, h } from "../dom.js";
import { plural } from "../format.js";
import { MOST, change, customFor, typed } from "../state.js";

const LAYOUTS = [["wide", "one column per rater"], ["long", "one row per rating"], ["counts", "square table of counts"], ["patterns", "patterns with counts"]];
let file = null, columns = [], options = {}, categories = null, problem = null;

export function startFiles() {
  const drop = byId("drop"), input = byId("file");
  input.addEventListener("change", () => { if (input.files.length) open(input.files[0]); });
  drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files.length) open(event.dataTransfer.files[0]);
  });
}

/** Show a summary of the data in place of the editable table if the data are patterns. */
export function drawFile(state) {
  drawReading(state.kind === "patterns" ? state.patterns.reading : state.reading);
  const place = byId("patterns");
  place.hidden = state.kind !== "patterns";
  if (state.kind !== "patterns") { if (state.kind === "square" && !file) byId("mapping").hidden = true; return; }
  const { name, raters, counts, categories: labels } = state.patterns;
  const n = counts.reduce((a, b) => a + b, 0);
  fill(place, h("p", { id: "patterns-summary" }, h("strong", {}, name || "file"), `: ${plural(n, "subject")}, ${plural(raters.length, "rater")}, `
    + `${labels.length} categories (${labels.slice(0, 12).join(", ")}${labels.length > 12 ? ", …" : ""}).`),
  h("div", { class: "buttons" }, button("Enter a table instead", close)));
}

/** Show the file that the table was read from, and the notes of the reading. */
function drawReading(reading) {
  byId("reading").hidden = !reading;
  const layout = reading?.layout ? ` (${reading.layout} layout)` : "";
  fill(byId("reading"), reading ? [`Read from ${reading.file ?? "a file"}${layout}.`, ...(reading.notes ?? [])].map((said) => h("li", {}, said)) : []);
}

function close() {
  file = null;
  byId("file").value = "";
  byId("mapping").hidden = true;
  change({ kind: "square", patterns: null, reading: null }, "file");
}

async function open(chosen) {
  file = chosen;
  columns = [];
  categories = null;
  options = { layout: "wide", raters: "", categories: "", subject: "", rater: "", rating: "", count: "", missing: "", sheet: "" };
  if (/\.(csv|tsv|txt)$/i.test(file.name)) columns = header(await file.slice(0, 65536).text());
  await read();
}

/** Return the cells of the first line, so that columns can be chosen even if the file cannot be read yet. */
function header(text) {
  const line = text.split(/\r?\n/, 1)[0];
  const separator = ["\t", ";", "|", ","].find((one) => line.includes(one)) ?? ",";
  return line.split(separator).map((cell) => cell.trim().replace(/^"|"$/g, ""));
}

async function read() {
  problem = null;
  try {
    const answer = await askFile(file, options);
    if (!answer) return;
    columns = answer.columns ?? columns;
    categories = answer.table.categories.map(String);
    const square = answer.table.raters.length === 2 && !answer.table.patterns && answer.table.counts.length <= MOST && answer.table.counts.length >= 2;
    const weights = answer.table.ordered === false ? { chosen: "unweighted" } : {};
    if (square) change({ ...typed(answer.table), ...weights, custom: customFor(answer.table.categories.length) }, "file");
    else change({ kind: "patterns", patterns: { ...answer.table, name: file.name }, ...weights, custom: customFor(answer.table.categories.length) }, "file");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    columns = error.columns ?? columns;
    problem = error;
  }
  drawMapping();
}

function drawMapping() {
  const place = byId("mapping");
  place.hidden = false;
  const focused = document.activeElement?.id;
  const roles = { wide: ["subject"], long: ["subject", "rater", "rating"], counts: [], patterns: ["count"] }[options.layout];
  const known = new Set(["layout", "raters", "categories", "missing", "sheet", ...roles]);
  const own = problem ? placeOf(problem, roles, known) : null;
  const beside = (field) => h("p", { class: "problem", id: `map-${field}-problem`, role: "alert" }, own === field ? problem.message : "");
  const select = (field, words, choices) => h("div", { class: "control grow" }, h("label", { for: `map-${field}` }, words),
    h("select", { id: `map-${field}`, "aria-describedby": `map-${field}-problem`, "aria-invalid": own === field ? "true" : null,
      on: { change: (event) => set({ [field]: event.target.value, ...(field === "layout" ? { raters: "", categories: "" } : {}) }) } },
    choices.map(([value, name]) => h("option", { value, selected: options[field] === value }, name))), beside(field));
  const text = (field, words) => h("div", { class: "control grow" }, h("label", { for: `map-${field}` }, words),
    h("input", { id: `map-${field}`, type: "text", value: options[field], autocomplete: "off", "aria-describedby": `map-${field}-problem`,
      on: { change: (event) => set({ [field]: event.target.value }) } }), beside(field));
  const named = columns.map((name) => [name, name]);
  fill(place, h("fieldset", {}, h("legend", {}, `Options for reading ${file.name}`), beside("file"),
    h("div", { class: "controls" }, select("layout", "Layout", LAYOUTS),
      roles.map((role) => select(role, { subject: "Column of subjects", rater: "Column of raters", rating: "Column of ratings", count: "Column of counts" }[role],
        [["", role === "subject" && options.layout === "wide" ? "none" : `column named ${role}`], ...named]))),
    ["wide", "patterns"].includes(options.layout) && columns.length ? raterBoxes(beside) : null,
    categories ? order(beside) : null,
    h("details", { open: Boolean(options.missing || options.sheet) }, h("summary", {}, "Missing ratings and sheet"), h("div", { class: "controls" },
      options.layout === "counts" ? null : text("missing", "Codes of missing ratings, such as 9,99"), text("sheet", "Sheet name")))));
  if (focused) byId(focused)?.focus();
}

/** Return the control that an error is about: the one named by the server, or one that the message quotes. */
function placeOf({ field, message }, roles, known) {
  if (known.has(field)) return field;
  const about = roles.find((role) => message.includes(`'${role}' is missing`))
    ?? roles.find((role) => options[role] && message.includes(`'${options[role]}'`));
  return about ?? "file";
}

function raterBoxes(beside) {
  const chosen = options.raters === "" ? null : list(options.raters);
  const aside = new Set([options.subject, options.layout === "patterns" ? options.count : ""]);
  const shown = columns.filter((name) => !aside.has(name));
  return h("fieldset", {}, h("legend", {}, "Columns of raters"), beside("raters"), h("div", { class: "controls" }, shown.map((name, i) => h("label", { class: "check" },
    h("input", { type: "checkbox", id: `map-rater-${i}`, checked: chosen === null || chosen.includes(name), on: { change: () => {
      const ticked = shown.filter((_, a) => byId(`map-rater-${a}`).checked);
      set({ raters: written(ticked), categories: "" });
    } } }), name))));
}

function order(beside) {
  const move = (i, by) => {
    const moved = [...categories];
    [moved[i], moved[i + by]] = [moved[i + by], moved[i]];
    set({ categories: written(moved) }).then(() => byId(`order-${by < 0 ? "up" : "down"}-${i + by}`)?.focus());
  };
  const arrow = (i, by, words, sign) => button(sign, () => move(i, by), { id: `order-${words}-${i}`, "aria-label": `Move ${categories[i]} ${words}`,
    "aria-disabled": i + by < 0 || i + by >= categories.length ? "true" : null });
  return h("fieldset", {}, h("legend", {}, "Order of the categories"), beside("categories"), h("ol", { class: "order", id: "category-order" }, categories.map((name, i) => h("li", {},
    h("span", {}, name), arrow(i, -1, "up", "↑"), arrow(i, 1, "down", "↓")))));
}

function set(patch) {
  options = { ...options, ...patch };
  return read();
}

/** Join names by commas; names that contain a comma are quoted. */
const written = (names) => names.map((name) => (/[",]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(",");
const list = (text) => [...text.matchAll(/"((?:[^"]|"")*)"|([^,]+)/g)].map((found) => (found[1] ?? found[2]).replaceAll('""', '"'));
