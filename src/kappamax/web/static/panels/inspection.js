// Show what a file contains before it is read: columns with what they contain and why, first rows, and doubtful labels.

import { fill, h, textTable } from "../dom.js";
import { plural } from "../format.js";

const MOST_COLUMNS = 30, LONGEST = 60;

let unfolded = true;

/** Draw the inspection of a file, or hide the panel if there is none. */
export function drawInspection(place, found, name) {
  place.hidden = !found;
  if (!found) return;
  const columns = found.columns.slice(0, MOST_COLUMNS), hidden = found.columns.length - columns.length;
  const rows = columns.map((column) => [shortened(column.name), column.role, column.reason]);
  const preview = found.preview.map((row) => row.slice(0, MOST_COLUMNS).map(shortened));
  const notes = found.refusals.length ? found.notes.filter((note) => !found.summary.includes(note)) : []; // others are shown with the table
  const headings = columns.length ? columns.map((column) => shortened(column.name)) : ["line"];
  fill(place, h("details", { open: unfolded, on: { toggle: (event) => { unfolded = event.target.open; } } },
    h("summary", {}, `What ${name} contains`),
    found.summary.map((said) => h("p", { class: "small" }, said)),
    rows.length ? h("div", { class: "inspected" }, textTable("Columns", ["column", "contains", "why"], rows)) : null,
    hidden ? h("p", { class: "faint small" }, `… and ${plural(hidden, "more column")}.`) : null,
    preview.length ? h("div", { class: "preview" }, textTable(columns.length ? "First rows" : "First lines", headings, preview)) : null,
    found.doubts.length ? h("p", { class: "small" }, "Doubtful labels:") : null,
    found.doubts.length ? h("ul", { class: "small" }, found.doubts.map((doubt) => h("li", {}, `${doubt}.`))) : null,
    notes.length ? h("p", { class: "small" }, "Notes:") : null,
    notes.length ? h("ul", { class: "small" }, notes.map((note) => h("li", {}, note))) : null));
}

/** Return text that is not longer than a cell of a table should be. */
const shortened = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
