"""Turn the ratings of several groups into tables with the same categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kappamax._typing import Codes
from kappamax._validate import is_number
from kappamax.display.text import listing
from kappamax.errors import InvalidOptionError, InvalidRatingsError, KappamaxError
from kappamax.io import as_table
from kappamax.patterns import MISSING
from kappamax.table import Label, Table

Groups = Mapping[str, Any] | Sequence[tuple[str, Any]]


def as_group_tables(groups: Groups, categories: Sequence[Label] | None) -> dict[str, Table | KappamaxError]:
    """Return the table of every group by its name, or the reason why a group has none.

    Parameters
    ----------
    groups : mapping from names to ratings, or sequence of (name, ratings)
        Ratings of the groups. An exception of this package in place of the ratings is returned as it is.
    categories : sequence of labels, optional
        All categories in order; by default, they are combined from the groups.

    Raises
    ------
    InvalidOptionError
        If there are fewer than two groups, two groups have the same name, or the categories of the groups cannot be
        combined.
    InvalidRatingsError
        If no group has ratings that can be read.
    """
    found: dict[str, Table | KappamaxError] = {}
    for name, ratings in _named(groups):
        if name in found:
            raise InvalidOptionError(f"groups must have different names; {name!r} occurs twice.")
        try:
            found[name] = ratings if isinstance(ratings, KappamaxError) else as_table(ratings)
        except InvalidRatingsError as error:
            found[name] = error
    if len(found) < 2:
        raise InvalidOptionError(f"groups must have at least two entries; got {len(found)}. Use km.agreement for one.")
    tables = [one for one in found.values() if isinstance(one, Table)]
    if not tables:
        raise next(one for one in found.values() if isinstance(one, KappamaxError))
    labels, ordered = _shared_categories(tables) if categories is None else (tuple(categories), True)
    return {name: one if isinstance(one, KappamaxError) else _with(one, labels, ordered) for name, one in found.items()}


def _named(groups: Groups) -> list[tuple[str, Any]]:
    """Return the names and ratings of the groups."""
    if isinstance(groups, Mapping):
        return [(str(name), ratings) for name, ratings in groups.items()]
    pairs = [] if isinstance(groups, str) or not hasattr(groups, "__iter__") else list(groups)
    if not pairs or not all(isinstance(one, tuple | list) and len(one) == 2 for one in pairs):
        raise InvalidOptionError(
            "groups must be a mapping from names to ratings, such as {'site A': table, 'site B': other}, or a list of "
            f"(name, ratings); got {type(groups).__name__}."
        )
    return [(str(name), ratings) for name, ratings in pairs]


def _shared_categories(tables: Sequence[Table]) -> tuple[tuple[Label, ...], bool]:
    """Return the categories of all groups, and whether they are ordered.

    Numbers are in increasing order. Ordered text must be in the order of the group with the most categories; text
    without an order is in order of appearance.
    """
    used = list(dict.fromkeys(label for table in tables for label in table.categories))
    if all(table.categories == tables[0].categories for table in tables):
        return tables[0].categories, all(table.ordered for table in tables)
    if all(is_number(label) for label in used) and all(table.ordered for table in tables):
        return tuple(sorted(used)), True
    if not any(table.ordered for table in tables):
        return tuple(used), False
    longest = max((table.categories for table in tables if table.ordered), key=len)
    for table in tables:
        places = [longest.index(label) for label in table.categories if label in longest]
        if len(places) < len(table.categories) or (table.ordered and places != sorted(places)):
            raise InvalidOptionError(
                "the groups must have the same categories in the same order; one group has "
                f"{listing(longest)} and another {listing(table.categories)}. Pass categories=[LOWEST, ..., HIGHEST]."
            )
    return longest, True


def _with(table: Table, categories: tuple[Label, ...], ordered: bool) -> Table:
    """Return a table of the same subjects with other categories, in the same clusters."""
    if table.categories == categories and table.ordered == ordered:
        return table
    unknown = [label for label in table.categories if label not in categories]
    used = {table.categories[code] for code in np.unique(table.rows.patterns).tolist() if code != MISSING}
    if used & set(unknown):
        raise InvalidOptionError(
            f"categories must contain all ratings; {next(label for label in unknown if label in used)!r} is missing."
        )
    places = np.array(
        [MISSING if label in unknown else categories.index(label) for label in table.categories] + [MISSING]
    )
    source = table.clusters or table.grouped
    codes: Codes = places[source.patterns].astype(np.int32)  # index -1, a missing rating, selects the last place
    made = Table(
        codes,
        source.counts,
        categories,
        table.raters,
        ordered=ordered,
        n_left_out=table.n_left_out,
        clusters=None if table.clusters is None else table.clusters.codes,
        cluster_name=None if table.clusters is None else table.clusters.name,
    )
    made.reading, made.frame_library = table.reading, table.frame_library
    return made
