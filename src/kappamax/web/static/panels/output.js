// Export the newest answer: files to save, words to copy, calls to repeat it, and a link.

import { Problem, download } from "../api.js";
import { onAnswer } from "../calculate.js";
import { button, byId, fill, h } from "../dom.js";
import { COMPARED, current, isOrdered, linkOf } from "../state.js";

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
    fill(place, h("p", { class: "faint" }, "Once there are results: reports, tables and pictures to save, and the calls that repeat them."));
    return;
  }
  const { answer } = shown;
  const methods = answer.chance?.methods ?? answer.report.methods;
  const said = h("p", { class: "line small", role: "status", id: "out-state" });
  const pictures = picturesOf(answer);
  const saved = FORMATS.map(([format, words]) => button(words, () => saveReport(format, said), { "data-format": format, class: format === "html" ? "first" : "" }));
  const drawn = pictures.map(([name, svg, words]) => button(words, () => save(new Blob([svg], { type: "image/svg+xml" }), `${name}.svg`), { "data-svg": name }));
  const opened = [...place.querySelectorAll("details[open]")].map((one) => one.id);
  fill(place, h("div", { class: "side" },
    h("div", {}, h("h3", {}, "Save"), h("div", { class: "buttons" }, saved), h("h3", {}, "Save a picture (SVG)"), h("div", { class: "buttons" }, drawn),
      h("h3", {}, "Link"), linkPart(said)),
    h("div", {}, h("h3", {}, "Methods paragraph"), h("blockquote", { id: "methods" }, methods), copier("Copy the paragraph", () => methods, said),
      h("h3", {}, "The same from Python"), h("pre", { id: "python", tabindex: "0" }, answer.calls.python), copier("Copy the Python call", () => answer.calls.python, said),
      h("h3", {}, "The same from a terminal"), h("pre", { id: "terminal", tabindex: "0" }, answer.calls.terminal), copier("Copy the command", () => answer.calls.terminal, said))), said);
  for (const id of opened) byId(id)?.setAttribute("open", "");
}

function linkPart(said) {
  const link = linkOf();
  if (!link) return h("p", { class: "faint small" }, current().kind === "patterns" ? "A link carries a typed table; this one is from a file." : "This table is too large for a link.");
  return h("div", {}, h("p", { class: "faint small" }, "Carries the table in the address, for the same page on another machine."),
    copier("Copy a link to this table", () => linkOf(), said), h("details", { id: "link-details" }, h("summary", {}, "Show the link"), h("pre", { id: "link", tabindex: "0" }, link)));
}

function copier(words, content, said) {
  return h("div", { class: "buttons" }, button(words, async () => {
    try {
      await navigator.clipboard.writeText(content());
      said.textContent = "Copied.";
    } catch {
      said.textContent = "This browser does not allow copying; select the text instead.";
    }
  }));
}

function picturesOf(answer) {
  const drawn = Object.values(answer.pictures?.by_weights ?? {})[0] ?? {};
  return [["observed", drawn.observed, "Observed"], ["maximum", drawn.maximum, "Maximum"], ["null", answer.chance?.results[0].picture, "Chance"],
    ["margins", answer.pictures?.margins, "Margins"], ["pairs", answer.pictures?.pairs, "Pairs"]].filter(([, svg]) => svg);
}

/** A report has the chosen weights and those it is compared with. */
async function saveReport(format, said) {
  const { table, weight } = shown;
  const named = isOrdered() ? COMPARED : ["unweighted"];
  const weights = named.includes(current().chosen) ? named : [...named, weight];
  said.textContent = "Writing the report…";
  try {
    save(await download(format, { ...table, weights }), `kappamax.${format}`);
    said.textContent = `Saved as kappamax.${format}.`;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    said.textContent = error.message;
  }
}

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
