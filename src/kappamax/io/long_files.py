"""Read files with one row per rating.

DuckDB groups the ratings of a subject and then equal patterns, so that only distinct patterns are held in memory.
"""

from __future__ import annotations

from typing import Any, NoReturn

from kappamax.errors import InvalidRatingsError, NotSupportedError
from kappamax.io.arrays import table_of_rows, with_notes
from kappamax.io.file_formats import Source, sql_list
from kappamax.io.read_spec import ReadSpec, raise_rated_twice, require_named_rows
from kappamax.table import Table

MOST_CELLS = 20_000_000
TOO_MANY_PATTERNS = "the ratings have more than {:,} distinct patterns; a table of them does not fit into memory."
_MOST_PAIRS = 200_000
_SPACES = " \t\r\n\u00a0\u200b\ufeff"


def read_long(source: Source, spec: ReadSpec, columns: tuple[str, str, str]) -> Table:
    """Read the columns subject, rater and rating of an open file."""
    subject, rater, rating = columns
    who, what = (_filled(source, source.texts[column], spec.fill_down) for column in (rater, subject))
    named = f"SELECT {what} AS subject, {who} AS rater, coalesce({source.texts[rating]}, '') AS rating"
    numbered = f"({named}, {source.line} AS line FROM file)"
    named = f"{named} FROM file"
    tally = source.rows(
        "SELECT rater, rating, min(line), count(*) FILTER (subject IS NULL OR rater IS NULL) "
        f"FROM {numbered} GROUP BY ALL ORDER BY min(line) LIMIT {_MOST_PAIRS + 1}"
    )
    if len(tally) > _MOST_PAIRS:
        raise InvalidRatingsError(
            f"columns {rater!r} and {rating!r} have more than {_MOST_PAIRS:,} distinct pairs of values, so they are "
            "probably not rater and rating.",
            code="too-many-values",
        )
    require_named_rows(sum(row[-1] for row in tally), source.name, fill_down=not spec.fill_down)
    source.require_text(tally)
    names = spec.long_raters(dict.fromkeys(row[0] for row in tally), rater)
    keys = [f"r{i}" for i in range(len(names))]
    ratings = [f"max(rating) FILTER (rater = {sql_list([one])}) AS {key}" for one, key in zip(names, keys, strict=True)]
    present = " + ".join(f"({key} IS NOT NULL)::INT" for key in keys)
    chosen = f"WHERE rater IN ({sql_list(names)})"
    most = MOST_CELLS // len(names)
    rows = source.rows(
        f"SELECT {', '.join(keys)}, count(*), max(n - ({present})) "
        f"FROM (SELECT {', '.join(ratings)}, count(*) AS n FROM ({named}) {chosen} GROUP BY subject) "
        f"GROUP BY ALL LIMIT {most + 1}"
    )
    if len(rows) > most:
        raise NotSupportedError(TOO_MANY_PATTERNS.format(most))
    if any(row[-1] for row in rows):
        _raise_rated_twice(source, f"FROM {numbered} {chosen}")
    notes = list[str]()
    if spec.categories is None:
        n_values = len({row[1] for row in tally if row[0] in names})
        notes = spec.few_values_notes([rating], [n_values], len(names) * sum(row[-2] for row in rows))
    lines = {(who, what): line for who, what, line, _ in reversed(tally)}

    def locate(i: int, value: Any) -> str:
        return f", {source.unit} {source.number(lines[names[i], value])}"

    table = table_of_rows(
        [row[:-1] for row in rows],
        raters=names,
        spec=spec,
        declared=[source.declared.get(rating)] * len(names),
        locate=locate,
    )
    return with_notes(table, notes)


def _filled(source: Source, column: str, fill_down: bool) -> str:
    """Return the SQL expression of a name without surrounding spaces, or of the name above it if it is empty."""
    name = f"nullif(trim({column}, {sql_list([_SPACES])}), '')"
    if not fill_down:
        return name
    return f"last_value({name} IGNORE NULLS) OVER (ORDER BY {source.line} ROWS UNBOUNDED PRECEDING)"


def _raise_rated_twice(source: Source, ratings: str) -> NoReturn:
    """Raise an error that names the first subject and rater that occur together twice, and their lines."""
    ((subject, rater, first),) = source.rows(
        f"SELECT subject, rater, min(line) {ratings} GROUP BY ALL HAVING count(*) > 1 ORDER BY min(line) LIMIT 1"
    )
    ((second,),) = source.rows(
        f"SELECT min(line) {ratings} AND subject = ? AND rater = ? AND line > ?", [subject, rater, first]
    )
    raise_rated_twice(subject, rater, f", in {source.unit}s {source.number(first)} and {source.number(second)}")
