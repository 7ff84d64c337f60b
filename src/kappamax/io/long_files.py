"""Read files with one row per rating.

DuckDB groups the ratings of a subject and then equal patterns, so that only distinct patterns are held in memory. To
remove spaces around names and to count lines takes longer than the grouping itself. Cells are therefore grouped as they
are in the file unless there are such spaces, and lines are counted only to report an error or to order the raters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, NoReturn

import numpy as np

from kappamax.errors import (
    Advice,
    InvalidOptionError,
    InvalidRatingsError,
    KappamaxError,
    NotSupportedError,
    UnreadableFileError,
)
from kappamax.io.arrays import Column, RowClusters, table_of_columns, with_notes
from kappamax.io.cluster_files import SPACES, NumberedClusters, filled_down, is_whole_number, number_clusters, sql_name
from kappamax.io.column_names import names_rating
from kappamax.io.file_formats import LINE, Source, sql_list
from kappamax.io.pattern_counts import Cell, Coding, PatternCounts, count_patterns, ratings_with_other_labels
from kappamax.io.read_spec import ReadSpec, raise_rated_twice, require_named_rows
from kappamax.io.row_names import raise_in_two_clusters, subjects_within
from kappamax.table import Table

MOST_CELLS = 20_000_000
TOO_MANY_PATTERNS = "the ratings have more than {:,} distinct patterns; a table of them does not fit into memory."
_MOST_COLUMNS_TRIED = 40
_FEWEST_RATINGS_EACH = 1.5
_MOST_PAIRS = 200_000
_MOST_RARE_RATINGS = 100_000
_FIRST_ROWS = 500_000
_NO_NAME = "subject IS NULL"


class _Cells(NamedTuple):
    """The columns of a long table in SQL.

    Attributes
    ----------
    subject, rater, rating : str
        Expressions of the cells as they are in the file: whole numbers if the column has that type, otherwise text.
    subject_name : str
        Expression of the name of the subject: text without surrounding spaces, NULL if it is empty.
    odd : str
        Condition that the cell `subject` is not the name of the subject.
    file : str
        Table with these cells.
    line : str
        Expression of the position of a row of this table, counted from one.
    named_rows : str
        Table with the columns subject, rater, rating and line; names are text without surrounding spaces.
    clusters : NumberedClusters or None
        Clusters of the rows of `file`.
    """

    subject: str
    rater: str
    rating: str
    subject_name: str
    odd: str
    file: str
    line: str
    named_rows: str
    clusters: NumberedClusters | None = None

    def rows(self, subject: str) -> str:
        """Return the table of subjects, raters, ratings and clusters, given the expression of the subject."""
        columns = f"{subject} AS subject, {self.rater} AS rater, {self.rating} AS rating"
        return f"(SELECT {columns} FROM {self.file})" if self.clusters is None else self.clusters.with_codes(columns)


class _Found(NamedTuple):
    """The raters and labels in the first rows of a file or in all rows.

    Attributes
    ----------
    raters : list of str
        Names of the raters that are used.
    spellings : dict
        Cells that contain the name of a rater, with and without surrounding spaces, by the name.
    coding : Coding
        The cells of these raters and their labels.
    """

    raters: list[str]
    spellings: dict[str, list[Cell]]
    coding: Coding


def read_long(source: Source, spec: ReadSpec, columns: tuple[str, str, str]) -> Table:
    """Read the columns subject, rater and rating of an open file.

    The first rows usually contain all raters and labels. If they do not contain all raters, those of the whole file are
    found first.
    """
    rating = columns[-1]
    cells = _cells(source, columns, fill_down=spec.fill_down)
    for name in spec.cluster_columns(source.columns):
        cells = cells._replace(clusters=number_clusters(source, name, fill_down=spec.fill_down))
    counted = None
    for n_rows in (_FIRST_ROWS, None):
        found = _found(source, spec, cells, columns, n_rows=n_rows)
        counted = None if found is None else _counted(source, spec, cells, found)
        if counted is not None:
            break
    if found is None or counted is None:
        _raise_changed(source)
    by_cell = dict(zip(found.coding.raters, counted.ratings, strict=True))
    ratings = [np.maximum.reduce([by_cell[cell] for cell in found.spellings[name]]) for name in found.raters]
    n_subjects = counted.n_subjects
    clusters = None
    if cells.clusters is not None and counted.clusters is not None:
        if counted.any_split:
            _raise_in_two_clusters(source, cells.clusters, cells.subject_name, spec.subject_names(columns[0]))
        clusters = RowClusters(counted.clusters, cells.clusters.column)
    if sum(int(n_subjects[own > 0].sum()) for own in ratings) != counted.n_ratings:
        chosen = f"FROM {cells.named_rows} WHERE rater IN ({sql_list(found.raters)})"
        _raise_rated_twice(source, chosen, _further_subject(source, columns))
    if found.coding.others:
        rated = np.logical_or.reduce([own > 0 for own in ratings])
        ratings, n_subjects = [own[rated] for own in ratings], n_subjects[rated]
        clusters = None if clusters is None else clusters._replace(codes=clusters.codes[rated])
    notes = list[str]()
    if spec.categories is None:
        notes = spec.few_values_notes([rating], [len(counted.labels)], len(ratings) * int(n_subjects.sum()))

    def locate(i: int, value: object) -> str:
        ((line,),) = source.rows(
            f"SELECT min(line) FROM {cells.named_rows} WHERE rater = ? AND rating = ?", [found.raters[i], value]
        )
        return f", {source.unit} {source.number(line)}"

    values = [None, *map(_text, counted.labels)]
    table = table_of_columns(
        [Column(values, own.__getitem__, len(own), source.declared.get(rating)) for own in ratings],
        counts=n_subjects,
        raters=found.raters,
        spec=spec,
        locate=locate,
        clusters=clusters,
    )
    return with_notes(table, notes)


def with_joined_subject(source: Source, name: str, columns: Sequence[str], *, fill_down: bool) -> Source:
    """Return the source with a further column, which identifies the subjects by several columns together."""
    if fill_down:
        raise InvalidOptionError("fill_down can be used with one column of subjects only; fill the empty cells first.")
    # bars in names are doubled, so that different names never become the same
    joined = " || ' | ' || ".join(f"replace({sql_name(source.texts[column])}, '|', '||')" for column in columns)
    return replace(source, values=source.values | {name: f"({joined})"}, texts=source.texts | {name: f"({joined})"})


def _cells(source: Source, columns: tuple[str, str, str], *, fill_down: bool) -> _Cells:
    """Return the columns subject, rater and rating in SQL."""
    texts = [source.texts[column] for column in columns]
    subject, rater, label = sql_name(texts[0]), sql_name(texts[1]), f"coalesce({texts[2]}, '')"
    if fill_down:
        (subject, file), (rater, _) = (filled_down(source, name) for name in (subject, rater))
        named = f"(SELECT {subject} AS subject, {rater} AS rater, {label} AS rating, {LINE} AS line FROM {file})"
        return _Cells(subject, rater, label, subject, _NO_NAME, file, LINE, named)
    named = f"(SELECT {subject} AS subject, {rater} AS rater, {label} AS rating, {source.line} AS line FROM file)"
    cells = [*texts[:2], label]
    for i, column in enumerate(columns):
        if is_whole_number(source, column):
            cells[i] = source.values[column]
    odd = _has_spaces("subject") if cells[0] == texts[0] else _NO_NAME
    return _Cells(cells[0], cells[1], cells[2], subject, odd, "file", source.line, named)


def _has_spaces(text: str) -> str:
    """Return the SQL condition that text has surrounding spaces, is empty or is NULL.

    Text that begins and ends with a printable ASCII character is recognised by two comparisons, which take less time.
    """
    plain = " AND ".join(f"{side} BETWEEN '!' AND '~'" for side in (text, f"reverse({text})"))
    ends = " OR ".join(f"contains({sql_list([SPACES])}, {text}[{end}])" for end in (1, -1))
    return f"CASE WHEN {plain} THEN false ELSE coalesce({ends}, true) END"


def _text(cell: Cell) -> str:
    return "" if cell is None else str(cell)


def _found(
    source: Source, spec: ReadSpec, cells: _Cells, columns: tuple[str, str, str], *, n_rows: int | None
) -> _Found | None:
    """Return the raters and labels in the first rows, or None if these do not contain the raters to be used.

    If `n_rows` is None, all rows are used.
    """
    _, rater, rating = columns
    rows = cells.file if n_rows is None else f"(SELECT * FROM {cells.file} LIMIT {n_rows})"
    tally: list[tuple[Cell, Cell, int, int]] = source.rows(
        f"SELECT rater, rating, min(line), count(*) FROM (SELECT {cells.rater} AS rater, {cells.rating} AS rating, "
        f"{cells.line} AS line FROM {rows}) GROUP BY ALL ORDER BY min(line) LIMIT {_MOST_PAIRS + 1}"
    )
    if len(tally) > _MOST_PAIRS:
        raise InvalidRatingsError(
            f"columns {rater!r} and {rating!r} have more than {_MOST_PAIRS:,} distinct pairs of values, so they are "
            "probably not rater and rating.",
            code="too-many-values",
        )
    spellings: dict[str, list[Cell]] = {}
    for cell in dict.fromkeys(row[0] for row in tally):
        spellings.setdefault(_text(cell).strip(SPACES), []).append(cell)
    if "" in spellings:
        _require_named_rows(source, spec, cells)
    source.require_text(tally)
    try:
        raters = spec.long_raters(spellings, rater)
    except KappamaxError:
        if n_rows is not None and sum(row[-1] for row in tally) == n_rows:
            return None
        _require_named_rows(source, spec, cells)
        raise
    used = {cell: None for name in raters for cell in spellings[name]}
    others = [cell for name in spellings for cell in spellings[name] if cell not in used]
    labels = dict.fromkeys(row[1] for row in tally if row[0] in used)
    return _Found(raters, spellings, Coding(list(used), others, list(labels)))


def _counted(source: Source, spec: ReadSpec, cells: _Cells, found: _Found) -> PatternCounts | None:
    """Return the patterns of all subjects, or None if other raters or many other labels were found.

    Spaces around the names of subjects are removed if the first rows, or else the patterns, show that there are some.
    """
    most = MOST_CELLS // len(found.raters)
    subjects = [(cells.subject, cells.odd)]
    if cells.odd != _NO_NAME:
        start = f"SELECT {cells.subject} AS subject FROM file LIMIT {_FIRST_ROWS}"
        ((any_odd,),) = source.rows(f"SELECT bool_or({cells.odd}) FROM ({start})")
        trimmed = f"CASE WHEN {_has_spaces(cells.subject)} THEN {cells.subject_name} ELSE {cells.subject} END"
        subjects = [*([] if any_odd else subjects), (trimmed, _NO_NAME)]
    for subject, odd in subjects:
        rows = cells.rows(subject)
        counted = count_patterns(
            source,
            rows,
            found.coding,
            odd=odd,
            clustered=cells.clusters is not None,
            most=most,
            most_incomplete=_MOST_RARE_RATINGS,
        )
        if counted is None or len(counted.incomplete) > _MOST_RARE_RATINGS:
            return None
        is_small = len(counted.n_subjects) <= most
        if counted.incomplete and not is_small:
            return None
        if is_small and not counted.any_odd:
            return _with_rare_labels(source, rows, found.coding, counted)
    _require_named_rows(source, spec, cells)
    raise NotSupportedError(TOO_MANY_PATTERNS.format(most))


def _with_rare_labels(source: Source, rows: str, coding: Coding, counted: PatternCounts) -> PatternCounts | None:
    """Return the patterns with the ratings whose labels are not among those of the coding, or None if they are many."""
    if not counted.incomplete:
        return counted
    rare = ratings_with_other_labels(source, rows, coding, most=_MOST_RARE_RATINGS + 1)
    if len(rare) > _MOST_RARE_RATINGS:
        return None
    source.require_text(rare)
    labels = [*coding.labels, *dict.fromkeys(label for _, _, label in rare)]
    rater_at, label_at = ({cell: i for i, cell in enumerate(own)} for own in (coding.raters, labels))
    ratings = [own.astype(np.min_scalar_type(len(labels))) for own in counted.ratings]
    for subject, rater, label in rare:
        if subject not in counted.incomplete:
            _raise_changed(source)
        ratings[rater_at[rater]][counted.incomplete[subject]] = label_at[label] + 1
    return counted._replace(labels=labels, ratings=ratings)


def _require_named_rows(source: Source, spec: ReadSpec, cells: _Cells) -> None:
    """Require that every row names a subject and a rater."""
    ((n_nameless,),) = source.rows(f"SELECT count(*) FROM {cells.named_rows} WHERE subject IS NULL OR rater IS NULL")
    require_named_rows(n_nameless, source.name, fill_down=not spec.fill_down)


def _further_subject(source: Source, columns: tuple[str, str, str]) -> list[Advice]:
    """Return the advice to identify subjects by a further column, with which each rater rates every subject once."""
    subject, rater, rating = columns
    for name, text in source.texts.items():
        if name not in columns and len(source.texts) <= _MOST_COLUMNS_TRIED:
            key = ", ".join(sql_name(source.texts[column]) for column in (subject, rater))
            own = f"{sql_name(source.texts[subject])}, {sql_name(text)}"
            ((n_subjects, n_keys, n_rows),) = source.rows(
                f"SELECT count(DISTINCT ({own})), count(DISTINCT ({key}, {sql_name(text)})), count(*) FROM file"
            )
            if n_keys == n_rows >= _FEWEST_RATINGS_EACH * n_subjects and not names_rating(name):
                return [Advice({"subject": [name, subject], "layout": "long", "rater": rater, "rating": rating})]
    return []


def _raise_rated_twice(source: Source, ratings: str, advice: Sequence[Advice]) -> NoReturn:
    """Raise an error that names the first subject and rater that occur together twice, and their lines."""
    found = source.rows(
        f"SELECT subject, rater, min(line) {ratings} GROUP BY ALL HAVING count(*) > 1 ORDER BY min(line) LIMIT 1"
    )
    if not found:
        _raise_changed(source)
    ((subject, rater, first),) = found
    ((second,),) = source.rows(
        f"SELECT min(line) {ratings} AND subject = ? AND rater = ? AND line > ?", [subject, rater, first]
    )
    raise_rated_twice(subject, rater, f", in {source.unit}s {source.number(first)} and {source.number(second)}", advice)


def _raise_in_two_clusters(
    source: Source, clusters: NumberedClusters, subject_name: str, subjects: Sequence[str]
) -> NoReturn:
    """Raise an error that names the first subject whose rows are in different clusters, and two of these clusters."""
    line = LINE if clusters.file != "file" else source.line
    rows = f"(SELECT {subject_name} AS subject, {clusters.name} AS cluster, {line} AS line FROM {clusters.file})"
    found = source.rows(
        f"SELECT subject, arg_min(cluster, line), min(line) FROM {rows} GROUP BY subject "
        "HAVING count(DISTINCT cluster) > 1 ORDER BY min(line) LIMIT 1"
    )
    if not found:
        _raise_changed(source)
    ((subject, cluster, first),) = found
    ((other, second),) = source.rows(
        f"SELECT arg_min(cluster, line), min(line) FROM {rows} WHERE subject = ? AND cluster <> ?", [subject, cluster]
    )
    places = f", in {source.unit}s {source.number(first)} and {source.number(second)}"
    raise_in_two_clusters(subject, cluster, other, places, advice=subjects_within(clusters.column, subjects))


def _raise_changed(source: Source) -> NoReturn:
    raise UnreadableFileError(f"{source.name} was changed while it was read.")
