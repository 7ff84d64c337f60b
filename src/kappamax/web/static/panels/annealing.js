// Show the agreement, the temperature and the table during simulated annealing.

import { Problem, lines } from "../api.js";
import { onAnswer } from "../calculate.js";
import { chart } from "../chart.js";
import { button, byId, enable, fill, h } from "../dom.js";
import { count, decimal } from "../format.js";
import { drawTable } from "../heat.js";

const FRAMES = 150;
let asked = null, about = null, entries = [], shown = 0, end = null, playing = false, control = null, run = 0;

export function startAnnealing() {
  onAnswer((table, weight, answer) => {
    const usable = answer && answer.results[0].value !== null;
    const now = usable ? JSON.stringify([table, weight]) : null;
    if (now === about && now !== null) return;
    about = now;
    halt();
    asked = usable ? { table, weight, maximum: answer.results[0].maximum ?? null,
      observed: answer.results[0].observed_agreement ?? null } : null;
    if (asked) build(); else nothing();
  });
  nothing();
}

function nothing() {
  fill(byId("annealing-body"), h("p", { class: "faint" }, "Simulated annealing searches for the maximum by random moves. Enter a table first."));
}

function build() {
  const seed = byId("seed")?.value ?? "1", proposal = byId("proposal")?.value ?? "moves";
  fill(byId("annealing-body"),
    h("p", {}, "Random moves that do not lower agreement are accepted; moves that lower it are accepted with a probability that falls with the temperature. The maximum above is computed by other methods; this panel shows how such a search proceeds."),
    h("div", { class: "controls" },
      h("div", { class: "control" }, h("label", { for: "seed" }, "Seed"), h("input", { id: "seed", type: "number", min: 0, max: 4294967295, step: 1, value: seed, "aria-describedby": "seed-problem" })),
      h("div", { class: "control grow" }, h("label", { for: "proposal" }, "Proposal"), h("select", { id: "proposal" },
        [["moves", "a random move"], ["swaps", "a swap of two random subjects"]].map(([value, words]) => h("option", { value, selected: value === proposal }, words))))),
    h("p", { class: "problem", id: "seed-problem", role: "alert" }),
    h("div", { class: "buttons" }, button("Start", start, { id: "anneal-start", class: "first" }), button("Pause", toggle, { id: "anneal-pause", "aria-disabled": "true" })),
    h("div", { class: "meter" }, ["step", "temperature", "agreement", "accepted"].map((name) => h("span", {}, `${name} `, h("b", { id: `anneal-${name}` }, "–")))),
    h("div", { id: "anneal-chart" }), h("p", { class: "line", id: "anneal-said", role: "status" }), h("div", { id: "anneal-table" }));
  fill(byId("anneal-chart"), chart([], 1));
  drawTable(byId("anneal-table"), asked.table, { caption: "Observed table, from which the search starts" });
}

function halt() {
  run += 1;
  control?.abort();
  control = null;
  playing = false;
}

/** Start a search with the given seed; the same seed gives the same search. */
async function start() {
  const seed = Number(byId("seed").value);
  const fits = byId("seed").value.trim() !== "" && Number.isInteger(seed) && seed >= 0 && seed <= 4294967295;
  byId("seed-problem").textContent = fits ? "" : "Enter a whole number from 0 to 4294967295.";
  byId("seed").setAttribute("aria-invalid", String(!fits));
  if (!fits) return;
  halt();
  const own = run;
  entries = [];
  shown = 0;
  end = null;
  playing = true;
  control = new AbortController();
  byId("anneal-start").textContent = "Restart";
  byId("anneal-said").textContent = "Searching…";
  label();
  requestAnimationFrame(() => play(own));
  try {
    for await (const line of lines("/api/anneal", { ...asked.table, weight: asked.weight, seed, proposal: byId("proposal").value }, control.signal)) {
      if (own !== run) return;
      if (line.error) throw new Problem(line, 422);
      if (line.end) end = line; else entries.push(line);
    }
  } catch (error) {
    if (error.name === "AbortError" || own !== run) return;
    playing = false;
    label();
    byId("anneal-said").textContent = error.message;
  }
}

function toggle() {
  playing = !playing;
  label();
  if (playing) { const own = run; requestAnimationFrame(() => play(own)); }
}

function label() {
  const over = end !== null && shown >= entries.length;
  byId("anneal-pause").textContent = playing || over || !control ? "Pause" : "Resume";
  enable(byId("anneal-pause"), control !== null && !over);
}

/** Draw the next entries, all of them within a few seconds, or at once if the user prefers reduced motion. */
function play(own) {
  if (own !== run || !playing) return;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const pace = still ? entries.length : Math.max(1, Math.ceil(entries.length / FRAMES));
  if (shown < entries.length) {
    shown = Math.min(entries.length, shown + pace);
    drawStep(entries[shown - 1]);
  }
  if (end && shown >= entries.length) { finish(); return; }
  requestAnimationFrame(() => play(own));
}

function drawStep(entry) {
  byId("anneal-step").textContent = count(entry.step);
  byId("anneal-temperature").textContent = entry.temperature.toPrecision(3);
  byId("anneal-agreement").textContent = decimal(entry.agreement);
  byId("anneal-accepted").textContent = `${(100 * entry.acceptance).toFixed(0)}%`;
  fill(byId("anneal-chart"), chart(entries.slice(0, shown), entries.at(-1).step, asked.observed));
  if (entry.counts) drawTable(byId("anneal-table"), tableOf(entry), { caption: `Table after ${count(entry.step)} steps`, before: asked.table.counts });
}

function finish() {
  playing = false;
  label();
  if (entries.length) drawStep(entries.at(-1));
  const reached = asked.maximum !== null && Math.abs(end.value - asked.maximum) < 1e-9;
  byId("anneal-said").textContent = `The search ended after ${count(end.steps)} steps with kappa ${decimal(end.value)}`
    + (asked.maximum === null ? "." : reached ? ", which is the maximum." : `, which is below the maximum of ${decimal(asked.maximum)}.`);
  if (end.counts) drawTable(byId("anneal-table"), tableOf(end), { caption: "Best table found; framed cells differ from the observed table", before: asked.table.counts });
}

const tableOf = (line) => ({ ...(line.patterns ? { patterns: line.patterns } : {}), counts: line.counts, categories: line.categories ?? asked.table.categories, raters: asked.table.raters });
