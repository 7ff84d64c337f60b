// Load example tables; the first one is shown on the first visit.

import { examples } from "../api.js";
import { byId, fill, h } from "../dom.js";
import { change, current, customFor, isOrdered, subscribe, tableOf, typed } from "../state.js";

export async function startExamples(first) {
  const known = await examples();
  const select = byId("example");
  fill(select, h("option", { value: "" }, "Your data"), known.map((one) => h("option", { value: one.name }, `${one.name}: ${one.title}`)));
  select.addEventListener("change", () => {
    const one = known.find((example) => example.name === select.value);
    if (one) load(one);
  });
  subscribe((_, by) => { if (by !== "example" && by !== "weights") leave(); });
  if (first && known.length) load(known[0]);

  function load(one) {
    const k = one.categories.length;
    const weights = one.ordered === false ? { chosen: "unweighted" } : {};
    const data = one.patterns ? { kind: "patterns", patterns: { ...one, name: one.name } } : typed(one);
    change({ ...data, ...weights, custom: customFor(k) }, "example");
    select.value = one.name;
    byId("data-source").textContent = one.source;
  }

  /** Deselect the example when its table is changed. */
  function leave() {
    const one = known.find((example) => example.name === select.value);
    if (!one || same(one)) return;
    select.value = "";
    byId("data-source").textContent = "";
  }
}

/** Return whether the table on the page is still the example. */
function same(one) {
  const { table } = tableOf(current());
  return JSON.stringify([table.counts, table.patterns]) === JSON.stringify([one.counts, one.patterns]) && isOrdered() === (one.ordered !== false);
}
