"""Define exact disagreement weights for one set of categories.

Weights are always disagreement weights u with a zero diagonal. Every entry is held as m * sqrt(f) / denominator with an
integer m and a square-free f, which is 1 for rational weights, so that scores can be compared without rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._integers import widen
from kappamax._rootsum import RootSum, as_fraction
from kappamax._tolerances import DOUBLE_TOLERANCE
from kappamax._typing import Array, Floats
from kappamax._validate import as_choice, as_whole_number
from kappamax.display import html, numbers, text
from kappamax.errors import InvalidWeightsError
from kappamax.weights.input_rules import as_exact_positions, as_matrix_labels, as_matrix_rows, matrix_notes
from kappamax.weights.schemes import Terms, as_scheme, terms_of

KINDS = ("disagreement", "agreement")
_FEW_CATEGORIES = 20  # largest number of categories for which named weights are cached
_CATEGORIES_SHOWN = 12  # largest matrix that is shown completely
_REQUIRED_FIELDS = 4


@dataclass(frozen=True, eq=False, repr=False)
class Weights:
    """Disagreement weights for one set of categories.

    Weights are made with `Weights.from_scheme`, `Weights.from_positions` or `Weights.from_matrix`. Public functions
    also accept the name of a scheme. They reject a matrix, because it could hold agreement or disagreement.

    Attributes
    ----------
    name : str
        Name of the weights in reports.
    multipliers : array of int, shape (k, k)
        Integers m of the entries m * sqrt(f) / denominator.
    radicands : array of int, shape (k, k)
        Square-free numbers f of the entries.
    denominator : int
        Common denominator of the entries.
    exact : bool
        Whether the entries are exactly the numbers meant. Otherwise they are rounded, and `tolerance` is above zero.
    needs_order : bool
        Whether the weights depend on the order of the categories.
    power : Fraction or None
        Exponent p if the weights are the distance to the power p, else None.
    notes : tuple of str
        Remarks on the weights, such as a zero off the diagonal or fractions that were recovered from floats.
    positions : tuple of numbers or None
        Positions of the categories given to `from_positions`, else None.
    labels : tuple of labels or None
        Categories of the rows and columns given to `from_matrix`, else None. Functions that are given a table arrange
        the weights in the order of its categories.
    depends_on_use : bool
        Whether the weights were computed from how often each category was used, as those of Krippendorff's ordinal
        metric are. They hold for the table from which they were computed.

    Examples
    --------
    >>> w = Weights.from_scheme("quadratic", 3)
    >>> w
    Weights(quadratic, 3 categories, exact)
      disagreement       1       2       3
      ------------  ------  ------  ------
      1             0.0000  0.2500  1.0000
      2             0.2500  0.0000  0.2500
      3             1.0000  0.2500  0.0000
    >>> w.matrix.tolist()
    [[0.0, 0.25, 1.0], [0.25, 0.0, 0.25], [1.0, 0.25, 0.0]]
    >>> w.metric, w.monge, w.violated_triangle
    (False, True, (0, 1, 2))
    """

    name: str
    multipliers: Array
    radicands: Array
    denominator: int
    exact: bool = True
    needs_order: bool = False
    power: Fraction | None = None
    notes: tuple[str, ...] = ()
    positions: tuple[float | Fraction, ...] | None = None
    labels: tuple[Any, ...] | None = None
    depends_on_use: bool = False

    def __new__(cls, *arguments: Any, **named: Any) -> Weights:
        """Refuse a matrix or a name, for which there are class methods."""
        if 0 < len(arguments) + len(named) < _REQUIRED_FIELDS:  # copies are made without arguments
            raise InvalidWeightsError(
                "weights are made with km.Weights.from_matrix(matrix, kind='disagreement'), "
                "km.Weights.from_scheme(name, n_categories) or km.Weights.from_positions(positions)."
            )
        return super().__new__(cls)

    @classmethod
    def from_scheme(cls, name: str, n_categories: int) -> Weights:
        """Return named weights over the ranks 1, ..., k of the categories, scaled so that the largest weight is 1.

        Parameters
        ----------
        name : str
            Name of the scheme: unweighted, linear, quadratic, sqrt, gwet-ordinal, ratio, circular, bipolar, or power(p)
            with a number p, such as "power(1.5)" for ``|i - j|^1.5``. Other names are accepted in any case and with a
            space, hyphen or underscore: equal, equal-spacing, cicchetti-allison and absolute for linear; squared,
            fleiss-cohen and interval for quadratic; nominal, identity and none for unweighted; radical and square-root
            for sqrt; and ordinal for gwet-ordinal.
        n_categories : int
            Number of categories, k.

        Returns
        -------
        Weights
            Symmetric weights.

        Raises
        ------
        InvalidWeightsError
            If there is no scheme with this name, or the power is not between 0 and 100.

        Examples
        --------
        >>> Weights.from_scheme("linear", 4).matrix[0].round(2).tolist()
        [0.0, 0.33, 0.67, 1.0]
        """
        k = as_whole_number("n_categories", n_categories, 1)
        return _remembered(name, k) if isinstance(name, str) and k <= _FEW_CATEGORIES else _over_ranks(name, k)

    @classmethod
    def from_positions(cls, positions: Sequence[float | Fraction], scheme: str = "linear") -> Weights:
        """Return named weights over given positions of the categories instead of their ranks.

        Parameters
        ----------
        positions : sequence of k distinct numbers
            Position of each category on the scale.
        scheme : str
            Name of a scheme that depends on positions: linear (the default), quadratic, sqrt, power(p), ratio, circular
            or bipolar.

        Returns
        -------
        Weights
            Symmetric weights, scaled so that the largest is 1.

        Raises
        ------
        InvalidWeightsError
            If the positions are not distinct finite numbers, or the scheme is unknown or does not depend on positions.

        Examples
        --------
        >>> Weights.from_positions([0, 1, 10]).matrix[0].tolist()
        [0.0, 0.1, 1.0]
        """
        own, power = as_scheme(scheme)
        if power == 0 or own == "gwet-ordinal":
            raise InvalidWeightsError(
                f"scheme must depend on positions, but {scheme} weights do not. Name them without positions."
            )
        read = as_exact_positions(positions)
        weights = from_terms(terms_of(scheme, [number for number, _ in read]))
        exact = weights.exact and all(meant for _, meant in read)
        return replace(weights, name=f"{weights.name} over positions", exact=exact, positions=tuple(positions))

    @classmethod
    def from_matrix(
        cls, matrix: npt.ArrayLike, *, kind: str, name: str = "custom", labels: Sequence[Any] | None = None
    ) -> Weights:
        """Return weights from a k x k matrix.

        Parameters
        ----------
        matrix : array, shape (k, k)
            Integers, fractions or floats. Floats that are close to a simple fraction are read as that fraction.
        kind : {"disagreement", "agreement"}
            Meaning of the entries. A matrix of disagreement must have zeros on the diagonal and no negative entry, and
            is scaled so that its largest entry is 1. A matrix w of agreement must have ones on the diagonal and entries
            between 0 and 1; the weights are u = 1 - w and are not scaled, so that the largest may be below 1.
        name : str
            Name of the weights in reports, default "custom".
        labels : sequence of labels, optional
            Categories of the rows and columns. If they are given, the weights are arranged in the order of the
            categories of a table, which need no order, and a table with other categories is refused. By default the
            rows and columns are in the order of the categories.

        Returns
        -------
        Weights
            Disagreement weights.

        Raises
        ------
        InvalidWeightsError
            If the matrix is not square, breaks a rule of its kind, or gives only zeros, or if the labels are not one
            distinct label per row.

        Examples
        --------
        >>> Weights.from_matrix([[1, 0.5], [0.5, 1]], kind="agreement").matrix.tolist()
        [[0.0, 0.5], [0.5, 0.0]]
        """
        kind = as_choice("kind", kind, KINDS)
        entries = as_matrix_rows(matrix, kind)
        cells = [[as_fraction(entry) for entry in row] for row in entries]
        exact = all(meant for row in cells for _, meant in row)
        values = [[value for value, _ in row] for row in cells]
        if kind == "agreement":
            values = [[1 - value for value in row] for row in values]
        largest = max(max(row) for row in values)
        if largest == 0:
            raise InvalidWeightsError("at least two categories must disagree; all disagreement weights are zero.")
        if kind == "disagreement":
            values = [[value / largest for value in row] for row in values]
        terms = Terms.of_cells(name, [value for row in values for value in row], exact=exact)
        own = None if labels is None else as_matrix_labels(labels, len(values))
        weights = from_terms(terms, matrix_notes(values, entries, own, exact))
        return replace(weights, labels=own, needs_order=own is None)

    @property
    def n_categories(self) -> int:
        """Number of categories (k)."""
        return len(self.multipliers)

    @property
    def tolerance(self) -> float:
        """Largest difference at which two disagreements count as equal, which is zero for exact weights."""
        return 0.0 if self.exact else DOUBLE_TOLERANCE

    @cached_property
    def matrix(self) -> Floats:
        """Disagreement weights u as doubles, shape (k, k)."""
        if self.multipliers.dtype == object:
            rational = [float(Fraction(m, self.denominator)) for m in self.multipliers.ravel()]
            matrix = np.array(rational).reshape(self.multipliers.shape)
        else:
            matrix = self.multipliers / float(self.denominator)
        matrix = np.asarray(matrix * np.sqrt(self.radicands.astype(float)))
        matrix.setflags(write=False)
        return matrix

    @cached_property
    def roots(self) -> frozenset[int]:
        """Square-free numbers whose roots occur in the weights; only 1 for rational weights."""
        return frozenset(np.unique(self.radicands[self.multipliers != 0]).tolist())

    @cached_property
    def symmetric(self) -> bool:
        """Whether u[i, j] = u[j, i] for all i, j."""
        return bool((self.multipliers == self.multipliers.T).all() and (self.radicands == self.radicands.T).all())

    @property
    def metric(self) -> bool:
        """Whether the weights are symmetric and satisfy the triangle inequality."""
        return self.symmetric and self.violated_triangle is None

    @cached_property
    def violated_triangle(self) -> tuple[int, int, int] | None:
        """Categories (i, j, h), counted from 0, with u[i, h] > u[i, j] + u[j, h], or None if there are none."""
        if self.power is not None and self.power <= 1:  # a concave function of the distance is a metric
            return None
        for j in range(self.n_categories):
            corner = self._first_positive(
                [(1, (slice(None), slice(None))), (-1, (slice(None), [j])), (-1, ([j], slice(None)))]
            )
            if corner is not None:
                return corner[0], j, corner[1]
        return None

    @cached_property
    def monge(self) -> bool:
        """Whether u[i, j] + u[i+1, j+1] <= u[i, j+1] + u[i+1, j] for all i, j."""
        low, high = slice(None, -1), slice(1, None)
        violation = self._first_positive([(1, (low, low)), (1, (high, high)), (-1, (low, high)), (-1, (high, low))])
        return violation is None

    @cached_property
    def additive(self) -> bool:
        """Whether u[i, h] = u[i, j] + u[j, h] and u[h, i] = u[h, j] + u[j, i] for all i < j < h."""
        along = range(self.n_categories - 2)
        return all(
            self.entry(i, h) == self.entry(i, i + 1) + self.entry(i + 1, h)
            and self.entry(h, i) == self.entry(h, i + 1) + self.entry(i + 1, i)
            for i in along
            for h in range(i + 2, self.n_categories)
        )

    def entry(self, i: int, j: int) -> RootSum:
        """Return the weight u[i, j] as an exact number.

        Parameters
        ----------
        i, j : int
            Positions of the two categories, counted from 0.

        Returns
        -------
        RootSum
            The weight, as a rational multiple of a square root.
        """
        return RootSum({int(self.radicands[i, j]): Fraction(int(self.multipliers[i, j]), self.denominator)})

    def for_raters(self, raters: Sequence[int]) -> Weights:
        """Return the weights for some of the raters, which are the same for all pairs.

        Parameters
        ----------
        raters : sequence of int
            Positions of the raters, counted from 0.

        Returns
        -------
        Weights
            These weights themselves.
        """
        return self

    def __repr__(self) -> str:
        header, rows = self._shown()
        table = text.columns(["disagreement", *header], rows)
        notes = [text.printable(f"Note: {note}") for note in self.notes]
        return "\n".join([text.printable(self._title()), *(f"  {line}" for line in [*table, *notes])])

    def _repr_html_(self) -> str:
        caption = "; ".join([f"{self._title()}: disagreement", *self.notes])
        header, rows = self._shown()
        if self.n_categories <= _CATEGORIES_SHOWN:
            return html.heat_table(self.matrix, header, header, caption=caption)
        return html.table(["", *header], rows, caption=caption)

    def _title(self) -> str:
        """Return the name, the number of categories and whether the weights are exact."""
        exact = "exact" if self.exact else "not exact"
        categories = f"{self.n_categories} categor{'y' if self.n_categories == 1 else 'ies'}"
        return f"Weights({self.name}, {categories}, {exact})"

    def _shown(self) -> tuple[list[str], list[list[str]]]:
        """Return headers and rows of the matrix; if it is large, "..." replaces the categories in the middle."""
        k, half = self.n_categories, _CATEGORIES_SHOWN // 2
        categories = [*range(k)] if k <= _CATEGORIES_SHOWN else [*range(half), None, *range(k - half, k)]
        labels = self.labels or self.positions or range(1, k + 1)
        header = ["..." if i is None else str(labels[i]) for i in categories]
        rows = [
            [name, *("..." if i is None or j is None else numbers.decimal(self.matrix[i, j]) for j in categories)]
            for name, i in zip(header, categories, strict=True)
        ]
        return header, rows

    def _first_positive(self, terms: list[tuple[int, tuple[Any, Any]]]) -> tuple[int, int] | None:
        """Return the first cell in which a signed sum of slices of u is positive, decided exactly for exact weights."""
        if self.n_categories < 2:
            return None
        total = sum(sign * self.matrix[cells] for sign, cells in terms)
        close = np.abs(total) <= DOUBLE_TOLERANCE
        positive = (total > 0) & ~close
        if self.exact:
            if (self.radicands == 1).all():
                bound = 4 * int(np.abs(self.multipliers).max())
                whole = widen(self.multipliers, bound)
                positive = np.asarray(sum(sign * whole[cells] for sign, cells in terms) > 0)
            else:
                for cell in zip(*np.nonzero(close), strict=True):
                    exact = sum((self._entry_of(cells, cell) * sign for sign, cells in terms), RootSum())
                    positive[cell] = exact.sign() > 0
        found = np.argwhere(positive)
        return (int(found[0][0]), int(found[0][1])) if len(found) else None

    def _entry_of(self, cells: tuple[Any, Any], cell: tuple[Any, ...]) -> RootSum:
        """Return the exact weight at a cell of a slice of u, with broadcasting of a single row or column."""
        multipliers, radicands = self.multipliers[cells], self.radicands[cells]
        i, j = (min(int(at), size - 1) for at, size in zip(cell, multipliers.shape, strict=True))
        return RootSum({int(radicands[i, j]): Fraction(int(multipliers[i, j]), self.denominator)})


def _over_ranks(name: str, k: int) -> Weights:
    """Return named weights over the ranks 1, ..., k."""
    return from_terms(terms_of(name, [Fraction(rank) for rank in range(1, k + 1)]))


#: returns the same object for the same name and number of categories, so that its cached properties are kept
_remembered = lru_cache(maxsize=128)(_over_ranks)


def from_terms(terms: Terms, notes: tuple[str, ...] = ()) -> Weights:
    """Return weights with the given entries over a common denominator."""
    multipliers, radicands, denominator, exact = terms.over_one_denominator()
    ordered = terms.power != 0  # only unweighted disagreement, with power 0, does not depend on the order
    return Weights(
        terms.name, multipliers, radicands, denominator, exact, needs_order=ordered, power=terms.power, notes=notes
    )
