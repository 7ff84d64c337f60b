// Split a pasted block into cells; the result is null for a single value.

/** Return the cells of a block, and whether all of them are numbers or empty. */
export function block(text) {
  const trimmed = text.replace(/\r/g, "").replace(/\n+$/, "");
  const separator = trimmed.includes("\t") ? "\t" : trimmed.includes(";") ? ";" : ",";
  const alone = /^\s*\d{1,3}(,\d{3})*\s*$/.test(trimmed);
  if (alone || (!trimmed.includes(separator) && !trimmed.includes("\n"))) return null;
  const rows = trimmed.split("\n").map((line) => line.split(separator).map((cell) => number(cell.trim(), separator)));
  return { rows, numeric: rows.flat().every((cell) => /^\d*$/.test(cell)) };
}

/** Return whether the last row and the last column contain totals. */
export function hasTotals(rows) {
  const sum = (cells) => cells.reduce((total, cell) => total + Number(cell), 0);
  const adds = (lines) => lines.every((line) => Number(line.at(-1)) === sum(line.slice(0, -1)));
  return rows.length > 2 && adds(rows) && adds(rows[0].map((_, j) => rows.map((row) => row[j])));
}

/** Remove thousands separators, as in 1,520, if the comma does not separate cells. */
const number = (cell, separator) => (separator !== "," && /^\d{1,3}(,\d{3})+$/.test(cell) ? cell.replaceAll(",", "") : cell);
