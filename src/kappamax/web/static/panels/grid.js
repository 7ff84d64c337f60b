// Edit the table of counts and the names of categories and raters; show totals and error messages.

import { byId, fill, h } from "../dom.js";
import { count } from "../format.js";
import { openText } from "./files.js";
import { block, hasTotals } from "./paste.js";
import { FEWEST, MOST, blank, change, current, customFor, resized } from "../state.js";

let shape = null;

export function startGrid() {
  fill(byId("size"), Array.from({ length: MOST - FEWEST + 1 }, (_, i) => h("option", { value: i + FEWEST }, String(i + FEWEST))));
  byId("size").addEventListener("change", (event) => resize(Number(event.target.value)));
  byId("ordered").addEventListener("change", (event) => change({ ordered: event.target.checked }));
  byId("clear").addEventListener("click", () => change({ cells: blank(current().cells.length), reading: null }));
  for (const place of [0, 1]) {
    byId(`rater-${place}`).addEventListener("input", (event) => {
      change({ raters: current().raters.map((name, i) => (i === place ? event.target.value : name)) }, "grid");
    });
  }
}

/** Show the state. Inputs are recreated only if the number of categories changes, so the focus is kept. */
export function drawGrid(state) {
  byId("square").hidden = byId("size-control").hidden = state.kind !== "square";
  if (state.kind !== "square") return;
  const k = state.cells.length;
  if (shape !== k) { build(k); shape = k; }
  byId("size").value = String(k);
  byId("ordered").checked = state.ordered;
  state.raters.forEach((name, i) => put(byId(`rater-${i}`), name));
  state.cells.forEach((row, i) => {
    put(byId(`category-${i}`), state.categories[i]);
    byId(`heading-${i}`).textContent = state.categories[i] || "?";
    row.forEach((text, j) => {
      put(byId(`cell-${i}-${j}`), text);
      byId(`cell-${i}-${j}`).setAttribute("aria-label",
        `${state.raters[0]} ${state.categories[i]}, ${state.raters[1]} ${state.categories[j]}`);
    });
  });
  byId("grid-rows").textContent = `${state.raters[0]} \\ ${state.raters[1]}`;
  totals(state.cells);
}

/** Show messages beside the cells, categories or raters they are about: the first one always, the others on focus. */
export function showProblems(problems) {
  for (const input of document.querySelectorAll("#square [aria-invalid]")) input.removeAttribute("aria-invalid");
  for (const bubble of document.querySelectorAll("#grid .bubble")) { bubble.textContent = ""; bubble.classList.remove("first"); }
  const elsewhere = [];
  for (const problem of problems) {
    const id = problem.cell ? `cell-${problem.cell.join("-")}` : "category" in problem ? `category-${problem.category}`
      : "rater" in problem ? `rater-${problem.rater}` : null;
    const input = id && byId(id);
    if (input) input.setAttribute("aria-invalid", "true");
    const bubble = id && byId(`${id}-problem`);
    if (bubble) {
      bubble.textContent = problem.message;
      bubble.classList.toggle("first", problem === problems[0]);
    }
    else elsewhere.push(problem.message);
  }
  byId("grid-problem").textContent = elsewhere.join(" ");
}

function put(input, text) {
  if (input.value !== text) input.value = text;
}

function build(k) {
  const places = Array.from({ length: k }, (_, i) => i);
  const row = (i) => h("tr", {},
    h("th", { scope: "row" }, h("div", { class: "who" }, h("input", { id: `category-${i}`, type: "text", maxlength: 60,
      autocomplete: "off", "aria-label": `Name of category ${i + 1}`, "aria-describedby": `category-${i}-problem`,
      on: { input: (event) => rename(i, event.target.value) } })),
    h("div", { id: `category-${i}-problem`, class: "bubble" })),
    places.map((j) => h("td", { class: i === j ? "same" : "" },
      h("input", { id: `cell-${i}-${j}`, type: "text", inputmode: "numeric", autocomplete: "off",
        "aria-describedby": `cell-${i}-${j}-problem`,
        on: { input: (event) => type(i, j, event.target.value), paste: (event) => paste(event, i, j),
          keydown: (event) => step(event, i, j, k) } }),
      h("div", { id: `cell-${i}-${j}-problem`, class: `bubble${j >= k / 2 ? " left" : ""}${i === k - 1 && k > 2 ? " above" : ""}` }))),
    h("td", { class: "total", id: `total-row-${i}` }));
  fill(byId("grid"), h("table", { class: "grid" },
    h("caption", { class: "hidden-text" }, "Table of counts"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col", id: "grid-rows" }),
      places.map((j) => h("th", { scope: "col", id: `heading-${j}` })), h("th", { scope: "col", class: "total" }, "total"))),
    h("tbody", {}, places.map(row), h("tr", {}, h("th", { scope: "row", class: "who" }, "total"),
      places.map((j) => h("td", { class: "total", id: `total-column-${j}` })), h("td", { class: "total", id: "total-all" })))));
}

function totals(cells) {
  const numbers = cells.map((row) => row.map((text) => (/^\d+$/.test(text.trim()) ? Number(text) : 0)));
  const sum = (list) => list.reduce((a, b) => a + b, 0);
  numbers.forEach((row, i) => {
    byId(`total-row-${i}`).textContent = count(sum(row));
    byId(`total-column-${i}`).textContent = count(sum(numbers.map((one) => one[i])));
  });
  byId("total-all").textContent = count(sum(numbers.map(sum)));
}

function resize(k) {
  change({ ...resized(k), custom: customFor(k) });
}

function rename(place, name) {
  change({ categories: current().categories.map((old, i) => (i === place ? name : old)) }, "grid");
}

function type(i, j, text) {
  change({ cells: current().cells.map((row, a) => row.map((old, b) => (a === i && b === j ? text : old))) }, "grid");
}

/** Put a block of numbers into the cells. A block with words or totals, and one that is too long, is read like a file. */
function paste(event, i, j) {
  const text = event.clipboardData.getData("text"), found = block(text);
  if (!found) return;
  event.preventDefault();
  const { rows, numeric } = found, size = current().cells.length;
  const wide = Math.max(...rows.map((row) => row.length));
  const whole = i === 0 && j === 0 && rows.length === wide && wide >= FEWEST;
  const k = whole ? wide : Math.max(size, i + rows.length, j + wide);
  const longer = !whole && i === 0 && rows.length > Math.max(size, wide);
  if (!numeric || longer || k > MOST || (whole && hasTotals(rows))) {
    openText(text, numeric && whole ? "counts" : "");
    return;
  }
  const base = whole ? { cells: blank(k), categories: resized(k).categories } : resized(k);
  rows.forEach((row, a) => row.forEach((cell, b) => { base.cells[i + a][j + b] = cell; }));
  change({ ...base, ...(whole ? { reading: null } : {}), custom: customFor(k) });
  byId(`cell-${i}-${j}`).focus();
}

/** Move between rows with Enter and the arrow keys, as in a spreadsheet. */
function step(event, i, j, k) {
  const by = { ArrowDown: 1, Enter: 1, ArrowUp: -1 }[event.key];
  if (by === undefined || i + by < 0 || i + by >= k) return;
  event.preventDefault();
  byId(`cell-${i + by}-${j}`).focus();
  byId(`cell-${i + by}-${j}`).select();
}
