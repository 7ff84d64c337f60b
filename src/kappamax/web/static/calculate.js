// Request the results for the table and show them. One request returns the numbers for all weights, the chosen weights
// first. Further requests return the figures and the test against chance for the chosen weights, then the other tests.

import { Problem, ask, cancel } from "./api.js";
import { drawComparison } from "./panels/comparison.js";
import { debounced } from "./dom.js";
import { showProblems } from "./panels/grid.js";
import { drawMaximizers } from "./panels/maximizers.js";
import { drawChance, drawNothing, drawNumbers, drawPictures, resultOf, say } from "./panels/results.js";
import { COMPARED, current, isOrdered, tableOf, weightingOf } from "./state.js";

const KINDS = ["table", "chance", "pictures"], PATIENCE = 300;
const listeners = [];
let answers = new Map(), about = null, serial = 0, shown = false;

/** Call listener(table, weight, answer) after every new answer for the chosen weights; all are null for an empty table. */
export const onAnswer = (listener) => listeners.push(listener);

/** Check the entries at once, and send requests after a pause in typing. */
export function recalculate() {
  const { problems, empty } = tableOf();
  showProblems(problems);
  if (problems.length || weightingOf().problems.length) {
    stop(shown ? "These results belong to the previous table. Correct the marked entry." : "Correct the marked entry.");
  } else if (empty) {
    stop("");
    drawNothing();
    shown = false;
    tell(null, null, null);
  } else {
    serial += 1;
    say("Computing…");
    later(serial);
  }
}

function stop(words) {
  serial += 1;
  KINDS.forEach(cancel);
  say(words);
}

const later = debounced((own) => { if (own === serial) compute(own); }, 250);

async function compute(own) {
  const { table } = tableOf();
  const { chosen } = current();
  const text = JSON.stringify(table);
  if (about !== text) { answers = new Map(); about = text; }
  answers.delete("custom");
  KINDS.forEach(cancel);
  const names = [...new Set([...(isOrdered() ? COMPARED : ["unweighted"]), chosen])];
  const weightOf = (name) => (name === "custom" ? weightingOf().weighting : name);
  const compare = () => drawComparison(names, new Map([...answers].map(([name, answer]) => [name, resultOf(answer)])));
  const keep = (name, more) => { answers.set(name, { ...answers.get(name), ...more }); compare(); };
  const show = () => { shown = true; drawNumbers(answers.get(chosen)); compare(); };
  const announce = () => tell(table, weightOf(chosen), answers.get(chosen)); // what is exported is what is shown

  /** Send one request for several weightings, and call `found` with each answer when its line arrives. */
  const askAbout = (kind, wanted, found) => {
    const waiting = [...wanted];
    return wanted.length ? ask(`/api/${kind}`, { ...table, weights: wanted.map(weightOf) }, kind, (line) => {
      if (own !== serial || line.end) return;
      if (!("progress" in line)) found(waiting.shift(), line);
      else if (table.patterns && waiting[0] === chosen) say(`Computing… ${line.progress}`);
    }) : null;
  };
  const keepChance = (name, chance) => keep(name, { chance });

  const others = names.filter((name) => name !== chosen);
  let arrived, problem = null;
  const first = new Promise((resolve) => { arrived = resolve; });
  const numbers = (async () => {
    try {
      await askAbout("table", [chosen, ...others].filter((name) => !answers.has(name)), (name, answer) => {
        keep(name, answer);
        if (name === chosen) { show(); announce(); arrived(); }
      });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      problem = error;
    } finally { arrived(); }
  })();
  if (answers.has(chosen)) { show(); announce(); arrived(); }
  // the worker process that computed the numbers answers fastest, so wait for it unless the other weights take long
  await Promise.race([numbers, first.then(() => new Promise((resolve) => { setTimeout(resolve, PATIENCE); }))]);
  if (own !== serial) return;
  if (!answers.has(chosen)) { if (problem) refuse(problem); return; }
  show();
  try {
    const pictures = answers.get(chosen).pictures ?? await ask("/api/pictures", { ...table, weights: [weightOf(chosen)] }, "pictures");
    if (own !== serial || !pictures) return;
    keep(chosen, { pictures });
    drawPictures(answers.get(chosen));
    if (!answers.get(chosen).chance) await askAbout("chance", [chosen], keepChance);
    if (own !== serial || !answers.get(chosen).chance) return;
    say("");
  } catch (error) {
    if (own !== serial) return;
    if (!(error instanceof Problem)) throw error;
    keep(chosen, { failed: true });
    say(error.message);
  }
  show();
  const answer = answers.get(chosen);
  drawChance(answer);
  drawMaximizers(table, weightOf(chosen), resultOf(answer));
  announce();
  await numbers;
  const untested = () => (own === serial ? others.filter((name) => answers.has(name) && !answers.get(name).chance) : []);
  try {
    await askAbout("chance", untested(), keepChance);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    for (const name of untested()) keep(name, { failed: true });
  }
}

/** Show an error message of the server beside the entry that it is about. */
function refuse(error) {
  const field = error.field ?? "";
  if (error.cell) showProblems([{ cell: error.cell, message: error.message }]);
  else if (field.startsWith("weight")) document.getElementById("weights-problem").textContent = error.message;
  else if (field === "counts" || field === "categories" || field === "raters") showProblems([{ message: error.message }]);
  say(shown ? `These results belong to the previous table. ${error.message}` : error.message);
}

function tell(table, weight, answer) {
  for (const listener of listeners) listener(table, weight, answer);
}
