"""Build the population that a study is planned for, from pilot ratings or from margins and a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import isfinite
from typing import Any

import numpy as np

from kappamax._rootsum import as_fraction
from kappamax._validate import as_finite_number, as_whole_number, is_number
from kappamax._validate_table import as_categories
from kappamax.disagreement.objective import Objective
from kappamax.display.text import listing
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.io import Ratings, as_table
from kappamax.planning.margin_tables import (
    LARGEST_PROGRAM,
    MOST_ASSUMED_PATTERNS,
    Chosen,
    MarginTables,
    population_of,
    require_few_patterns,
    shares_of,
)
from kappamax.reading import DataSummary
from kappamax.table import Label, Table

_SUM_TOLERANCE = 1e-9


def from_margins(
    margins: Any,
    kappa: float | Fraction | None,
    n_raters: int | None,
    categories: Sequence[Label] | None,
    chosen: Chosen,
) -> AssumedPopulation:
    """Return the population with given margins and a given value of the coefficient."""
    if kappa is None:
        raise InvalidOptionError("kappa, the assumed value of the coefficient, must be given with margins.")
    as_finite_number("kappa", kappa)
    rows = _as_margins(margins, n_raters)
    labels = tuple(range(1, len(rows[0]) + 1)) if categories is None else as_categories(categories)
    if len(labels) != len(rows[0]):
        raise InvalidOptionError(
            f"categories must name the {len(rows[0])} categories of the margins; got {len(labels)}: {listing(labels)}."
        )
    shares = np.array([[as_fraction(share)[0] for share in row] for row in rows], dtype=object)
    raters = [str(number) for number in range(1, len(rows) + 1)]
    tables = MarginTables(shares, labels, raters, ordered=True, chosen=chosen)
    return AssumedPopulation(tables.at(kappa, "kappa"), tables)


def from_pilot(
    ratings: Sequence[Ratings], kappa: float | Fraction | None, categories: Sequence[Label] | None, chosen: Chosen
) -> AssumedPopulation:
    """Return the population with the proportions of pilot ratings, or with their margins and a given value."""
    pilot = as_table(*ratings, categories=categories)
    if kappa is not None:
        as_finite_number("kappa", kappa)
        if not pilot.complete:
            raise NotSupportedError(
                "kappa needs complete pilot ratings; if ratings are missing, the assumed value is that of the pilot. "
                "Omit kappa or the incomplete subjects."
            )
        require_few_patterns(pilot.n_categories, pilot.n_raters)
    tables = None
    if pilot.complete and pilot.n_categories**pilot.n_raters <= MOST_ASSUMED_PATTERNS:
        tables = tables_through(pilot, chosen)
    if kappa is not None and tables is not None:
        return AssumedPopulation(tables.at(kappa, "kappa"), tables, pilot=pilot)
    return AssumedPopulation(population_of(pilot, chosen), tables, pilot=pilot)


def tables_through(pilot: Table, chosen: Chosen) -> MarginTables:
    """Return the tables with the margins of complete ratings, including the table of the ratings."""
    shares = np.array([shares_of(row) for row in pilot.margins], dtype=object)
    return MarginTables(shares, pilot.categories, pilot.raters, ordered=pilot.ordered, chosen=chosen, pilot=pilot)


@dataclass(frozen=True)
class AssumedPopulation:
    """The population that a study is planned for.

    Attributes
    ----------
    objective : Objective
        Objective of the assumed table.
    tables : MarginTables or None
        The tables with the same margins; None if ratings are missing or there are too many possible patterns.
    pilot : Table or None
        Pilot ratings, whose margins the population has; None if there are none.
    from_pilot : bool
        Whether there are pilot ratings.
    data : DataSummary or None
        Description of the pilot ratings; None if there are none.
    value : float
        Value of the coefficient in the population.
    maximum : float or None
        Largest value of the coefficient that the margins allow; None if `tables` is None.
    n_patterns : int
        Number of possible patterns.
    """

    objective: Objective
    tables: MarginTables | None
    pilot: Table | None = None

    @property
    def from_pilot(self) -> bool:
        """Whether there are pilot ratings."""
        return self.pilot is not None

    @property
    def data(self) -> DataSummary | None:
        """Description of the pilot ratings."""
        return None if self.pilot is None else self.pilot.data

    @property
    def value(self) -> float:
        """Value of the coefficient in the population."""
        return self.objective.value(self.objective.score)

    @property
    def maximum(self) -> float | None:
        """Largest value of the coefficient that the margins allow."""
        return None if self.tables is None else float(self.tables.largest.value)

    @property
    def n_patterns(self) -> int:
        """Number of possible patterns."""
        return int(self.objective.table.n_categories**self.objective.table.n_raters)

    def extremes(self, null_population: Objective | None) -> list[tuple[Objective, Objective | None]]:
        """Return pairs of assumed and null populations with the smallest and the largest standard errors.

        The last pair has the largest standard errors. The list is empty if these populations are not known.
        """
        if self.from_pilot or self.tables is None or self.n_patterns > LARGEST_PROGRAM:
            return []
        own = [self.tables.extreme_spread(self.objective, sign) for sign in (-1, 1)]
        under_null: list[Objective | None] = [None]
        if null_population is not None:
            under_null = [self.tables.extreme_spread(null_population, sign) for sign in (-1, 1)]
        return list(product(own, under_null))

    def at_null(self, null: float, *, needed: bool) -> Objective | None:
        """Return the population with the same margins and the null value.

        Parameters
        ----------
        null : float
            The null value.
        needed : bool
            Whether the population is needed. If it is not needed and cannot be built, None is returned.

        Returns
        -------
        Objective or None

        Raises
        ------
        NotSupportedError
            If the population is needed, and ratings are missing or there are too many possible patterns.
        InvalidOptionError
            If the population is needed and the margins do not allow the null value.
        """
        table = self.objective.table
        if needed and not table.complete:
            raise NotSupportedError(
                "variance='null' needs complete pilot ratings, because no table with the null value can be built from "
                "incomplete ones. Use variance='estimate' or omit the incomplete subjects."
            )
        if needed:
            require_few_patterns(table.n_categories, table.n_raters)
        if self.tables is None:
            return None
        try:
            return self.tables.at(null, "null")
        except InvalidOptionError:  # the margins do not allow the null value
            if needed:
                raise
            return None


def _as_margins(given: Any, n_raters: int | None) -> list[list[Any]]:
    """Return one list of shares for each rater, after checking them. A single list applies to all raters."""
    given = given.tolist() if isinstance(given, np.ndarray) else given
    if not isinstance(given, list | tuple) or not given:
        raise InvalidOptionError(f"margins must be a list of shares, as in [0.7, 0.3]; got {given!r}.")
    rows = [row.tolist() if isinstance(row, np.ndarray) else row for row in given]
    lists = [isinstance(row, list | tuple) for row in rows]
    if any(lists) and not all(lists):
        raise InvalidOptionError("margins must be one list of shares or one list per rater; got a mixture of both.")
    rows = [list(row) for row in rows] if all(lists) else [rows]
    n_alike = 1
    if len(rows) == 1:
        n_alike = 2 if n_raters is None else as_whole_number("n_raters", n_raters, 2)
        require_few_patterns(max(2, len(rows[0])), n_alike)
    elif n_raters is not None and as_whole_number("n_raters", n_raters, 2) != len(rows):
        raise InvalidOptionError(
            f"margins must be one list for all raters or one for each of {n_raters}; got {len(rows)}."
        )
    for number, row in enumerate(rows, start=1):
        _require_shares(f"the margins of rater {number}" if len(rows) > 1 else "margins", row, len(rows[0]))
    return rows * n_alike


def _require_shares(name: str, row: list[Any], n_categories: int) -> None:
    """Require two or more numbers that are not negative and add up to 1."""
    for position, share in enumerate(row, start=1):
        if not is_number(share) or not isfinite(share) or share < 0:
            raise InvalidOptionError(f"{name} must be shares >= 0; share {position} is {share!r}.")
    if len(row) < 2:
        raise InvalidOptionError(f"{name} must have at least two categories; got {len(row)}.")
    if len(row) != n_categories:
        raise InvalidOptionError(
            f"the margins of all raters must have the same number of categories; got {n_categories} and {len(row)}."
        )
    total = float(sum(row))
    if abs(total - 1) > _SUM_TOLERANCE:
        hint = " Divide percentages by 100." if abs(total - 100) < 1 else ""
        raise InvalidOptionError(f"{name} must add up to 1; got {total:.10g}.{hint}")
