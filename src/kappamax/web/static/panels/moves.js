// Explore tables by moves: apply a move, undo and redo it, or follow a path to the maximum.

import { Problem, ask, cancel } from "../api.js";
import { onAnswer } from "../calculate.js";
import { button, byId, enable, fill, h } from "../dom.js";
import { count, decimal, plural } from "../format.js";
import { drawTable } from "../heat.js";

const TOP = 10;
let weight = null, maximum = null, history = [], at = 0, picked = [], preview = null, path = null, about = null;

export function startMoves() {
  onAnswer((table, chosen, answer) => {
    if (!answer || answer.results[0].value === null) { about = null; nothing(answer); return; }
    const now = JSON.stringify([table, chosen]);
    if (now === about) return;
    about = now;
    weight = chosen;
    maximum = answer.results[0].maximum ?? null;
    history = [{ table, value: answer.results[0].value, written: "observed" }];
    at = 0;
    path = null;
    build();
    refresh();
  });
  nothing(null);
}

function nothing(answer) {
  cancel("moves");
  fill(byId("moves-body"), h("p", { class: "faint" }, answer ? "Kappa is undefined, so moves cannot be compared."
    : "A move changes a table into another one with the same margins. Enter a table first."));
}

function build() {
  const two = !history[0].table.patterns;
  fill(byId("moves-body"),
    h("p", {}, "In a move, two subjects swap the ratings of some raters. The margins stay the same, but agreement may change. ",
      two ? "Choose two cells in different rows and columns, each of which gains a subject, or choose a move from the list." : "Choose a move from the list."),
    h("div", { class: "meter" }, h("span", {}, "Kappa ", h("b", { id: "moves-value", role: "status" })), h("span", { id: "moves-change" }),
      h("span", {}, "Maximum ", h("b", {}, decimal(maximum)))),
    h("div", { id: "moves-table" }),
    h("p", { class: "line small", id: "moves-said", role: "status" }),
    h("div", { class: "buttons" }, two ? button("Apply the move", apply, { id: "moves-apply", class: "first" }) : null,
      button("Undo", () => go(at - 1), { id: "moves-undo" }), button("Redo", () => go(at + 1), { id: "moves-redo" }),
      button("Reset to the observed table", () => go(0), { id: "moves-reset" })),
    h("div", { class: "buttons" }, button("Next step to the maximum", () => follow(1), { id: "moves-step" }),
      button("All steps to the maximum", () => follow(Infinity), { id: "moves-all" })),
    h("div", { id: "moves-path" }), h("div", { id: "moves-list" }));
}

/** Show the current table and request its moves. */
async function refresh(said = "") {
  picked = [];
  preview = null;
  draw(said);
  const { table } = history[at];
  try {
    const ranked = await ask("/api/moves", { ...table, weight, top: TOP }, "moves");
    if (ranked) drawList(ranked);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    fill(byId("moves-list"), h("p", { class: "problem" }, error.message));
  }
}

function draw(said) {
  const { table, value } = history[at];
  const marks = {};
  if (picked.length) {
    marks[picked[0].join()] = "plus";
    if (picked.length === 2) {
      const [[i, j], [a, b]] = picked;
      Object.assign(marks, { [`${a},${b}`]: "plus", [`${i},${b}`]: "minus", [`${a},${j}`]: "minus" });
    }
  }
  drawTable(byId("moves-table"), table, { caption: at === 0 ? "Observed table" : `Table after ${plural(at, "move")}; framed cells differ from the observed table`,
    before: history[0].table.counts, marks, onCell: choose });
  byId("moves-value").textContent = decimal(value);
  const change = value - history[0].value;
  byId("moves-change").textContent = at === 0 ? "as observed" : `${change >= 0 ? "+" : "−"}${decimal(Math.abs(change))} relative to the observed table`;
  byId("moves-said").textContent = said;
  if (byId("moves-apply")) enable(byId("moves-apply"), preview !== null);
  enable(byId("moves-undo"), at > 0);
  enable(byId("moves-redo"), at < history.length - 1);
  enable(byId("moves-reset"), at > 0);
  const most = maximum !== null && value >= maximum - 1e-12;
  enable(byId("moves-step"), !most && maximum !== null);
  enable(byId("moves-all"), !most && maximum !== null);
  drawPath();
}

