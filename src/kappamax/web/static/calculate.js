// The state in, the newest results on the page out: the numbers of the chosen weights first, then their pictures beside
// the numbers of the other weights, then what chance would give.

import { Problem, ask, cancel } from "./api.js";
import { drawComparison } from "./comparison.js";
import { debounced } from "./dom.js";
import { showProblems } from "./grid.js";
import { drawMaximizers } from "./maximizers.js";
import { drawChance, drawNothing, drawNumbers, drawPictures, resultOf, say } from "./results.js";
import { COMPARED, current, isOrdered, tableOf, weightingOf } from "./state.js";

const KINDS = ["table", "chance", "pictures"];
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
  const progress = table.patterns ? (words) => { if (own === serial) say(`Computing… ${words}`); } : null;
  const asked = async (kind, name, told = null) => {
    try {
      const answer = await ask(`/api/${kind}`, { ...table, weights: [weightOf(name)] }, kind, told);
      return own === serial ? answer : undefined;
    } catch (error) {
      if (own === serial) throw error;
      return undefined;
    }
  };
  const compare = () => drawComparison(names, new Map([...answers].map(([name, answer]) => [name, resultOf(answer)])));
  const show = (name, answer) => {
    answers.set(name, answer);
    shown = true;
    drawNumbers(answer);
    compare();
  };

  const weight = weightOf(chosen);
  const others = names.filter((one) => one !== chosen);
  let beside = null;
  try {
    const first = answers.get(chosen) ?? await asked("table", chosen, progress);
    if (!first) return;
    show(chosen, first);
    beside = compareOthers("table", others, asked, compare);
    const pictures = first.pictures ?? await asked("pictures", chosen);
    if (!pictures) return;
    answers.set(chosen, { ...first, pictures });
    drawPictures(answers.get(chosen));
    const chance = first.chance ?? await asked("chance", chosen, progress);
    if (!chance) return;
    show(chosen, { ...first, pictures, chance });
    say("");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (!beside) { refuse(error); return; }
    show(chosen, { ...answers.get(chosen), failed: true });
    say(error.message);
  }
  const answer = answers.get(chosen);
  drawChance(answer);
  drawMaximizers(table, weight, resultOf(answer));
  tell(table, weight, answer);
  await beside;
  await compareOthers("chance", others, asked, compare);
}

/** The numbers of other weights, or what chance would give. */
async function compareOthers(kind, others, asked, compare) {
  for (const name of others) {
    const held = answers.get(name);
    if (kind === "table" ? held : !held || held.chance) continue;
    try {
      const found = await asked(kind, name);
      if (!found) return;
      answers.set(name, kind === "table" ? found : { ...held, chance: found });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (held) answers.set(name, { ...held, failed: true });
    }
    compare();
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
