// Choose or edit weights, and show whether they are a metric.

import { Problem, ask } from "../api.js";
import { byId, debounced, fill, h } from "../dom.js";
import { decimal } from "../format.js";
import { SCHEMES, change, current, customFor, namesOf, sizeOf, tableOf, weightingOf } from "../state.js";

const WORDS = { unweighted: "unweighted (all disagreements count equally)", linear: "linear (distance)", quadratic: "quadratic (squared distance)",
  sqrt: "sqrt (square root of the distance)", "gwet-ordinal": "gwet-ordinal (number of pairs of categories in the range)", ratio: "ratio (squared difference relative to the sum)",
  circular: "circular (the last category is next to the first)", bipolar: "bipolar (differences near the ends count most)", custom: "custom weights" };
let shape = null;

export function startWeights() {
  fill(byId("weighting"), [...SCHEMES, "custom"].map((name) => h("option", { value: name }, WORDS[name])));
  byId("weighting").addEventListener("change", (event) => change({ chosen: event.target.value, custom: customFor(sizeOf()) }));
}

export function drawWeights(state) {
  byId("weighting").value = state.chosen;
  byId("custom").hidden = state.chosen !== "custom";
  if (state.chosen === "custom") drawCustom(state);
  showPlaces(weightingOf(state).problems);
}

/** Request the properties of the weights after a pause in typing, and show them in words. */
export const describe = debounced(async () => {
  const { table, problems, empty } = tableOf();
  const chosen = weightingOf();
  if (problems.length || chosen.problems.length || empty) { fill(byId("weights-words")); return; }
  try {
    const said = await ask("/api/weights", { ...table, weight: chosen.weighting });
    if (!said) return;
    byId("weights-problem").textContent = "";
    drawWords(said);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    fill(byId("weights-words"));
    if (current().chosen === "custom" || error.field === "weight" || error.field === "weights") byId("weights-problem").textContent = error.message;
  }
}, 200);