/** Choose a cell that gains a subject; the second one completes the move. */
async function choose(i, j) {
  preview = null;
  if (picked.length === 2) picked = [[i, j]];
  else if (picked.length === 1 && picked[0].join() === `${i},${j}`) picked = [];
  else picked.push([i, j]);
  if (picked.length < 2) { draw(picked.length ? "Choose the second cell in another row and column." : ""); return; }
  const [[a, b], [c, d]] = picked;
  if (a === c || b === d) { picked = [[i, j]]; draw("The two cells must be in different rows and columns. Choose the second cell again."); return; }
  const { table } = history[at];
  if (!table.counts[a][d] || !table.counts[c][b]) {
    draw("This move cannot be applied, because a cell that would lose a subject is empty.");
    return;
  }
  try {
    const move = { plus: [[a, b], [c, d]], minus: [[a, d], [c, b]] };
    const after = await ask("/api/moves", { ...table, weight, move }, "move");
    if (!after) return;
    preview = after;
    draw(`${after.written} ${wordOf(after.value, history[at].value)} ${decimal(after.value)}.`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    draw(error.message);
  }
}

const wordOf = (after, before) => (Math.abs(after - before) < 1e-12 ? "keeps kappa at" : after > before ? "raises kappa to" : "lowers kappa to");

function apply() {
  push([preview]);
}

/** Append tables after the current one; moves that were undone are discarded. */
function push(steps) {
  history = [...history.slice(0, at + 1), ...steps.map((one) => ({ table: tableIn(one), value: one.value, written: one.written }))];
  at = history.length - 1;
  refresh(`Applied ${steps.length === 1 ? steps[0].written : plural(steps.length, "move")}. Kappa is now ${decimal(history[at].value)}.`);
}

const tableIn = ({ patterns, counts, categories, raters, ordered }) => ({ ...(patterns ? { patterns } : {}), counts, categories, raters, ordered });

function go(place) {
  at = place;
  refresh(place === 0 ? "This is the observed table." : `This is the table after ${history[at].written}.`);
}

async function follow(many) {
  const here = JSON.stringify(history[at].table);
  try {
    if (!path || !path.tables.includes(here)) {
      const answer = await ask("/api/path", { ...history[at].table, weight }, "path");
      if (!answer) return;
      path = { ...answer, tables: [here, ...answer.steps.map((one) => JSON.stringify(tableIn(one)))] };
    }
    const from = path.tables.indexOf(here);
    const next = path.steps.slice(from, from + many);
    if (next.length) push(next);
    else draw(`No single move raises agreement, although the maximum is ${decimal(path.maximum)}.`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    draw(error.message);
  }
}

function drawPath() {
  const place = byId("moves-path");
  if (!path) { fill(place); return; }
  const here = path.tables.indexOf(JSON.stringify(history[at].table));
  fill(place, h("p", { class: "small faint" }, `This path has ${plural(path.steps.length, "move")}, each of which raises agreement as much as possible. `
    + (path.reached ? "It ends at the maximum." : "It ends below the maximum.")),
  h("ol", { class: "small", id: "path" }, path.steps.map((one, i) => h("li", { "aria-current": here === i + 1 ? "step" : null },
    here === i + 1 ? h("strong", {}, `${one.written} → ${decimal(one.value)}`) : `${one.written} → ${decimal(one.value)}`))));
}

function drawList(ranked) {
  const focused = document.activeElement?.dataset?.move;
  const row = (move, i) => h("tr", {}, h("th", { scope: "row" }, move.written), h("td", {}, move.effect), h("td", {}, decimal(move.value_after)),
    h("td", {}, button("Apply", () => applyMove(move), { "aria-label": `Apply ${move.written}`, "data-move": i })));
  const many = (n, verb) => `${count(n)} ${verb}${Number(n) === 1 ? "s" : ""}`;
  fill(byId("moves-list"), h("h3", { id: "moves-list-title" }, "Moves, best first"),
    h("p", { class: "faint small" }, `Of ${plural(ranked.n_applicable, "move")}, ${many(ranked.n_raising, "raise")} agreement, ${many(ranked.n_keeping, "keep")} it unchanged and ${many(ranked.n_lowering, "lower")} it.`),
    h("div", { class: "scroll tall", role: "region", tabindex: "0", "aria-labelledby": "moves-list-title" }, h("table", { class: "moves-list" },
      h("thead", {}, h("tr", {}, ["move", "effect on agreement", "kappa after", "apply"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ranked.moves.map(row)))));
  if (focused !== undefined && focused !== null) byId("moves-list").querySelector(`[data-move="${focused}"]`)?.focus();
}

async function applyMove({ plus, minus }) {
  try {
    const after = await ask("/api/moves", { ...history[at].table, weight, move: { plus, minus } }, "move");
    if (after) push([after]);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    draw(error.message);
  }
}
