// Show the results for all weightings as a table; choosing a row selects its weights.

import { button, byId, fill, h } from "../dom.js";
import { chanceOf, decimal, interval, shareReached, tables } from "../format.js";
import { change, current } from "../state.js";

const HEADER = ["weights", "kappa", "95% interval", "maximum", "minimum", "reached", "tables", "p-value"];

/** Draw one row per name; rows whose result has not arrived yet show an ellipsis. */
export function drawComparison(names, results) {
  const focused = document.activeElement?.dataset?.compared;
  const cellsOf = (result) => {
    if (!result) return ["…", ...Array(6).fill("")];
    if (result.value === null) return ["undefined", ...Array(6).fill("")];
    const { value, ci, maximum, minimum, ratio } = result;
    const most = maximum !== null && maximum !== undefined;
    return [decimal(value), ci ? interval(ci) : "undefined", most ? decimal(maximum) + (result.proven ? "" : " (not proven)") : "not known",
      most ? minimum === null ? "not found" : decimal(minimum) + (result.minimum_proven ? "" : " (not proven)") : "not known", shareReached(value, ratio),
      most ? tables(result) : "", chanceOf(result)];
  };
  const row = (name) => h("tr", { class: name === current().chosen ? "chosen" : "" },
    h("th", { scope: "row" }, button(name === "custom" ? "custom weights" : name, () => change({ chosen: name }),
      { class: "plain", "data-compared": name, "aria-pressed": String(name === current().chosen) })),
    cellsOf(results.get(name)).map((words) => h("td", {}, words)));
  fill(byId("comparison"), h("h3", { id: "comparison-title" }, "Comparison of weights"),
    h("div", { class: "scroll", role: "region", tabindex: "0", "aria-labelledby": "comparison-title" }, h("table", { class: "compared" },
      h("thead", {}, h("tr", {}, HEADER.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, names.map(row)))));
  if (focused) byId("comparison").querySelector(`[data-compared="${focused}"]`)?.focus();
}