function drawWords(said) {
  const kind = said.metric ? "The weights are a metric" : said.symmetric ? "The weights are not a metric" : "The weights are not symmetric";
  const broken = said.violated_triangle ? `; the categories ${said.violated_triangle.join(", ")} violate the triangle inequality` : "";
  const names = namesOf();
  const matrix = h("details", {}, h("summary", {}, "Show the weights"), h("div", { class: "scroll", role: "region", tabindex: "0",
    "aria-label": "Weights of disagreement" }, h("table", {}, h("caption", {}, "Weights of disagreement; the largest weight of a named weighting is 1"),
    h("thead", {}, h("tr", {}, h("td", {}), names.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, said.matrix.map((row, i) => h("tr", {}, h("th", { scope: "row" }, names[i]), row.map((value) => h("td", {}, decimal(value)))))))));
  fill(byId("weights-words"), h("p", {}, h("strong", { id: "metric" }, `${kind}${broken}.`)), said.words ? h("p", { class: "small" }, said.words) : null,
    said.notes.map((note) => h("p", { class: "faint small" }, note)), said.matrix.length <= 20 ? matrix : null);
}

function drawCustom(state) {
  const k = sizeOf(state), names = namesOf(state), { by } = state.custom;
  const wanted = `${k} ${by} ${alike(state)} ${JSON.stringify(names)}`;
  if (shape !== wanted) {
    shape = wanted;
    fill(byId("custom"), kinds(by), by === "positions" ? positions(state, names) : matrix(state, names));
  }
  const held = customFor(k, state.custom);
  if (by === "positions") {
    byId("custom-scheme").value = held.scheme;
    held.positions.forEach((text, i) => put(`position-${i}`, text));
  } else held.matrix.forEach((row, i) => row.forEach((text, j) => { if (i !== j) put(`weight-${i}-${j}`, text); }));
}

function put(id, text) {
  const input = byId(id);
  if (input && input.value !== text) input.value = text;
}

function kinds(by) {
  const one = (value, words) => h("label", { class: "check" }, h("input", { type: "radio", name: "custom-by", id: `custom-${value}`, value, checked: by === value,
    on: { change: () => { edit({ by: value }); byId(`custom-${value}`).focus(); } } }), words);
  return h("fieldset", {}, h("legend", {}, "Custom weights from"), h("div", { class: "controls" }, one("positions", "positions of the categories"), one("matrix", "a matrix")));
}

function positions(state, names) {
  return h("div", {}, h("div", { class: "controls" }, h("div", { class: "control grow" }, h("label", { for: "custom-scheme" }, "Scheme"),
    h("select", { id: "custom-scheme", on: { change: (event) => edit({ scheme: event.target.value }) } },
      SCHEMES.filter((name) => name !== "unweighted" && name !== "gwet-ordinal").map((name) => h("option", { value: name }, name))))),
  h("div", { class: "controls" }, names.map((name, i) => h("div", { class: "control" }, h("label", { for: `position-${i}` }, name),
    h("input", { id: `position-${i}`, type: "text", inputmode: "decimal", autocomplete: "off", "aria-describedby": `position-${i}-problem`,
      on: { input: (event) => edit({ positions: current().custom.positions.map((old, a) => (a === i ? event.target.value : old)) }) } }),
    h("p", { id: `position-${i}-problem`, class: "problem" })))));
}

function matrix(state, names) {
  const cell = (i, j) => (i === j ? h("td", { class: "faint" }, "0") : h("td", {}, h("input", { id: `weight-${i}-${j}`, type: "text", inputmode: "decimal",
    autocomplete: "off", "aria-label": `Weight of ${names[i]} against ${names[j]}`, "aria-describedby": `weight-${i}-${j}-problem`,
    on: { input: (event) => editCell(i, j, event.target.value) } }), h("div", { id: `weight-${i}-${j}-problem`, class: "bubble" })));
  const caption = alike(state) ? "Weight of each disagreement; both sides of the diagonal are equal"
    : "Weight of each disagreement; rows are the categories of the first rater, columns those of the second";
  return h("div", {}, h("label", { class: "check" }, h("input", { type: "checkbox", id: "custom-alike", checked: alike(state),
    on: { change: (event) => { setAlike(event.target.checked); byId("custom-alike").focus(); } } }), "symmetric weights"),
  h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Custom weights" }, h("table", { class: "grid weights-grid" },
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, h("td", {}), names.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, names.map((name, i) => h("tr", {}, h("th", { scope: "row" }, name), names.map((_, j) => cell(i, j))))))));
}

const edit = (patch) => change({ custom: { ...customFor(sizeOf()), ...patch } }, "weights");

const alike = (state) => state.custom.alike !== false;

function editCell(i, j, text) {
  const mirrored = alike(current());
  edit({ matrix: customFor(sizeOf()).matrix.map((row, a) => row.map((old, b) => ((a === i && b === j) || (mirrored && a === j && b === i) ? text : old))) });
}

/** Set whether the weights are symmetric; if so, those above the diagonal are used. */
function setAlike(chosen) {
  const { matrix: old } = customFor(sizeOf());
  edit({ alike: chosen, matrix: chosen ? old.map((row, i) => row.map((text, j) => (j < i ? old[j][i] : text))) : old });
}

function showPlaces(problems) {
  for (const input of document.querySelectorAll("#custom [aria-invalid]")) {
    input.removeAttribute("aria-invalid");
    byId(`${input.id}-problem`).textContent = "";
  }
  for (const { place, message } of problems) {
    const id = place.length === 1 ? `position-${place[0]}` : `weight-${place.join("-")}`;
    byId(id)?.setAttribute("aria-invalid", "true");
    if (byId(`${id}-problem`)) {
      byId(`${id}-problem`).textContent = message;
      byId(`${id}-problem`).classList.toggle("first", place === problems[0].place);
    }
  }
}
