"""Split a small text file into the cells of its table, without titles, comments, footers and legends around it.

Large files are not split in Python; for these, only the lines above the table are recognised, by `table_start`.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple, NoReturn

from kappamax.display.text import listing, plural
from kappamax.errors import UnreadableFileError
from kappamax.io.input_limits import require_few_columns
from kappamax.io.labels import label_of
from kappamax.io.line_ends import lines_of
from kappamax.io.read_spec import ReadSpec
from kappamax.io.stray_rows import is_empty, is_separator

_DELIMITERS = (",", "\t", ";", "|")
_SPACES = "spaces"
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_IMPORT_ROW = '{"ImportId"'  # the third row of a Qualtrics export, after the questions
_ROWS_TRIED = 100
_EVEN_WITH_SPACES = 0.7
_FEWEST_ROWS = 5
_LARGEST_FOOTER = 0.3  # share of the rows
_FEWEST_ROWS_WITH_SECOND_HEADER = 4


class Record(NamedTuple):
    """A row split into cells, with the numbers of its first and last line, counted from 0."""

    cells: list[str]
    start: int
    end: int

    @property
    def n_filled(self) -> int:
        """Number of cells that are not empty."""
        return sum(map(bool, map(str.strip, self.cells)))


class TextGrid(NamedTuple):
    """The table in a text file.

    Attributes
    ----------
    header : list of str
        Cells of the header, or of the first row if the layout has no header; "" where a cell is empty.
    header_line : int
        Number of the line that contains the header, counted from one.
    rows : list of Record
        Rows below the header, which all have as many cells as the header.
    notes : list of str
        Sentences about lines that are not part of the table.
    """

    header: list[str]
    header_line: int
    rows: list[Record]
    notes: list[str]


class TableStart(NamedTuple):
    """The header of a table and the number of lines above its first row, including the header."""

    header: list[str]
    delimiter: str
    skip: int
    width: int
    notes: list[str]
    records: list[Record]


def grid_of(text: str, name: str, spec: ReadSpec) -> TextGrid:
    """Return the table in a whole text."""
    start = table_start(lines_of(text), name, spec, most_rows=None)
    notes = start.notes
    body = [record for record in start.records if record.start >= start.skip and record.n_filled]
    if spec.layout == "counts":
        width = max([len(start.header), *(len(record.cells) for record in body)])
        body = _without_footer(body, [], len(start.header), notes)
        short = next((one for one in body if len(one.cells) < len(start.header)), None)
        long = next((one for one in body if any(cell.strip() for cell in one.cells[len(start.header) :])), None)
        odd = short or long
        if odd is not None and start.delimiter != _SPACES:
            _raise_another_length(odd, len(start.header), name)
        rows = [_padded(record, width) for record in body]
        return TextGrid([*start.header, *[""] * (width - len(start.header))], start.skip, rows, notes)
    blank_lines = [record.start for record in start.records if record.start >= start.skip and not record.n_filled]
    body = _without_footer(body, blank_lines, len(start.header), notes)
    inside = sum(line < body[-1].start for line in blank_lines) if body else 0
    if inside:
        notes.append(f"{plural(inside, 'blank row')} {_was(inside)} left out.")
    for record in body:
        if len(record.cells) != len(start.header):
            extra = record.cells[len(start.header) :]
            if len(record.cells) < len(start.header) or any(cell.strip() for cell in extra):
                _raise_another_length(record, len(start.header), name)
    rows = [_padded(record, len(start.header)) for record in body]
    if not spec.no_header and all(start.header[1:]):  # otherwise the names may be in the second line
        rows = _without_second_header(rows, notes)
    return _without_block_beside(TextGrid(start.header, start.skip, rows, notes))


def _raise_another_length(record: Record, width: int, name: str) -> NoReturn:
    """Raise the error about a row that does not have as many cells as the header."""
    raise UnreadableFileError(
        f"{name}, line {record.start + 1}: every row must have {width} columns, as the first row has; got "
        f"{len(record.cells)}.",
        code="row-of-another-length",
        fields={"line": record.start + 1},
    )


def table_start(lines: Sequence[str], name: str, spec: ReadSpec, *, most_rows: int | None = _ROWS_TRIED) -> TableStart:
    """Return where the table begins, from all lines of a file or from its first lines."""
    above, notes = spec.skip_rows or 0, list[str]()
    delimiter = spec.delimiter
    if above == 0 and lines and (separator := _SEPARATOR_LINE.fullmatch(lines[0])):
        above, delimiter = 1, delimiter or separator.group(1)
        notes.append(f"The first line, {lines[0].strip()!r}, was read as the delimiter.")
    delimiter, records = _split(lines[above:], above, name, delimiter, most_rows)
    filled = [record for record in records if record.n_filled]
    if not filled:
        raise UnreadableFileError(f"{name} is empty.", code="empty-file")
    width = _usual_width(filled[:_ROWS_TRIED])
    first = filled[0]
    if spec.skip_rows is None:
        first = _header_record(filled, width, counts=spec.layout == "counts")
    if first.start > above:
        skipped = [delimiter.join(record.cells).strip() for record in filled if record.start < first.start]
        shown = f": {listing(skipped, most=3)}" if skipped else ""
        n_lines = first.start - above
        notes.append(f"{plural(n_lines, 'line')} above the table {_was(n_lines)} left out{shown}.")
    if first.end > next(record.end for record in filled if record.start == first.start):
        notes.append("The line below the header, which has one cell only, was left out.")
    header = _header_cells(first, filled, width)
    require_few_columns(len(header), name)
    last_line = first.start - 1 if spec.no_header else first.end
    imported = next((record for record in filled[:4] if any(_IMPORT_ROW in cell for cell in record.cells)), None)
    if imported is not None and imported.start > first.end and not spec.no_header:
        last_line = imported.end
        notes.append("The rows of a Qualtrics export below its header, which hold questions, were left out.")
    return TableStart(header, delimiter, last_line + 1, width, notes, records)


def _split(
    lines: Sequence[str], above: int, name: str, delimiter: str | None, most_rows: int | None
) -> tuple[str, list[Record]]:
    """Return the delimiter and the rows; spaces are tried only if no other delimiter splits the rows."""
    candidates = _DELIMITERS if delimiter is None else (delimiter,)
    tried = [(one, _records(lines, above, one, _ROWS_TRIED)) for one in candidates]
    best = max(tried, key=lambda one: _evenness(one[1]))
    if delimiter is None and max((len(record.cells) for record in best[1]), default=1) == 1:
        spaced = _spaced_records(lines, above)
        if _evenness(spaced[:_ROWS_TRIED])[0] >= _EVEN_WITH_SPACES:
            return _SPACES, spaced
    error: str | None = None
    records = _records(lines, above, best[0], most_rows, lambda message: UnreadableFileError(f"{name}, {message}"))
    if not records:
        raise UnreadableFileError(error or f"{name} is empty.", code="empty-file")
    return best[0], records


def _records(
    lines: Sequence[str],
    above: int,
    delimiter: str,
    most_rows: int | None,
    error_of: Callable[[str], Exception] | None = None,
) -> list[Record]:
    """Return the rows split by a delimiter, up to a row that cannot be split, which raises an error if one is given."""
    records: list[Record] = []
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    start = 0
    try:
        for cells in reader:
            records.append(Record(cells, above + start, above + reader.line_num - 1))
            start = reader.line_num
            if len(records) == most_rows:
                break
    except csv.Error as error:
        if error_of is not None:
            message = str(error)
            if "expected after" in message:
                message = "a quoted cell must end at its closing quotation mark"
            elif "end of data" in message:
                message = "a quotation mark is not closed"
            elif "field larger" in message:
                message = "a cell is longer than 131,072 characters"
            raise error_of(f"line {above + reader.line_num}: {message}.") from None
    return records


def _spaced_records(lines: Sequence[str], above: int) -> list[Record]:
    """Return rows split at two or more spaces, or at single ones if that is more even."""
    tried = [
        [
            Record([cell.strip('"') for cell in re.split(pattern, line.strip())], above + i, above + i)
            for i, line in enumerate(lines)
        ]
        for pattern in (r"\s{2,}", r"\s+")
    ]
    return max(tried, key=lambda records: _evenness(records)[0])


def _evenness(records: Sequence[Record]) -> tuple[float, int]:
    """Return the share of rows with the usual number of cells, and this number; 0 if it is 1."""
    filled = [record for record in records if record.n_filled]
    if not filled:
        return 0.0, 0
    width = _usual_width(filled)
    if width == 1:
        return 0.0, 1
    return sum(len(record.cells) == width for record in filled) / len(filled), width


def _usual_width(records: Sequence[Record]) -> int:
    """Return the most frequent number of cells of a row; the larger number if two are equally frequent."""
    widths = Counter(len(record.cells) for record in records)
    return max(widths, key=lambda width: (widths[width], width))


def _header_record(records: Sequence[Record], width: int, *, counts: bool) -> Record:
    """Return the first row that is neither a title nor a comment."""
    for i in range(1, min(4, len(records) - 1)):
        if _names_levels(records, i, width):
            return Record(records[i - 1].cells, records[i - 1].start, records[i].end)
    for i, record in enumerate(records[:-1]):
        below = records[i + 1]
        names_below = _is_header(records[i + 1 :])
        short_by_one = len(record.cells) == width - 1 == len(below.cells) - 1 and not names_below
        above = record.cells[0].strip() and (names_below or len(records) - i <= _FEWEST_ROWS)
        few = record.n_filled < 2 and (len(record.cells) < width or above)
        title = width > 1 and (few or (len(record.cells) < width and not short_by_one))
        marked = record.cells[0].startswith("#") and len(record.cells[0].strip()) > 1
        comment = marked and len(below.cells) >= width - 1
        sparse = not counts and record.n_filled < below.n_filled == width and names_below
        if not (title or comment or sparse):
            return record
    return records[0]


def _names_levels(records: Sequence[Record], i: int, width: int) -> bool:
    """Return whether a row contains only the name of the rows, as pandas and R write it below the header."""
    record, above = records[i], records[i - 1]
    name = record.cells[0].strip()
    if not name or record.n_filled != 1 or above.n_filled < 2 or len(record.cells) not in (1, width) or width < 2:
        return False
    looks = {re.sub(r"\d+", "0", row.cells[0].strip()) for row in records[i + 1 :]}
    return re.sub(r"\d+", "0", name) not in looks


def _is_header(records: Sequence[Record]) -> bool:
    """Return whether the first of some rows is a header: few of its cells occur again in their columns."""
    first, *below = records
    filled = [(j, cell) for j, cell in enumerate(first.cells) if cell.strip()]
    again = sum(any(j < len(row.cells) and row.cells[j] == cell for row in below) for j, cell in filled)
    return len(below) >= _FEWEST_ROWS and 2 * again < len(filled)


def _header_cells(first: Record, records: Sequence[Record], width: int) -> list[str]:
    """Return the cells of the header, completed if it has one cell less than the rows, as tables written by R have."""
    header = [cell.strip().removeprefix("\ufeff") for cell in first.cells]
    while len(header) > width and header[-1] == "":
        header.pop()
    below = [record.cells for record in records if record.start > first.start and len(record.cells) == width]
    if len(header) == width - 1 and below:
        ends_empty = all(cells[-1].strip() == "" for cells in below)
        return [*header, ""] if ends_empty else ["", *header]
    return header


def _without_footer(body: list[Record], blank_lines: Sequence[int], width: int, notes: list[str]) -> list[Record]:
    """Return the rows without those below the table: too short, or few and incomplete after a blank line."""
    end = len(body)
    known = {record.cells[0].strip() for record in body if len(record.cells) >= width}
    while end and width > 1 and len(body[end - 1].cells) < width and body[end - 1].n_filled <= 2:
        if body[end - 1].cells[0].strip() in known:  # a row that was cut off
            break
        end -= 1
    for line in blank_lines:
        cut = sum(record.start < line for record in body)
        below = body[cut:end]
        if not below or cut < _FEWEST_ROWS:
            continue
        if any(len(record.cells) != width for record in below) and all(len(one.cells) == width for one in body[:cut]):
            end = cut
            break
        if len(below) > max(2, _LARGEST_FOOTER * cut):
            continue
        if any(2 * record.n_filled <= width for record in below) and all(record.n_filled < width for record in below):
            end = cut
            break
    if end == len(body) or end < 1:
        return body
    dropped = [" ".join(filter(None, map(str.strip, record.cells))) for record in body[end:]]
    notes.append(
        f"{plural(len(dropped), 'line')} below the table {_was(len(dropped))} left out: {listing(dropped, 3)}."
    )
    return body[:end]


def _without_second_header(rows: list[Record], notes: list[str]) -> list[Record]:
    """Return the rows without a second line of the header, such as units.

    In such a line the cells of all columns are words where all cells below are numbers, or the other way round.
    """
    while rows and is_separator(rows[0].cells):
        notes.append("A line of dashes below the header was left out.")
        rows = rows[1:]
    if len(rows) < _FEWEST_ROWS_WITH_SECOND_HEADER + 1:
        return rows
    first, *below = rows
    if {cell.strip() for cell in first.cells} - {""} <= {"Response", "Open-Ended Response"} and first.n_filled:
        notes.append("The second line of the header of a SurveyMonkey export was left out.")
        return below
    kinds = []
    for j, own in enumerate(first.cells):
        cells = {row.cells[j] for row in below}
        numeric = {isinstance(label_of(cell), int | float) for cell in cells if not is_empty(cell)}
        if len(numeric) == 1 and not is_empty(own):
            kinds.append(isinstance(label_of(own), int | float) not in numeric)
    if len(kinds) > 1 and all(kinds):
        notes.append(f"The line below the header was left out: {listing(first.cells, most=3)}.")
        return below
    return rows


def _without_block_beside(grid: TextGrid) -> TextGrid:
    """Return the table without columns to the right of a blank column that have fewer rows, as a legend has."""
    header, line, rows, notes = grid
    for j, name in enumerate(header):
        if name or j == 0 or not rows or any(row.cells[j].strip() for row in rows):
            continue
        filled = max((sum(bool(row.cells[i].strip()) for row in rows) for i in range(j + 1, len(header))), default=0)
        if 0 < filled <= len(rows) / 2:
            notes.append(f"Columns beside the table were left out: {listing(header[j + 1 :])}.")
            cut = [Record(row.cells[:j], row.start, row.end) for row in rows]
            return TextGrid(header[:j], line, cut, notes)
    return grid


def _padded(record: Record, width: int) -> Record:
    """Return a row with exactly as many cells as the header; further cells are empty."""
    if len(record.cells) == width:
        return record
    cells = [*record.cells, *[""] * (width - len(record.cells))][:width]
    return Record(cells, record.start, record.end)


def _was(number: int) -> str:
    return "was" if number == 1 else "were"
