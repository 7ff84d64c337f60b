// Parse a pasted block of cells, with its labels if it has any; the result is null for a single value.

export function block(text) {
  const trimmed = text.replace(/\r/g, "").replace(/\n+$/, "");
  const separator = trimmed.includes("\t") ? "\t" : trimmed.includes(";") ? ";" : ",";
  const alone = /^\s*\d{1,3}(,\d{3})*\s*$/.test(trimmed);
  if (alone || (!trimmed.includes(separator) && !trimmed.includes("\n"))) return null;
  const rows = trimmed.split("\n").map((line) => split(line, separator).map((cell) => number(cell, separator)));
  return labelled(rows) ?? { rows, labels: null };
}

/** Split a line into cells; separators within quotation marks are part of a cell. */
function split(line, separator) {
  const cells = [];
  let cell = "", quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    else if (character === separator && !quoted) { cells.push(cell); cell = ""; } else cell += character;
  }
  return [...cells, cell].map((one) => one.trim());
}

/** Remove thousands separators, as in 1,520, if the comma does not separate cells. */
const number = (cell, separator) => (separator !== "," && /^\d{1,3}(,\d{3})+$/.test(cell) ? cell.replaceAll(",", "") : cell);

/** Return the labels in the first row if the remaining cells are square, and null otherwise. */
function labelled(rows) {
  const inner = rows.slice(1).map((row) => row.slice(1));
  const square = inner.length >= 2 && inner.every((row) => row.length === inner.length) && rows[0].length === rows.length;
  const corner = rows[0][0];
  if (!square || (corner !== "" && Number.isFinite(Number(corner)))) return null;
  return { rows: inner, labels: rows[0].slice(1) };
}
