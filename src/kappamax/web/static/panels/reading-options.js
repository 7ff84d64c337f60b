// Draw the controls for reading a file. Each has the name by which messages of the server refer to it.

import { button, byId, fill, h } from "../dom.js";

const LAYOUTS = [["", "automatic"], ["wide", "one column per rater"], ["long", "one row per rating"],
  ["counts", "square table of counts"], ["patterns", "patterns with counts"]];
const ROLES = { wide: ["subject", "cluster"], long: ["subject", "rater", "rating", "cluster"], counts: [], patterns: ["count", "cluster"] };
const COLUMNS = { subject: "Column of subjects", rater: "Column of raters", rating: "Column of ratings", count: "Column of counts",
  cluster: "Column of clusters" };
const TEXTS = { missing: ["Codes of missing ratings", "9,99"], rename: ["Labels to rename", "old=new"], sheet: ["Sheet", "name or number"],
  delimiter: ["Delimiter", "; or tab"], encoding: ["Encoding", "cp1252"], skip_rows: ["Lines above the header", "2"] };
const BOXES = { no_header: "The first row is data", transpose: "Raters are in rows", fill_down: "Empty cells repeat the cell above",
  decimal_comma: "1,5 is the number 1.5", ignore_case: "Ignore upper and lower case",
  complete_only: "Leave out subjects with a missing rating", accept_labels: "Take labels as they stand" };
const OTHER_LAYOUT = { raters: "", categories: "", subject: "", rater: "", rating: "", count: "", cluster: "" };

/** Values of the controls for a new file. */
export const BLANK = { layout: "", ...OTHER_LAYOUT,
  ...Object.fromEntries([...Object.keys(TEXTS), ...Object.keys(BOXES)].map((name) => [name, ""])) };

let unfolded = false;

/** Draw the controls, and the problem of the last reading beside the control that it is about, or below the file.
 * `layout` and `raters` are those that the file was read or inspected with. */
export function drawOptions(place, { name, columns, options, categories, problem, layout, raters, set }) {
  place.hidden = false;
  const focused = document.activeElement?.id;
  const effective = options.layout || layout || "wide";
  const roles = ROLES[effective];
  const own = problem ? placeOf(problem, options, new Set(["layout", ...roles, "raters", ...Object.keys(TEXTS), ...(categories ? ["categories"] : [])])) : null;
  const beside = (field) => [h("p", { class: "problem", id: `map-${field}-problem`, role: "alert" }, own === field ? problem.message : ""),
    own === field && problem.options ? button("Apply these options", () => set({ ...(problem.options.layout ? OTHER_LAYOUT : {}), ...problem.options }),
      { class: "first", id: "map-apply", "aria-describedby": `map-${field}-problem` }) : null];
  const select = (field, words, choices, more = {}) => h("div", { class: "control grow" }, h("label", { for: `map-${field}` }, words),
    h("select", { id: `map-${field}`, "aria-describedby": `map-${field}-problem`, "aria-invalid": own === field ? "true" : null,
      on: { change: (event) => set({ ...more, [field]: event.target.value }) } },
    choices.map(([value, shown]) => h("option", { value, selected: options[field] === value }, shown))), beside(field));
  const text = (field) => h("div", { class: "control grow" }, h("label", { for: `map-${field}` }, TEXTS[field][0]),
    h("input", { id: `map-${field}`, type: "text", value: options[field], autocomplete: "off", placeholder: TEXTS[field][1],
      inputmode: field === "skip_rows" ? "numeric" : null, "aria-describedby": `map-${field}-problem`,
      on: { change: (event) => set({ [field]: event.target.value.trim() }) } }), beside(field));
  const box = (field) => h("label", { class: "check" }, h("input", { type: "checkbox", id: `map-${field}`, checked: options[field] === "true",
    on: { change: (event) => set({ [field]: event.target.checked ? "true" : "" }) } }), BOXES[field]);
  const used = (field) => options[field] !== "" || own === field;
  const folded = [...Object.keys(TEXTS), ...Object.keys(BOXES)].filter((field) => (field !== "missing" || effective !== "counts")
    && (field !== "fill_down" || effective === "long"));
  const needed = folded.some(used);
  const said = byId("map-file-problem")?.textContent ?? null; // an alert is not announced again
  if (said !== (own === "file" ? problem.message : "")) fill(byId("file-problem"), beside("file"));
  fill(place, h("fieldset", {}, h("legend", {}, `Options for reading ${name}`),
    h("div", { class: "controls" }, select("layout", "Layout", LAYOUTS, OTHER_LAYOUT),
      roles.map((role) => select(role, COLUMNS[role], [["", role === "cluster" || (role === "subject" && effective === "wide") ? "none" : `column named ${role}`],
        ...columns.map((column) => [column, column]), ...several(options[role], columns)]))),
    ["wide", "patterns"].includes(effective) && columns.length ? raterBoxes(columns, raters, options, effective, beside, set) : null,
    categories ? order(categories, beside, set) : null,
    h("details", { id: "map-advanced", open: needed || unfolded, on: { toggle: (event) => { unfolded = event.target.open && !needed; } } },
      h("summary", {}, "Advanced options"),
      h("div", { class: "controls" }, folded.filter((field) => field in TEXTS).map(text)),
      h("div", { class: "controls" }, folded.filter((field) => field in BOXES).map(box)))));
  if (focused) (byId(focused) ?? (focused === "map-apply" ? byId("map-layout") : null))?.focus();
}

/** Return the control that a problem is about: the one that the server names, or one whose value the problem names. */
function placeOf({ field, code, fields }, options, known) {
  const named = [field, ...(code === "missing-columns" ? fields.missing : []),
    ...(code === "rating-not-among-categories" ? ["categories"] : []),
    ...Object.keys(COLUMNS).filter((role) => options[role] && options[role] === fields?.column)];
  return named.find((one) => known.has(one)) ?? "file";
}

/** Return the choice for several columns that identify the subjects together, which only advice or an address gives. */
const several = (value, columns) => (value === "" || columns.includes(value) ? [] : [[value, list(value).join(" and ")]]);

function raterBoxes(columns, raters, options, layout, beside, set) {
  const chosen = options.raters === "" ? raters : list(options.raters);
  const aside = new Set([options.subject, options.cluster, ...list(options.subject), layout === "patterns" ? options.count : ""]);
  const shown = columns.filter((name) => !aside.has(name));
  return h("fieldset", {}, h("legend", {}, "Columns of raters"), beside("raters"), h("div", { class: "controls" }, shown.map((name, i) => h("label", { class: "check" },
    h("input", { type: "checkbox", id: `map-rater-${i}`, checked: !chosen || chosen.includes(name), on: { change: () => {
      const ticked = shown.filter((_, a) => byId(`map-rater-${a}`).checked);
      set({ raters: written(ticked), categories: "" });
    } } }), name))));
}

function order(categories, beside, set) {
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

/** Join names by commas; names that contain a comma are quoted. */
const written = (names) => names.map((name) => (/[",]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(",");
const list = (text) => [...text.matchAll(/"((?:[^"]|"")*)"|([^,]+)/g)].map((found) => (found[1] ?? found[2]).replaceAll('""', '"'));
