// The page in, a working calculator out: starts every part and lets changes of the state reach them.

import { startAnnealing } from "./annealing.js";
import { recalculate } from "./calculate.js";
import { startExamples } from "./examples.js";
import { drawFile, startFiles } from "./files.js";
import { drawGrid, startGrid } from "./grid.js";
import { startMoves } from "./moves.js";
import { startOutput } from "./output.js";
import { current, restore, subscribe } from "./state.js";
import { describe, drawWeights, startWeights } from "./weights.js";

function draw(state) {
  drawGrid(state);
  drawFile(state);
  drawWeights(state);
  document.getElementById("weights-problem").textContent = "";
  recalculate();
  describe();
}

const began = restore();
startGrid();
startWeights();
startFiles();
startMoves();
startAnnealing();
startOutput();
subscribe(draw);
draw(current());
startExamples(began === null);
