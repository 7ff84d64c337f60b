// Read a file that was opened, dropped or pasted, with options for its layout and columns.

import { Problem, askFile } from "../api.js";
import { button, byId, fill, h } from "../dom.js";
import { plural } from "../format.js";
import { MOST, change, customFor, typed } from "../state.js";
import { drawInspection } from "./inspection.js";
import { BLANK, drawOptions } from "./reading-options.js";

let file = null, inspected = null, read = null;
let columns = [], options = BLANK, categories = null, problem = null;

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

/** Show a summary of the data in place of the editable table if the data are patterns; `by` caused the change. */
export function drawFile(state, by = null) {
  if (by === "example") forget();
  drawReading(state.kind === "patterns" ? state.patterns.reading : state.reading);
  const place = byId("patterns");
  place.hidden = state.kind !== "patterns";
  if (state.kind !== "patterns") return;
  const { name, raters, counts, categories: labels, clusters } = state.patterns;
  const inClusters = clusters ? ` in ${plural(Math.max(...clusters) + 1, "cluster")}` : "";
  const n = counts.reduce((a, b) => a + b, 0);
  fill(place, h("p", { id: "patterns-summary" }, h("strong", {}, name || "file"), `: ${plural(n, "subject")}${inClusters}, ${plural(raters.length, "rater")}, `
    + `${labels.length} categories (${labels.slice(0, 12).join(", ")}${labels.length > 12 ? ", …" : ""}).`),
  h("div", { class: "buttons" }, button("Enter a table instead", () => {
    forget();
    change({ kind: "square", patterns: null, reading: null }, "file");
  })));
}

/** Read pasted text like a file; a matrix of counts is recognised, since the page shows such a table. */
export async function openText(text, layout = "") {
  begin(new File([text], "pasted text", { type: "text/plain" }));
  options = { ...options, layout };
  if (!layout) {
    await inspect();
    if (inspected?.controls.layout === "counts") options = { ...options, layout: "counts" };
  }
  await reread();
}

/** Show the file that the table was read from, and the notes of the reading. */
function drawReading(reading) {
  byId("reading").hidden = !reading;
  const layout = reading?.layout ? ` (${reading.layout} layout)` : "";
  fill(byId("reading"), reading ? [`Read from ${reading.file ?? "a file"}${layout}.`, ...(reading.notes ?? [])].map((said) => h("li", {}, said)) : []);
}

/** Hide everything about the file, because another table is shown. */
function forget() {
  file = null;
  byId("file").value = "";
  byId("file-problem").replaceChildren();
  byId("inspection").hidden = byId("mapping").hidden = true;
}

function begin(chosen) {
  file = chosen;
  inspected = read = categories = null;
  columns = [];
  options = BLANK;
}

async function open(chosen) {
  begin(chosen);
  await reread();
}

/** Read and inspect the file with the current options. */
async function reread() {
  const own = file;
  const inspecting = inspect();
  problem = null;
  try {
    const answer = await askFile(file, options);
    if (!answer || own !== file) return;
    read = answer;
    columns = answer.columns ?? columns;
    categories = answer.table.categories.map(String);
    const { table } = answer;
    const square = table.raters.length === 2 && !table.patterns && table.counts.length <= MOST && table.counts.length >= 2;
    const shared = { ...(table.ordered === false ? { chosen: "unweighted" } : {}), custom: customFor(table.categories.length) };
    if (square) change({ ...typed(table), ...shared }, "file");
    else change({ kind: "patterns", patterns: { ...table, name: file.name }, ...shared }, "file");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    columns = error.columns ?? columns;
    problem = error;
  }
  if (own === file) draw();
  await inspecting;
}

/** Ask what the file contains and show it; a file with nothing to show is reported when it is read. */
async function inspect() {
  const own = file;
  const found = await askFile(file, options, "inspect").catch((error) => {
    if (!(error instanceof Problem)) throw error;
    return null;
  });
  if (own !== file || found === undefined) return;
  inspected = found;
  drawInspection(byId("inspection"), found, file.name);
  if (problem) draw();
}

function draw() {
  const guessed = inspected?.layout === "long" ? null // its only column of ratings is that of all raters
    : inspected?.columns.filter((column) => column.role === "ratings").map((column) => column.name);
  drawOptions(byId("mapping"), { name: file.name, columns, options, categories, problem, layout: read?.data.layout,
    raters: problem ? guessed : read?.data.raters, set });
}

function set(patch) {
  options = { ...options, ...patch };
  return reread();
}
