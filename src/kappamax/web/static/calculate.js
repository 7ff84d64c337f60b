// The state in, the newest results on the page out: the chosen weights first, then the others to compare.

import { Problem, ask, cancel } from "./api.js";
import { drawComparison } from "./comparison.js";
import { debounced } from "./dom.js";
import { showProblems } from "./grid.js";
import { drawMaximizers } from "./maximizers.js";
import { drawNothing, drawResults, say } from "./results.js";
import { COMPARED, current, isOrdered, tableOf, weightingOf } from "./state.js";

const listeners = [];
let answers = new Map(), about = null, serial = 0, shown = false;

/** Be told of every new answer for the chosen weights: listener(table, weight, answer), or nulls. */
export const onAnswer = (listener) => listeners.push(listener);

/** Check what was typed at once; ask the server when typing has paused. */
export function recalculate() {
  const { problems, empty } = tableOf();
  showProblems(problems);
  if (problems.length || weightingOf().problems.length) {
    stop(shown ? "These results are of the table before; the marked place is to be mended first." : "The marked place is to be mended first.");
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
  cancel("table");
  say(words);
}

const later = debounced((own) => { if (own === serial) compute(own); }, 250);

async function compute(own) {
  const { table } = tableOf();
  const { chosen } = current();
  const text = JSON.stringify(table);
  if (about !== text) { answers = new Map(); about = text; }
  const names = [...new Set([...(isOrdered() ? COMPARED : ["unweighted"]), chosen])];
  const results = () => new Map([...answers].map(([name, answer]) => [name, answer.results[0]]));
  answers.delete("custom");
  for (const name of [chosen, ...names.filter((one) => one !== chosen)]) {
    const weight = name === "custom" ? weightingOf().weighting : name;
    const progress = table.patterns ? (words) => { if (own === serial && name === chosen) say(`Computing… ${words}`); } : null;
    try {
      const answer = answers.get(name) ?? await ask("/api/table", { ...table, weights: [weight] }, "table", progress);
      if (own !== serial) return;
      if (!answer) continue;
      answers.set(name, answer);
      if (name === chosen) {
        shown = true;
        say("");
        drawResults(answer);
        drawMaximizers(table, weight, answer.results[0]);
        tell(table, weight, answer);
      }
      drawComparison(names, results());
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (own !== serial) return;
      if (name === chosen) { refuse(error); return; }
    }
  }
}

/** What the server refuses is shown where it belongs. */
function refuse(error) {
  const field = error.field ?? "";
  if (error.cell) showProblems([{ cell: error.cell, message: error.message }]);
  else if (field.startsWith("weight")) document.getElementById("weights-problem").textContent = error.message;
  else if (field === "counts" || field === "categories" || field === "raters") showProblems([{ message: error.message }]);
  say(shown ? `These results are of the table before. ${error.message}` : error.message);
}

function tell(table, weight, answer) {
  for (const listener of listeners) listener(table, weight, answer);
}
