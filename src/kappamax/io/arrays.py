"""Count the patterns of ratings in arrays of labels, or in rows that an engine has already grouped.

Only two steps take time proportional to the number of ratings: each value is turned into a small integer, and the
patterns are counted. Both are done block by block, so that the data stay in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from kappamax._tolerances import EXACT_DOUBLES
from kappamax._typing import Array, Codes, Integers
from kappamax._validate_table import LARGEST_TOTAL, as_rater_names
from kappamax.errors import InvalidRatingsError, InvalidTableError
from kappamax.io.category_codes import Locate, encode
from kappamax.io.declared_categories import DeclaredCategories
from kappamax.io.read_spec import ReadSpec
from kappamax.io.structured_labels import NO_LABEL, is_structured_type, raise_structured, single_label
from kappamax.patterns import MISSING
from kappamax.reading import Reading
from kappamax.table import Table

_RATINGS_PER_BLOCK = 1 << 15
_DENSE_CODES = 1 << 20
_NO_NUMBERS = frozenset({str, bool, type(None)})


class Column(NamedTuple):
    """The ratings of one rater as codes, which are positions in `values` and are computed for one slice at a time."""

    values: Sequence[Any]
    codes: Callable[[slice], Array]
    size: int
    declared: DeclaredCategories = None


class RowClusters(NamedTuple):
    """The clusters of the subjects in the rows of columns.

    Attributes
    ----------
    codes : integers, shape (m,)
        Clusters, numbered from zero, of subjects with the same ratings.
    name : str or None
        Name of the column that gives the clusters.
    rows : integers, shape (m,), or None
        Row in which the ratings of these subjects are. None if there is one cluster for each row.
    counts : integers, shape (m,), or None
        Number of these subjects. None if there is one cluster for each row, or if each is a single subject.
    """

    codes: Integers
    name: str | None
    rows: Integers | None = None
    counts: Integers | None = None


def table_of_rows(
    rows: Sequence[tuple[Any, ...]],
    *,
    raters: Sequence[str],
    spec: ReadSpec,
    declared: Sequence[DeclaredCategories] | None = None,
    locate: Locate | None = None,
    clusters: RowClusters | None = None,
) -> Table:
    """Return the table of grouped ratings; each row has one raw value per rater and the number of its occurrences.

    `declared` gives the categories that each rater's column declares, `locate` returns where a raw value first occurs,
    and `clusters` are those of the subjects in the rows.
    """
    if not rows:
        raise InvalidRatingsError("there is no subject to compare.")
    *values, counts = zip(*rows, strict=True)
    columns = [
        _hashed(column, f"an entry of column {name!r}")._replace(declared=own)
        for name, column, own in zip(raters, values, declared or [None] * len(raters), strict=True)
    ]
    notes = list[str]()
    if spec.categories is None and spec.layout != "long":
        notes = spec.few_values_notes(raters, [len(column.values) for column in columns], sum(counts))
    table = table_of_columns(columns, counts=counts, raters=raters, spec=spec, locate=locate, clusters=clusters)
    return with_notes(table, notes)


def with_notes(table: Table, notes: Sequence[str]) -> Table:
    """Return the table with further notes about how it was read, before those that it has."""
    table.reading = replace(table.reading, notes=(*notes, *table.reading.notes))
    return table


def table_of_columns(
    columns: Sequence[Column],
    *,
    spec: ReadSpec,
    raters: Sequence[str] | None = None,
    counts: Sequence[int] | Integers | None = None,
    locate: Locate | None = None,
    clusters: RowClusters | None = None,
) -> Table:
    """Return the table of columns of equal length; `counts` gives the number of subjects of each row."""
    if len(columns) < 2:
        raise InvalidRatingsError(f"agreement needs at least two raters; got {len(columns)}.")
    lengths = [column.size for column in columns]
    if len(set(lengths)) > 1:
        raise InvalidRatingsError(f"label arrays must have the same length; got {', '.join(map(str, lengths))}.")
    if lengths[0] == 0:
        raise InvalidRatingsError("there is no subject to compare: the label arrays are empty.")
    names = as_rater_names(raters, len(columns))
    sizes = [len(column.values) for column in columns]
    if isinstance(counts, Sequence) and sum(counts) >= LARGEST_TOTAL:  # whole numbers of Python have no limit
        raise InvalidTableError(f"counts must add up to less than 2^62; got {float(sum(counts)):.3g}.")
    totals: Integers | None
    if counts is None and prod(sizes) <= _DENSE_CODES:
        raw, totals, clusters = _count_cells(columns, sizes, clusters)
    else:
        raw = [column.codes(slice(None)) for column in columns]
        totals = None if counts is None else np.asarray(counts, dtype=np.int64)
    seen = [np.flatnonzero(np.bincount(codes)) for codes in raw]
    encoded = encode(
        [[column.values[i] for i in used.tolist()] for column, used in zip(columns, seen, strict=True)],
        n_ratings=[_numbers_of(codes, used, totals) for codes, used in zip(raw, seen, strict=True)],
        raters=names,
        spec=spec,
        declared=[column.declared for column in columns],
        locate=locate,
    )
    patterns = np.empty((len(raw[0]), len(columns)), dtype=np.int32, order="F")
    for i, (code, used, codes) in enumerate(zip(encoded.codes, seen, raw, strict=True)):
        final = np.full(used[-1] + 1, MISSING, dtype=np.int32)
        final[used] = code
        patterns[:, i] = final[codes]
    if clusters is not None and clusters.rows is not None:
        patterns, totals = _rows_at(patterns, clusters.rows), clusters.counts
    belongs = None if clusters is None else clusters.codes
    n_left_out = 0
    if spec.complete_only:
        complete = (patterns != MISSING).all(axis=1)
        if not complete.any():
            raise InvalidRatingsError("complete_only needs at least one subject that every rater rated; there is none.")
        n_left_out = int((~complete).sum() if totals is None else totals[~complete].sum())
        patterns, totals = patterns[complete], None if totals is None else totals[complete]
        belongs = None if belongs is None else belongs[complete]
    table = Table(
        patterns,
        totals,
        encoded.categories,
        names,
        ordered=encoded.ordered,
        n_left_out=n_left_out,
        clusters=belongs,
        cluster_name=None if clusters is None else clusters.name,
    )
    table.reading = Reading(missing=encoded.missing, notes=encoded.notes)
    return table


def _rows_at(patterns: Codes, rows: Integers) -> Codes:
    """Return some rows of an array, stored by column."""
    chosen = np.empty((len(rows), patterns.shape[1]), dtype=patterns.dtype, order="F")
    for i, column in enumerate(patterns.T):
        np.take(column, rows, out=chosen[:, i], mode="clip")  # no buffer, unlike the default
    return chosen


def _numbers_of(codes: Array, used: Array, totals: Integers | None) -> list[int]:
    """Return the number of subjects with each of the codes that occur."""
    counts = np.zeros(int(used[-1]) + 1, dtype=np.int64)
    if totals is None:
        counts += np.bincount(codes, minlength=len(counts))
    else:
        np.add.at(counts, codes, totals)  # exact for large counts, unlike the weights of bincount
    return [int(n) for n in counts[used]]


def column_of(values: Any, place: str | None = None, *, most: int = _DENSE_CODES) -> Column:
    """Return a one-dimensional array or list of labels as a column; `place` says where it is, for errors.

    `most` is the largest range of whole numbers for which the numbers that occur are not searched for.
    """
    array = _as_array(values)
    if array.dtype.kind in "iub":
        return _integers(array, most)
    if array.dtype.kind == "f":
        return _floats(array, most)
    if array.dtype.kind == "U" and array.size and array.dtype.itemsize:
        return _text(array)
    return _hashed(array.tolist(), place)


def _count_cells(
    columns: Sequence[Column], sizes: Sequence[int], clusters: RowClusters | None
) -> tuple[list[Array], Integers, RowClusters | None]:
    """Return each rater's codes in the distinct patterns, the counts of these patterns, and the clusters with each.

    A pattern is identified by the mixed-radix number that its codes form.
    """
    n_cells = prod(sizes)
    counts = np.zeros(n_cells, dtype=np.int64)
    for _, keys in _cell_keys(columns, sizes):
        counts += np.bincount(keys, minlength=n_cells)
    cells = np.flatnonzero(counts)
    if clusters is not None:
        place = np.zeros(n_cells, dtype=np.int32)
        place[cells] = np.arange(len(cells), dtype=np.int32)
        rows = np.empty(columns[0].size, dtype=np.int32)
        for block, keys in _cell_keys(columns, sizes):
            rows[block] = place[keys]
        clusters = _counted_together(clusters, rows, len(cells))
    return list(np.unravel_index(cells, sizes)), counts[cells], clusters


def _cell_keys(columns: Sequence[Column], sizes: Sequence[int]) -> Iterator[tuple[slice, Array]]:
    """Yield blocks of rows and the numbers of their patterns."""
    step = max(_RATINGS_PER_BLOCK, prod(sizes))
    for start in range(0, columns[0].size, step):
        block = slice(start, start + step)
        keys = columns[0].codes(block)
        for column, size in zip(columns[1:], sizes[1:], strict=True):
            keys = keys * size
            keys += column.codes(block)
        yield block, keys


def _counted_together(clusters: RowClusters, rows: Array, n_rows: int) -> RowClusters:
    """Return how many subjects of each cluster have each pattern, given the pattern of each subject.

    If there are fewer subjects than combinations of a cluster and a pattern, every subject is kept by itself.
    """
    n_clusters = int(clusters.codes.max()) + 1
    if n_clusters * n_rows > len(rows):
        return clusters._replace(rows=rows)
    counts = np.bincount(clusters.codes * n_rows + rows)
    both = np.flatnonzero(counts)
    return clusters._replace(codes=both // n_rows, rows=both % n_rows, counts=counts[both])


def _integers(array: Array, most: int) -> Column:
    """Return whole numbers as a column; the code is the distance from the smallest number unless the range is large."""
    if array.dtype.kind == "b":
        return Column([False, True], lambda block: array[block].astype(np.intp), array.size)
    low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    if high - low > min(4 * array.size + 1024, most) or high >= 2**62:
        return _distinct(array)
    shift = partial(np.subtract, dtype=np.intp, casting="unsafe")
    return Column(range(low, high + 1), lambda block: shift(array[block], low), array.size)


def _floats(array: Array, most: int) -> Column:
    """Return floating-point numbers as a column; whole numbers are treated like integers, and NaN is one more value."""
    missing = np.isnan(array)
    whole = array[~missing]
    if whole.size and (whole == np.floor(whole)).all() and np.abs(whole).max() < EXACT_DOUBLES:
        column = _integers(whole.astype(np.int64), most)
        codes = np.full(array.size, len(column.values), dtype=np.intp)
        codes[~missing] = column.codes(slice(None))
        return Column([*column.values, None], lambda block: codes[block], array.size)
    return _distinct(array)


def _distinct(array: Array) -> Column:
    """Return any array that can be sorted as a column."""
    values, codes = np.unique(array, return_inverse=True)
    single = array.dtype.kind == "f" and array.dtype.itemsize < 8  # the label of 0.1 in single precision is 0.1
    labels = [float(str(value)) for value in values] if single else values.tolist()
    return Column(labels, lambda block: codes[block], array.size)


def _hashed(items: Sequence[Any], place: str | None = None) -> Column:
    """Return Python objects as a column, by hashing; `place` is the place of a wrong value, for errors.

    A list of one label is that label.
    """
    if any(map(is_structured_type, set(map(type, items)))):
        items = [_single(value, place or f"entry {i + 1}") for i, value in enumerate(items)]
    distinct = dict.fromkeys(items)
    if (False in distinct or True in distinct) and bool in set(map(type, items)):  # True == 1 in Python
        items = [str(value) if isinstance(value, bool) else value for value in items]
        distinct = dict.fromkeys(items)
    position = {value: i for i, value in enumerate(distinct)}
    codes = np.fromiter(map(position.__getitem__, items), dtype=np.intp, count=len(items))
    return Column(list(position), lambda block: codes[block], len(items))


def _single(value: Any, place: str) -> Any:
    """Return the label that a value holds; a value with several labels raises an error."""
    label = single_label(value)
    if label is NO_LABEL:
        raise_structured(place, value)
    return label


def _text(array: Array) -> Column:
    """Return fixed-width text as a column, by hashing the code points of each text.

    This takes a fraction of a second for ten million texts, whereas sorting them takes seconds.
    """
    rows = np.ascontiguousarray(array).view(np.uint32).reshape(array.size, -1)
    multipliers = np.random.default_rng(0).integers(1, 2**63, size=rows.shape[1], dtype=np.uint64) | np.uint64(1)
    codes = np.empty(array.size, dtype=np.intp)
    known = np.empty(0, dtype=array.dtype)
    hashes = np.empty(0, dtype=np.uint64)
    for start in range(0, array.size, _RATINGS_PER_BLOCK):
        block = slice(start, start + _RATINGS_PER_BLOCK)
        keys = _hash(rows[block], multipliers)
        found = _look_up(keys, hashes)
        if (found < 0).any():
            fresh = np.unique(array[block][found < 0])
            known = np.concatenate([known, fresh])
            hashes = _hash(known.view(np.uint32).reshape(len(known), -1), multipliers)
            if len(known) > _DENSE_CODES or len(np.unique(hashes)) < len(hashes):
                return _distinct(array)
            found = _look_up(keys, hashes)
        if not (rows[block] == known.view(np.uint32).reshape(len(known), -1)[found]).all():
            return _distinct(array)  # two texts have the same hash
        codes[block] = found
    return Column(known.tolist(), lambda block: codes[block], array.size)


def _hash(rows: Array, multipliers: Array) -> Array:
    keys = rows[:, 0] * multipliers[0]
    for column in range(1, rows.shape[1]):
        keys += rows[:, column] * multipliers[column]
    return np.asarray(keys)


def _look_up(keys: Array, hashes: Array) -> Array:
    """Return the position of each key among the hashes, or -1 if the key is not among them."""
    if len(hashes) == 0:
        return np.full(len(keys), -1, dtype=np.intp)
    order = np.argsort(hashes)
    place = order[np.searchsorted(hashes, keys, sorter=order).clip(max=len(hashes) - 1)]
    return np.where(hashes[place] == keys, place, MISSING)


def _as_array(values: Any) -> Array:
    """Return a one-dimensional array; a list with text or truth values becomes an array of objects.

    Objects are cheaper than fixed-width text, and numpy would turn True into 1.
    """
    if isinstance(values, str | dict | set) or not hasattr(values, "__len__"):
        raise InvalidRatingsError(
            f"ratings must be a Table, a frame, or two or more label arrays; got {type(values).__name__}. "
            "Options such as weights= are given by name."
        )
    if isinstance(values, np.ma.MaskedArray):
        values = np.where(np.ma.getmaskarray(values), np.array(None), values.data)
    array = None
    if not (isinstance(values, list | tuple) and _NO_NUMBERS & set(map(type, values))):
        with suppress(ValueError):
            array = np.asarray(values)
    if array is None:
        array = np.empty(len(values), dtype=object)
        array[:] = values
    if array.ndim != 1:
        raise InvalidRatingsError(
            f"each label array must be one-dimensional; got {' x '.join(map(str, array.shape)) or 'a single value'}."
        )
    return array
