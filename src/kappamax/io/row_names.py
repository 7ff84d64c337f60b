"""Turn the names of subjects, raters and clusters into positions.

1, 1.0 and "1" are the same name, and surrounding spaces are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from kappamax._typing import Integers
from kappamax.errors import Advice, InvalidRatingsError
from kappamax.io.arrays import Column, RowClusters
from kappamax.io.labels import MISSING_TEXT, label_of
from kappamax.patterns import MISSING

#: whole numbers that order clusters by value; other names are ordered as text
WHOLE_NUMBER = "-?[0-9]{1,18}"


def named_rows(column: Column) -> tuple[Sequence[Any], npt.NDArray[np.intp]]:
    """Return the names in a column and the position of each row's name, -1 for a row without a name."""
    codes = column.codes(slice(None))
    if isinstance(column.values, range):
        return column.values, codes
    raw = [name_of(value) for value in column.values]
    names = list(dict.fromkeys(name for name in raw if name is not None))
    position: dict[str | None, int] = {name: i for i, name in enumerate(names)} | {None: MISSING}
    return names, np.array([position[name] for name in raw], dtype=np.intp)[codes]


def name_of(value: Any) -> str | None:
    """Return a value as a name, or None if it is empty."""
    if isinstance(value, str):
        return value.strip() or None
    label = label_of(value)
    return None if label is None else str(label)


def named_clusters(
    column: Column,
    counts: Sequence[int] | Integers | None = None,
    *,
    name: str | None,
    place: Callable[[int], str] | None = None,
) -> tuple[Sequence[Any], RowClusters]:
    """Return the names of clusters in order, and the cluster of each row, of which every row must have one.

    Parameters
    ----------
    column : Column
        Labels of the clusters.
    counts : sequence of int, optional
        Number of rows of the data that each entry of the column stands for, default 1.
    name : str or None
        Name of the column.
    place : callable, optional
        Function that returns the place of a row, such as "row 3", given its position. By default, rows have no order.
    """
    names, codes = named_rows(column)
    if isinstance(names, range):
        return names, RowClusters(np.asarray(codes, dtype=np.int64), name)
    order = sorted((i for i, one in enumerate(names) if one.lower() not in MISSING_TEXT), key=lambda i: _rank(names[i]))
    position = np.full(len(names) + 1, MISSING, dtype=np.int64)  # the last entry is that of rows without a name
    position[order] = np.arange(len(order))
    ordered = position[codes]
    without = np.flatnonzero(ordered == MISSING)
    if len(without):
        n_rows = len(without) if counts is None else int(sum(counts[i] for i in without.tolist()))
        raise_without_cluster(n_rows, name, "" if place is None else place(int(without[0])))
    return [names[i] for i in order], RowClusters(ordered, name)


def require_one_cluster(
    subjects: tuple[Sequence[Any], npt.NDArray[np.intp]], clusters: tuple[Sequence[Any], Integers], advice: Advice
) -> None:
    """Require that all rows of a subject have the same cluster; both are given as names and positions of rows."""
    (subject_names, who), (cluster_names, where) = subjects, clusters
    _, first, own = np.unique(who, return_index=True, return_inverse=True)
    wrong = np.flatnonzero(where != where[first][own])
    if len(wrong):
        row = int(wrong[0])
        found = [str(cluster_names[where[i]]) for i in (first[own[row]], row)]
        raise_in_two_clusters(str(subject_names[who[row]]), *found, advice=advice)


def raise_without_cluster(n_rows: int, name: str | None, place: str, advice: Sequence[Advice] = ()) -> NoReturn:
    """Raise the error about rows without a cluster; `place` is the place of the first, if it is known."""
    column = "cluster" if name is None else f"column {name!r}"
    rows = "1 row" if n_rows == 1 else f"{n_rows:,} rows"
    first = "" if not place else f" ({place})" if n_rows == 1 else f", first in {place}"
    raise InvalidRatingsError(
        f"every subject must belong to a cluster; {column} is empty, or a missing value such as NA, in {rows}{first}.",
        code="rows-without-cluster",
        fields={"column": name, "n_rows": n_rows},
        advice=advice,
    )


def raise_in_two_clusters(subject: str, first: str, second: str, places: str = "", *, advice: Advice) -> NoReturn:
    """Raise the error about a subject whose rows are in different clusters."""
    raise InvalidRatingsError(
        f"a subject must belong to one cluster; {subject!r} is in {first!r} and in {second!r}{places}.",
        code="subject-in-two-clusters",
        fields={"subject": subject, "clusters": [first, second]},
        advice=[advice],
    )


def subjects_within(cluster: str, subjects: Sequence[str]) -> Advice:
    """Return the advice to identify subjects by their cluster as well."""
    others = [name for name in subjects if name != cluster]
    return Advice({"subject": [cluster, *others]}, "if these are different subjects with the same name")


def _rank(name: str) -> tuple[bool, int, str]:
    """Return the place of a cluster in the order of clusters: whole numbers by value, then text."""
    whole = re.fullmatch(WHOLE_NUMBER, name) is not None
    return not whole, int(name) if whole else 0, name
