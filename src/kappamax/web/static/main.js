// Start all panels and redraw them after every change of the state.

import { startAnnealing } from "./panels/annealing.js";
import { recalculate } from "./calculate.js";
import { startExamples } from "./panels/examples.js";
import { drawFile, startFiles } from "./panels/files.js";
import { drawGrid, startGrid } from "./panels/grid.js";
import { startMoves } from "./panels/moves.js";
import { startOutput } from "./panels/output.js";
import { current, restore, subscribe } from "./state.js";
import { describe, drawWeights, startWeights } from "./panels/weights.js";

function draw(state, by = null) {
  drawGrid(state);
  drawFile(state, by);
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
