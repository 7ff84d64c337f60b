"""Define the named weights, each by a formula of the positions of two categories.

The positions are the ranks 1, ..., k unless the caller gives others. The weights are scaled so that the largest is 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from math import comb, lcm, pi, sin
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from kappamax._integers import widen
from kappamax._rootsum import LARGEST_FACTORED, as_fraction, square_free
from kappamax._typing import Array
from kappamax._validate import did_you_mean
from kappamax.display.text import listing
from kappamax.errors import InvalidWeightsError

LARGEST_DENOMINATOR = 2**512  # weights with a larger denominator are rounded and marked as not exact
ROUNDED_DENOMINATOR = 2**200  # denominator of rounded weights
#: other names of the schemes, such as those of R packages and of papers; docs/coefficients.md says whose they are
_ALIASES = {
    "identity": "unweighted",
    "nominal": "unweighted",
    "none": "unweighted",
    "equal": "linear",
    "equal-spacing": "linear",
    "cicchetti-allison": "linear",
    "absolute": "linear",
    "squared": "quadratic",
    "fleiss-cohen": "quadratic",
    "interval": "quadratic",
    "radical": "sqrt",
    "square-root": "sqrt",
    "ordinal": "gwet-ordinal",
}
#: name of the weights that `kappamax.disagreement.krippendorff_metrics` computes from the ratings
KRIPPENDORFF_ORDINAL = "krippendorff-ordinal"
_POWERS = {"unweighted": Fraction(0), "linear": Fraction(1), "quadratic": Fraction(2), "sqrt": Fraction(1, 2)}

#: sin^2(pi p / q) by the denominator q, for those q for which it is rational
_SQUARED_SINES = {1: Fraction(0), 2: Fraction(1), 3: Fraction(3, 4), 4: Fraction(1, 2), 6: Fraction(1, 4)}


Term = tuple[Fraction, int]  # (c, f) stands for c * sqrt(f) with square-free f


class Terms(NamedTuple):
    """Matrix of weights as a list of entries and their positions in the matrix.

    Attributes
    ----------
    name : str
        Name of the weights.
    entries : sequence of (Fraction, int)
        Entries (c, f), each of which stands for c * sqrt(f).
    where : array of int, shape (k, k)
        Position of each cell's value in `entries`.
    exact : bool
        Whether the entries are the numbers meant, without rounding.
    power : Fraction or None
        Exponent of the distance, if the weights are a power of it.
    """

    name: str
    entries: Sequence[Term]
    where: npt.NDArray[np.intp]
    exact: bool
    power: Fraction | None = None

    @classmethod
    def of_cells(cls, name: str, values: Sequence[Fraction], *, exact: bool) -> Terms:
        """Return the terms of k * k rational entries, given row by row."""
        k = int(len(values) ** 0.5)
        return cls(name, [(value, 1) for value in values], np.arange(k * k).reshape(k, k), exact)

    def over_one_denominator(self) -> tuple[Array, Array, int, bool]:
        """Return the matrices m and f and the denominator d of the entries m * sqrt(f) / d, and whether they are exact.

        The entries are rounded if their common denominator is too large.
        """
        entries, exact = self.entries, self.exact
        denominator = lcm(*(c.denominator for c, _ in entries))
        if denominator > LARGEST_DENOMINATOR:  # ratio weights over hundreds of categories, or floats as small as 1e-300
            entries = [(Fraction(round(c * ROUNDED_DENOMINATOR), ROUNDED_DENOMINATOR), f) for c, f in entries]
            exact, denominator = False, ROUNDED_DENOMINATOR
        whole = [int(c * denominator) for c, _ in entries]
        multipliers = widen(np.array(whole, dtype=object), max(map(abs, whole)))[self.where]
        radicands = np.array([f for _, f in entries])[self.where]
        multipliers.setflags(write=False)
        radicands.setflags(write=False)
        return multipliers, radicands, denominator, exact


def terms_of(name: str, positions: Sequence[Fraction]) -> Terms:
    """Return the entries of named weights over given positions of the categories."""
    scheme, power = as_scheme(name)
    if power is not None:
        return _power_terms(scheme, power, positions)
    k, formula = len(positions), _FORMULAS[scheme]
    cells = [formula(positions, i, j) if i != j else Fraction(0) for i in range(k) for j in range(k)]
    largest = max(cells, default=1) or 1
    scaled = [as_fraction(cell / largest) for cell in cells]
    return Terms.of_cells(scheme, [value for value, _ in scaled], exact=all(meant for _, meant in scaled))


def as_scheme(name: str) -> tuple[str, Fraction | None]:
    """Return the name of a scheme without aliases, and the power if it is a power of the distance."""
    if not isinstance(name, str):
        raise InvalidWeightsError(f"weights must be given by name; got {type(name).__name__}.")
    wanted = spelled(name)
    if wanted.startswith(("power(", "power:", "power-(", "power-:")):
        power = _as_power(name)
        decimal = f"{float(power):.15g}"  # so that the name gives the power exactly
        shown = decimal if Fraction(decimal) == power else power
        return next((own for own, p in _POWERS.items() if p == power), f"power({shown})"), power
    if "," in wanted:
        raise_several_weightings([one.strip() for one in name.split(",")])
    if wanted == KRIPPENDORFF_ORDINAL:
        raise InvalidWeightsError(
            f"{KRIPPENDORFF_ORDINAL} weights are computed from the ratings and belong to Krippendorff's alpha; use "
            "coefficient='krippendorff', or use gwet-ordinal weights."
        )
    own = _ALIASES.get(wanted, wanted)
    if own not in (known := (*_POWERS, *_FORMULAS)):
        hint = did_you_mean(wanted, [*known, *_ALIASES, "power(p)"])
        raise InvalidWeightsError(
            f"weights must be one of {listing([*known, 'power(p)'], most=20)}; got {name!r}.{hint}"
        )
    return own, _POWERS.get(own)


def spelled(name: str) -> str:
    """Return a name in lower case, with one hyphen in place of spaces, underscores and hyphens."""
    return re.sub(r"[\s_-]+", "-", name.strip().lower())


def raise_several_weightings(names: Sequence[str | None]) -> NoReturn:
    """Raise the error for a list of weightings, given by their names, where one weighting is expected."""
    shown = [str(name) if isinstance(name, str) else name for name in names]  # not np.str_
    given = f"a list of {len(shown)}: {listing(shown)}" if shown else "an empty list"
    raise InvalidWeightsError(
        f"weights must be one weighting; got {given}. Call the function once for each weighting, or use km.report, "
        "which takes several."
    )


def _as_power(name: str) -> Fraction:
    """Return the power of a name such as "power(1.5)" or "power:3/2"."""
    match = re.fullmatch(r"power\s*[(:]\s*([0-9./]+)\s*\)?", name.strip().lower())
    try:
        power = Fraction(match.group(1)) if match else None
    except (ValueError, ZeroDivisionError):
        power = None
    if power is None:
        raise InvalidWeightsError(
            f"the power must be one number > 0 with a decimal point, as in 'power(1.5)', or a fraction; got {name!r}."
        )
    if not 0 < power <= 100:
        raise InvalidWeightsError(f"the power must lie between 0 and 100; got {name!r}.")
    return power


def _power_terms(scheme: str, power: Fraction, positions: Sequence[Fraction]) -> Terms:
    """Return u[i, j] = (|x_i - x_j| / range)^p; each distinct distance is computed once."""
    scale = lcm(*(position.denominator for position in positions))
    whole = [int(position * scale) for position in positions]
    points = widen(np.array(whole, dtype=object), 2 * max(map(abs, whole)))
    distances, where = np.unique(np.abs(points[:, None] - points[None, :]), return_inverse=True)
    largest = int(distances[-1]) or 1
    terms = [_power_term(Fraction(int(distance), largest), power) for distance in distances]
    where = where.reshape(len(whole), len(whole))
    return Terms(scheme, [term for term, _ in terms], where, all(meant for _, meant in terms), power)


def _power_term(distance: Fraction, power: Fraction) -> tuple[Term, bool]:
    """Return distance^power as c * sqrt(f) and whether it is exact, as it is for integer multiples of 1/2."""
    if distance == 0:
        return (Fraction(0), 1), True
    if power.denominator > 2:
        return (as_fraction(float(distance) ** float(power))[0], 1), False
    whole, odd = divmod(int(2 * power), 2)
    if not odd:
        return (distance**whole, 1), True
    if distance.numerator * distance.denominator > LARGEST_FACTORED:
        return (Fraction(float(distance) ** float(power)), 1), False
    root, f = square_free(distance.numerator * distance.denominator)
    return (distance**whole * Fraction(root, distance.denominator), f), True


def _gwet_ordinal(x: Sequence[Fraction], i: int, j: int) -> Fraction:
    """Return the number of pairs among the categories from i to j (Gwet)."""
    return Fraction(comb(abs(i - j) + 1, 2))


def _ratio(x: Sequence[Fraction], i: int, j: int) -> Fraction:
    """Return ((x_i - x_j) / (x_i + x_j))^2."""
    if x[i] + x[j] == 0:
        raise InvalidWeightsError(
            f"ratio weights divide by the sum of two positions, which must not be 0; {x[i]} and {x[j]} add up to 0."
        )
    return ((x[i] - x[j]) / (x[i] + x[j])) ** 2


def _circular(x: Sequence[Fraction], i: int, j: int) -> float | Fraction:
    """Return sin^2 of half the angle between two positions on a circle, exact if it is rational (Niven's theorem)."""
    turns = (x[i] - x[j]) / (max(x) - min(x) + 1)
    return _SQUARED_SINES.get(turns.denominator, sin(pi * float(turns)) ** 2)


def _bipolar(x: Sequence[Fraction], i: int, j: int) -> Fraction:
    """Return (x_i - x_j)^2 / ((x_i + x_j - 2 min x) (2 max x - x_i - x_j))."""
    total = x[i] + x[j]
    return (x[i] - x[j]) ** 2 / ((total - 2 * min(x)) * (2 * max(x) - total))


#: functions u(positions, i, j) for i != j, in any unit, since the weights are scaled afterwards
_FORMULAS: dict[str, Any] = {"gwet-ordinal": _gwet_ordinal, "ratio": _ratio, "circular": _circular, "bipolar": _bipolar}

SCHEMES = (*_POWERS, *_FORMULAS)
