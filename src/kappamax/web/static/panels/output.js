// Export the results: save reports and figures, and copy the methods paragraph, the calls and a link.

import { Problem, download } from "../api.js";
import { onAnswer } from "../calculate.js";
import { button, byId, fill, h } from "../dom.js";
import { COMPARED, current, linkOf } from "../state.js";

const FORMATS = [["html", "HTML report"], ["json", "JSON"], ["csv", "CSV"], ["md", "Markdown"], ["tex", "LaTeX"]];
let shown = null;

export function startOutput() {
  onAnswer((table, weight, answer) => {
    shown = answer ? { table, weight, answer } : null;
    draw();
  });
  draw();
}

function draw() {
  const place = byId("out-body");
  if (!shown) {
    fill(place, h("p", { class: "faint" }, "Reports, figures and code can be exported once there are results."));
    return;
  }
  const { answer } = shown;
  const methods = answer.chance?.methods ?? answer.report.methods;
  const pictures = picturesOf(answer);
  const saved = FORMATS.map(([format, words]) => button(words, () => saveReport(format), { "data-format": format, class: format === "html" ? "first" : "" }));
  const drawn = pictures.map(([name, svg, words]) => button(words, () => save(new Blob([svg], { type: "image/svg+xml" }), `${name}.svg`), { "data-svg": name }));
  const opened = [...place.querySelectorAll("details[open]")].map((one) => one.id);
  fill(place, h("div", { class: "side" },
    h("div", {}, h("h3", {}, "Save a report"), h("div", { class: "buttons" }, saved), h("h3", {}, "Save a figure (SVG)"), h("div", { class: "buttons" }, drawn),
      h("h3", {}, "Link"), linkPart()),
    h("div", {}, h("h3", {}, "Methods paragraph"), h("blockquote", { id: "methods" }, methods), copier("Copy the paragraph", () => methods),
      h("h3", {}, "Python"), h("pre", { id: "python", tabindex: "0" }, answer.calls.python), copier("Copy the Python call", () => answer.calls.python),
      h("h3", {}, "Command line"), h("pre", { id: "terminal", tabindex: "0" }, answer.calls.terminal), copier("Copy the command", () => answer.calls.terminal))),
  h("p", { class: "line small", role: "status", id: "out-state" }));
  for (const id of opened) byId(id)?.setAttribute("open", "");
}

function linkPart() {
  const link = linkOf();
  if (!link) return h("p", { class: "faint small" }, current().kind === "patterns" ? "A link is available only for an entered table, not for a file." : "This table is too large for a link.");
  return h("div", {}, h("p", { class: "faint small" }, "The link contains the table and opens it in this page on any machine where kappamax is running."),
    copier("Copy a link to this table", () => linkOf()), h("details", { id: "link-details" }, h("summary", {}, "Show the link"), h("pre", { id: "link", tabindex: "0" }, link)));
}

function copier(words, content) {
  return h("div", { class: "buttons" }, button(words, async () => {
    try {
      await navigator.clipboard.writeText(content());
      say("Copied.");
    } catch {
      say("This browser does not allow copying; select the text instead.");
    }
  }));
}

function picturesOf(answer) {
  const drawn = Object.values(answer.pictures?.by_weights ?? {})[0] ?? {};
  return [["observed", drawn.observed, "Observed table"], ["maximum", drawn.maximum, "Largest agreement"], ["null", answer.chance?.results[0].picture, "Distribution under chance"],
    ["margins", answer.pictures?.margins, "Margins"], ["pairs", answer.pictures?.pairs, "Pairs of raters"]].filter(([, svg]) => svg);
}

/** Show a sentence below the buttons, which may have been drawn again since one of them was pressed. */
function say(words) {
  byId("out-state").textContent = words;
}

/** Save a report with the chosen weights and those of the comparison. */
async function saveReport(format) {
  const { table, weight } = shown;
  const ordered = table.ordered !== false;
  const named = ordered ? COMPARED : ["unweighted"];
  const weights = named.includes(weight) ? named : [...named, weight];
  const request = ordered || weights.length > 1 ? { ...table, weights } : table; // the default report says what is left out
  say("Writing the report…");
  try {
    save(await download(format, request), `kappamax.${format}`);
    say(`Saved as kappamax.${format}.`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    say(error.message);
  }
}

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
