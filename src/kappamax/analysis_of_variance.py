"""Split the variance of ratings into parts for subjects, raters and error, exactly and without expanding subjects.

The sums of squares follow from the patterns of ratings, their counts and the margins, in whole numbers. Therefore
neither a large number of subjects nor a large offset of the ratings costs accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, lcm
from typing import Any, NamedTuple

import numpy as np

from kappamax._integers import dot, widen
from kappamax._rootsum import as_fraction
from kappamax._typing import Array
from kappamax.display.text import listing
from kappamax.errors import ORDER_TO_GIVE, POSITIONS_TO_GIVE, Advice, InvalidOptionError, InvalidWeightsError
from kappamax.table import Table
from kappamax.weights.input_rules import as_exact_positions
from kappamax.weights.schemes import LARGEST_DENOMINATOR


class Scale(NamedTuple):
    """Positions of the categories as whole numbers of a unit, counted from the lowest position.

    Attributes
    ----------
    whole : array of int, shape (k,)
        Distances from the lowest position, times `unit`.
    unit : int
        Number of units in a distance of one.
    exact : bool
        Whether the positions are exactly the numbers meant; False if they were given as floats that are not close to
        simple fractions.
    source : {"values", "ranks", "positions"}
        Origin of the positions: the labels themselves, the ranks of ordered labels, or an argument.
    """

    whole: Array
    unit: int
    exact: bool
    source: str


def scale_of(table: Table, positions: Sequence[float | Fraction] | None) -> Scale:
    """Return the positions of the categories of a table.

    Parameters
    ----------
    table : Table
        Ratings.
    positions : sequence of numbers, or None
        One position per category; None for the values of numeric labels and the ranks of ordered text.

    Returns
    -------
    Scale

    Raises
    ------
    InvalidWeightsError
        If the positions are not one finite number per category, all different.
    InvalidOptionError
        If there are no positions and the labels are neither finite numbers nor ordered.
    """
    if positions is not None:
        read = as_exact_positions(positions)
        if len(read) != table.n_categories:
            raise InvalidWeightsError(
                f"positions must be one number per category; got {len(read)} for {table.n_categories} categories: "
                f"{listing(table.categories)}."
            )
        return _scale(read, positions, "positions")
    if not any(isinstance(label, str) for label in table.categories):
        endless = [label for label in table.categories if isinstance(label, float) and not isfinite(label)]
        if endless:
            raise InvalidOptionError(
                f"intraclass correlations need finite numbers; got the category {endless[0]!r}.",
                advice=[Advice({"positions": POSITIONS_TO_GIVE})],
            )
        return _scale([as_fraction(label) for label in table.categories], table.categories, "values")
    if not table.ordered and table.n_categories > 2:  # two categories have the same correlations in either order
        raise InvalidOptionError(
            "intraclass correlations need categories that are numbers or ordered, but the order of these is not known: "
            f"{listing(table.categories)}.",
            code="categories-without-order",
            fields={"categories": list(table.categories)},
            advice=[
                Advice({"positions": POSITIONS_TO_GIVE}, "if their positions on a scale are known"),
                Advice({"categories": ORDER_TO_GIVE}),
            ],
        )
    ranks = range(1, table.n_categories + 1)
    return _scale([(Fraction(rank), True) for rank in ranks], ranks, "ranks")


def _scale(read: Sequence[tuple[Fraction, bool]], numbers: Sequence[Any], source: str) -> Scale:
    fractions, exact = [number for number, _ in read], all(meant for _, meant in read)
    unit = lcm(*(number.denominator for number in fractions))
    if unit > LARGEST_DENOMINATOR:  # floats close to many different fractions; their binary values share a unit
        fractions, exact = [Fraction(number) for number in numbers], False
        unit = lcm(*(number.denominator for number in fractions))
    lowest = min(fractions)
    return Scale(np.array([int((number - lowest) * unit) for number in fractions], dtype=object), unit, exact, source)


class SumsOfSquares(NamedTuple):
    """Sums of squares of the ratings of N subjects by r raters, as exact numbers.

    Attributes
    ----------
    n_subjects, n_raters : int
        Numbers of subjects (N) and of raters (r).
    subjects, raters, error : Fraction
        Sums of squares with N - 1, r - 1 and (N - 1)(r - 1) degrees of freedom.
    """

    n_subjects: int
    n_raters: int
    subjects: Fraction
    raters: Fraction
    error: Fraction

    @classmethod
    def of(cls, table: Table, scale: Scale) -> SumsOfSquares:
        """Return the sums of squares of complete ratings.

        With the sum t_i of the ratings of subject i, the sum s_a of those of rater a and the sum T of all of them,
        rN times the sums of squares are N sum t_i^2 - T^2 for the subjects, r sum s_a^2 - T^2 for the raters and
        rN sum x^2 - T^2 in all.
        """
        n, r = table.n_subjects, table.n_raters
        x = widen(scale.whole, (r * int(scale.whole.max())) ** 2)
        sums = sum(x[codes] for codes in table.rows.patterns.T)
        per_rater = [dot(margin, x) for margin in table.margins]
        squares = sum(dot(margin, x * x) for margin in table.margins)
        grand = sum(per_rater) ** 2
        unit = r * n * scale.unit**2
        total = Fraction(r * n * squares - grand, unit)
        subjects = Fraction(n * dot(table.rows.counts, sums * sums) - grand, unit)
        raters = Fraction(r * sum(one * one for one in per_rater) - grand, unit)
        return cls(n, r, subjects, raters, total - subjects - raters)

    @property
    def within(self) -> Fraction:
        """Sum of squares within subjects, with N(r - 1) degrees of freedom."""
        return self.raters + self.error

    @property
    def total(self) -> Fraction:
        """Total sum of squares, with rN - 1 degrees of freedom."""
        return self.subjects + self.within
