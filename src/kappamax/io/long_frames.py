"""A frame with one row per rating in, a table out.

In memory, integers are sorted by subject; a lazy frame is grouped by subject and then by pattern in its own engine,
so that from a cluster only the patterns come back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._checks import columns as checks
from kappamax._checks import ratings as rating_checks
from kappamax.io.arrays import Column, table_of_columns
from kappamax.io.frames import fetched, levels_of, series_column, table_of_rows, with_text
from kappamax.io.labels import label_of
from kappamax.io.read_spec import Plan
from kappamax.patterns import MISSING
from kappamax.table import Table

__all__ = ["table_of_long_frame"]

_N, _NAMELESS = "kappamax_n", "kappamax_nameless"


def table_of_long_frame(frame: Any, plan: Plan) -> Table:
    """The table of columns subject, rater and rating; raters in the order of the frame, or sorted if it is lazy."""
    import narwhals as nw

    columns = plan.long_columns(list(frame.collect_schema().names()))
    if isinstance(frame, nw.LazyFrame):
        return _from_engine(frame, columns, plan)
    return _from_memory(frame, columns, plan)


def _from_memory(frame: Any, columns: tuple[str, str, str], plan: Plan) -> Table:
    if len(frame) == 0:
        rating_checks.no_subject()
    subjects, raters = (_named(series_column(frame[name])) for name in columns[:2])
    rating = series_column(frame[columns[2]])
    checks.every_row_named(int(((subjects.codes == MISSING) | (raters.codes == MISSING)).sum()), "the frame")
    values = rating.codes(slice(None))
    found, first = np.unique(raters.codes, return_index=True)
    names = plan.raters_of(str(raters.names[code]) for code in found[np.argsort(first)])
    checks.few_raters(len(names), columns[1])
    place = {name: i for i, name in enumerate(names)}
    who = np.array([place.get(str(name), MISSING) for name in raters.names], dtype=np.intp)[raters.codes]
    kept = who != MISSING
    who, values = who[kept], values[kept]
    present, what = np.unique(subjects.codes[kept], return_inverse=True)
    _refuse_double(what * len(names) + who, lambda row: (str(subjects.names[present[what[row]]]), names[who[row]]))
    n_values = len(rating.values)
    if plan.categories is None:
        used = len(np.unique(values))
        rating_checks.few_values([columns[2]], [used], len(values), chosen=plan.rating is not None)
    patterns = np.full((len(names), len(present)), n_values, dtype=np.intp)  # beyond the values: no row, so missing
    patterns[who, what] = values
    levels = levels_of(frame, columns[2])
    known = [*rating.values, None]
    return table_of_columns(
        [Column(known, codes.__getitem__, len(present), levels) for codes in patterns], raters=names, plan=plan
    )


def _from_engine(frame: Any, columns: tuple[str, str, str], plan: Plan) -> Table:
    import narwhals as nw

    subject, rater, rating = columns
    levels = levels_of(frame, rating)
    frame = with_text(frame.select(columns), columns)
    nameless = nw.when(nw.col(subject).is_null()).then(nw.lit(1)).otherwise(nw.lit(0))
    tally = fetched(
        frame.with_columns(nameless.alias(_NAMELESS)).group_by(rater).agg(nw.col(_NAMELESS).sum(), nw.len().alias(_N))
    )
    if not tally:
        rating_checks.no_subject()
    checks.every_row_named(sum(n if _name(who) is None else missing for who, missing, n in tally), "the frame")
    raw = {str(_name(value)): value for value, *_ in sorted(tally, key=lambda row: _sorting(row[0]))}
    names = plan.raters_of(raw)
    checks.few_raters(len(names), rater)
    chosen = frame.filter(nw.col(rater).is_in([raw[name] for name in names]))
    double = fetched(
        chosen.group_by(subject, rater).agg(nw.len().alias(_N)).filter(nw.col(_N) > 1).sort(subject, rater).head(1)
    )
    if double:
        checks.rated_once(*double[0][:2])
    keys = [f"kappamax_r{i}" for i in range(len(names))]
    rows = fetched(
        chosen.with_columns(
            nw.when(nw.col(rater) == raw[name]).then(nw.col(rating)).alias(key)
            for name, key in zip(names, keys, strict=True)
        )
        .group_by(subject)
        .agg(nw.col(key).max() for key in keys)
        .group_by(keys)
        .agg(nw.len().alias(_N))
    )
    if plan.categories is None:
        values = {value for row in rows for value in row[:-1]}
        n_cells = len(names) * sum(row[-1] for row in rows)
        rating_checks.few_values([rating], [len(values)], n_cells, chosen=plan.rating is not None)
    return table_of_rows(rows, raters=names, plan=plan, levels=[levels] * len(names))


class _Named(NamedTuple):
    """A column of names: for each row the position of its name, -1 where there is none."""

    names: Sequence[Any]
    codes: npt.NDArray[np.intp]


def _named(column: Column) -> _Named:
    """Values as names: 1, 1.0 and "1" are one name, and spaces around it do not count."""
    if isinstance(column.values, range):
        return _Named(column.values, column.codes(slice(None)))
    raw = [_name(value) for value in column.values]
    names = list(dict.fromkeys(name for name in raw if name is not None))
    position: dict[str | None, int] = {name: i for i, name in enumerate(names)}
    position[None] = MISSING
    return _Named(names, np.array([position[name] for name in raw], dtype=np.intp)[column.codes(slice(None))])


def _name(value: Any) -> str | None:
    if isinstance(value, str):
        return value.strip() or None
    label = label_of(value)
    return None if label is None else str(label)


def _sorting(value: Any) -> tuple[bool, Any]:
    """Numbers in their order, then text; `nameless` values never get here."""
    label = label_of(value, frozenset({str(value).strip()}))
    return isinstance(label, str), label


def _refuse_double(keys: npt.NDArray[np.intp], names_of: Callable[[int], tuple[str, str]]) -> None:
    """Keys of subject and rater must differ; the first that comes again is named."""
    order = np.argsort(keys, kind="stable")
    again = order[1:][keys[order][1:] == keys[order][:-1]]
    if len(again):
        checks.rated_once(*names_of(int(again.min())))
