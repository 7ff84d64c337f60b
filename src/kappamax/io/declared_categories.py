"""Combine the categories that the columns of the raters declare themselves.

An ordered categorical of a data frame and the value labels of a statistical file declare categories, including those
that no rater used. Value labels of a nominal variable are declared without an order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from kappamax.display.text import listing
from kappamax.errors import ORDER_TO_GIVE, Advice, InvalidRatingsError
from kappamax.table import Label


class UnorderedCategories(tuple[Label, ...]):
    """Categories that a column declares without an order; those that no rater used are not categories of the table."""

    __slots__ = ()


#: categories that a column declares itself, as an ordered categorical does, or None
DeclaredCategories = tuple[Label, ...] | None


def found_categories(used: Iterable[Label], declared: Sequence[DeclaredCategories]) -> tuple[tuple[Label, ...], bool]:
    """Return the categories and whether they are ordered: those that the columns declare, or else the labels found."""
    orders = list(
        dict.fromkeys(own for own in declared if own is not None and not isinstance(own, UnorderedCategories))
    )
    if len(orders) > 1:
        whole = merged_order(orders)
        raise InvalidRatingsError(
            f"the raters' columns declare different ordered categories: {listing(orders[0])} and {listing(orders[1])}.",
            code="different-declared-categories",
            fields={"orders": [list(order) for order in orders]},
            advice=[Advice({"categories": ORDER_TO_GIVE if whole is None else whole})],
        )
    if orders:
        return orders[0], True
    numbers = sorted(label for label in used if not isinstance(label, str))
    words = sorted(label for label in used if isinstance(label, str))
    return (*numbers, *words), not words


def merged_order(orders: Sequence[Sequence[Label]]) -> tuple[Label, ...] | None:
    """Return the only order of all labels that keeps each of the given orders, or None if there is not exactly one."""
    left = [list(order) for order in orders]
    merged: list[Label] = []
    while any(left := [order for order in left if order]):
        later = {label for order in left for label in order[1:]}
        first = {order[0] for order in left} - later
        if len(first) != 1:
            return None
        (label,) = first
        merged.append(label)
        left = [order[1:] if order[0] == label else order for order in left]
    return tuple(merged)


def without(declared: DeclaredCategories, missing: Collection[Label]) -> DeclaredCategories:
    """Return declared categories without codes that stand for missing ratings."""
    return declared and type(declared)(label for label in declared if label not in missing)
