"""Count the patterns of ratings in a table with one row per rating.

The ratings of a subject are packed into integers. Each rater has a few bits, which contain the position of the rating
among the labels, counted from one, or zero if the rater did not rate the subject. DuckDB joins the bits of a subject by
`bit_or` and then counts equal integers, which takes less time and memory than one aggregate of text for each rater.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kappamax._typing import Array, Integers
from kappamax.errors import UnreadableFileError
from kappamax.io.file_formats import Source, sql_list

Cell = str | int | None
_MOST_COMPARISONS = 12  # more values than this are found faster by hashing
_CLUSTER_OF_SUBJECT = ", min(cluster) AS cluster, max(cluster) AS last_cluster"
_UNKNOWN_RATER = "kappamax: unknown rater"


class Coding(NamedTuple):
    """The cells of a table with one row per rating, as they are in the columns rater and rating.

    Attributes
    ----------
    raters : sequence of cells
        Raters whose ratings are used.
    others : sequence of cells
        Raters whose ratings are not used.
    labels : sequence of cells
        Labels of the ratings that are used.
    """

    raters: Sequence[Cell]
    others: Sequence[Cell]
    labels: Sequence[Cell]


class PatternCounts(NamedTuple):
    """The patterns of ratings.

    Attributes
    ----------
    labels : sequence of cells
        Labels of the ratings.
    ratings : list of arrays
        For each rater, the position of the rating among the labels, counted from one; 0 if there is none.
    n_subjects : array
        Number of subjects with each pattern.
    n_ratings : int
        Number of ratings, including ratings of the same subject by the same rater.
    incomplete : dict of int
        Positions of the patterns of subjects that have a rating with another label, by subject.
    any_odd : bool
        Whether a subject fulfils the condition that the caller gave.
    clusters : array or None
        Number of the cluster of the subjects with each pattern; None if there are no clusters.
    any_split : bool
        Whether the ratings of a subject are in different clusters.
    """

    labels: Sequence[Cell]
    ratings: list[Array]
    n_subjects: Integers
    n_ratings: int
    incomplete: dict[Cell, int]
    any_odd: bool
    clusters: Integers | None = None
    any_split: bool = False


def count_patterns(
    source: Source, rows: str, coding: Coding, *, odd: str, clustered: bool, most: int, most_incomplete: int
) -> PatternCounts | None:
    """Return the patterns of ratings of all subjects, or None if a rater is not among the raters of the coding.

    If there are more than `most` patterns, or more than `most_incomplete` subjects with other labels, some of them are
    left out.

    Parameters
    ----------
    source : Source
        Open file.
    rows : str
        SQL table with the columns subject, rater and rating, and the column cluster if there are clusters.
    coding : Coding
        The raters and labels.
    odd : str
        SQL condition on the column subject.
    clustered : bool
        Whether there are clusters, whose patterns are counted separately.
    most, most_incomplete : int
        Number of patterns and number of subjects with other labels.
    """
    n_raters, n_bits = len(coding.raters), len(coding.labels).bit_length()
    kind, size = ("UINTEGER", 32) if n_bits * n_raters < 32 else ("UBIGINT", 64)
    per_key = (size - 1) // n_bits
    incomplete = 1 << (size - 1)  # the highest bit says that there is a rating with another label
    keys = [f"key{i}" for i in range(-(-n_raters // per_key))]
    shift = f"(who % {per_key} * {n_bits})::{kind}" if len(keys) > 1 else f"(who * {n_bits})::{kind}"
    chosen = [f"FILTER (who // {per_key} = {i})" for i in range(len(keys))] if len(keys) > 1 else [""]
    joined = [f"bit_or(bits) {own} AS {key}" for own, key in zip(chosen, keys, strict=True)]
    who = f"coalesce({_position('rater', [*coding.raters, *coding.others])}, error('{_UNKNOWN_RATER}'))"
    chosen_who = who if not coding.others else f"CASE WHEN {who} < {n_raters} THEN {who} END"
    coded = (
        f"SELECT subject, {'cluster, ' if clustered else ''}{chosen_who} AS who, "
        f"({_position('rating', coding.labels)} + 1)::{kind} AS what FROM {rows}"
    )
    bits = f"CASE WHEN what IS NULL AND who IS NOT NULL THEN {incomplete}::{kind} ELSE what << {shift} END"
    packed = (
        f"SELECT subject, {', '.join(joined)}, count(who) AS n{_CLUSTER_OF_SUBJECT if clustered else ''} "
        f"FROM (SELECT * EXCLUDE (what), {bits} AS bits FROM ({coded})) GROUP BY subject"
    )
    is_incomplete = " OR ".join(f"{key} >= {incomplete}" for key in keys)
    try:
        source.rows(
            "CREATE OR REPLACE TEMP TABLE pattern_counts AS "
            f"SELECT {', '.join(f'coalesce({key}, 0) AS {key}' for key in keys)}, "
            f"CASE WHEN {is_incomplete} THEN subject END AS incomplete, "
            f"count(*) AS n_subjects, sum(n)::BIGINT AS n_ratings, bool_or({odd}) AS odd"
            f"{', cluster, bool_or(cluster <> last_cluster) AS split' if clustered else ''} "
            f"FROM ({packed}) GROUP BY ALL LIMIT {most + 1}"
        )
    except UnreadableFileError as error:
        if _UNKNOWN_RATER not in str(error):
            raise
        return None
    found = source.connection.execute("SELECT * EXCLUDE (incomplete) FROM pattern_counts").fetchnumpy()
    subjects = source.rows(
        f"SELECT incomplete, rowid FROM pattern_counts WHERE incomplete IS NOT NULL LIMIT {most_incomplete + 1}"
    )
    source.rows("DROP TABLE pattern_counts")
    dtype, last = np.min_scalar_type(len(coding.labels)), (1 << n_bits) - 1
    ratings = [(found[keys[i // per_key]] >> (i % per_key * n_bits) & last).astype(dtype) for i in range(n_raters)]
    return PatternCounts(
        coding.labels,
        ratings,
        n_subjects=found["n_subjects"],
        n_ratings=int(found["n_ratings"].sum()),
        incomplete=dict(subjects),
        any_odd=bool(found["odd"].any()),
        clusters=found["cluster"].astype(np.int64) if clustered else None,
        any_split=clustered and bool(found["split"].any()),
    )


def ratings_with_other_labels(source: Source, rows: str, coding: Coding, *, most: int) -> list[tuple[Cell, Cell, Cell]]:
    """Return the subject, rater and rating of up to `most` ratings whose labels are not among those of the coding."""
    known = f"SELECT *, {_position('rater', coding.raters)} AS who, {_position('rating', coding.labels)} AS what"
    return source.rows(
        f"SELECT subject, rater, rating FROM ({known} FROM {rows}) WHERE who IS NOT NULL AND what IS NULL LIMIT {most}"
    )


def _position(column: str, cells: Sequence[Cell]) -> str:
    """Return the SQL expression of the position of a value among some cells, which is NULL for other values."""
    if len(cells) <= _MOST_COMPARISONS:
        tests = [f"{column} IS NULL" if cell is None else f"{column} = {_literal(cell)}" for cell in cells]
        return f"CASE {' '.join(f'WHEN {test} THEN {i}' for i, test in enumerate(tests))} END"
    texts = sql_list("" if cell is None else str(cell) for cell in cells)
    return f"enum_code(TRY_CAST(coalesce(CAST({column} AS VARCHAR), '') AS ENUM ({texts})))::INTEGER"


def _literal(cell: str | int) -> str:
    return sql_list([cell]) if isinstance(cell, str) else str(cell)
