// Browse the tables that attain the maximum.

import { Problem, ask } from "../api.js";
import { button, byId, enable, fill, h } from "../dom.js";
import { howMany } from "../format.js";
import { drawHeat } from "../heat.js";

/** Draw the controls if two raters have complete ratings and several tables attain the maximum. */
export function drawMaximizers(table, weight, result) {
  const several = result.maximum !== null && result.maximum !== undefined && table.counts && !table.patterns
    && (result.n_maximizers === null ? Number(result.n_maximizers_at_least) > 1 : Number(result.n_maximizers) > 1);
  const place = byId("maximizers");
  if (!several) { fill(place); return; }
  const total = howMany(result.n_maximizers, result.n_maximizers_at_least);
  const last = result.n_maximizers === null ? Infinity : Number(result.n_maximizers);
  const held = new Map();
  let at = 0;
  const where = h("span", { id: "maximizer-place", role: "status" });
  const map = h("div", { id: "maximizer" });
  const problem = h("p", { class: "problem" });
  const back = button("Previous", () => show(at - 1), { "aria-label": "Previous table" });
  const on = button("Next", () => show(at + 1), { "aria-label": "Next table" });

  async function show(wanted) {
    if (wanted < 0 || wanted >= last) return;
    if (!held.has(wanted)) {
      try {
        const page = await ask("/api/maximizers", { ...table, weight, start: wanted });
        if (!page) return;
        page.tables.forEach((one, i) => held.set(page.start + i, one));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        problem.textContent = error.message;
        return;
      }
      if (!held.has(wanted)) { enable(on, false); return; }
    }
    at = wanted;
    where.textContent = `Table ${at + 1} of ${total}`;
    drawHeat(map, held.get(at), { caption: "Framed cells differ from the observed table", before: table.counts });
    enable(back, at > 0);
    enable(on, at + 1 < last);
  }

  fill(place, h("h3", {}, "Tables that attain the maximum"), h("div", { class: "buttons" }, back, on, where), problem, map);
  show(0);
}
