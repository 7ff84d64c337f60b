// Show a square of counts as an HTML table that is shaded like a heat map and whose cells may be buttons.

import { button, fill, h } from "./dom.js";
import { count, raterName } from "./format.js";

/** Draw a table into a container. Cells that differ from `before` are framed; with `onCell`, every cell is a button. */
export function drawHeat(container, table, { caption, before = null, marks = null, onCell = null }) {
  const largest = Math.max(1, ...table.counts.flat());
  const focused = container.contains(document.activeElement) ? document.activeElement.id : null;
  const cell = (n, i, j) => {
    const mark = marks?.[`${i},${j}`] ?? null;
    const changed = before && before[i][j] !== n ? " changed" : "";
    const words = mark === "plus" ? `${count(n)} +1` : mark === "minus" ? `${count(n)} −1` : count(n);
    const made = onCell ? button(words, () => onCell(i, j), { class: `cell${mark ? ` ${mark}` : ""}${changed}`,
      id: `${container.id}-${i}-${j}`, "aria-pressed": String(mark === "plus"),
      "aria-label": `${raterName(table.raters[0])} ${table.categories[i]}, ${raterName(table.raters[1])} ${table.categories[j]}: ${words}` })
      : h("span", { class: `cell${changed}` }, words);
    made.style.setProperty("--shade", String(n / largest));
    return h("td", {}, made);
  };
  fill(container, h("p", { class: "faint small" }, caption), h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": caption },
    h("table", { class: "heat" },
      h("thead", {}, h("tr", {}, h("td", {}), table.categories.map((name) => h("th", { scope: "col" }, String(name))))),
      h("tbody", {}, table.counts.map((row, i) => h("tr", {}, h("th", { scope: "row" }, String(table.categories[i])),
        row.map((n, j) => cell(n, i, j))))))));
  if (focused) document.getElementById(focused)?.focus();
}

/** Draw any table: a heat map for two raters, a list of patterns for more raters. */
export function drawTable(container, table, options) {
  if (!table.patterns) return drawHeat(container, table, options);
  const order = table.counts.map((_, i) => i).sort((a, b) => table.counts[b] - table.counts[a]);
  const label = (code) => (code === null ? "-" : String(table.categories[code]));
  return fill(container, h("div", { class: "scroll tall", role: "region", tabindex: "0", "aria-label": options.caption }, h("table", {},
    h("caption", {}, options.caption),
    h("thead", {}, h("tr", {}, [...table.raters, "subjects"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, order.map((i) => h("tr", {}, [...table.patterns[i].map(label), count(table.counts[i])].map((words) => h("td", {}, words))))))));
}
