"""Compute what other packages' formulas give, in our own arithmetic.

A reason for a different answer is only printed if the formula here gives the package's number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import sqrt
from statistics import NormalDist

from benchmarks import by_hand
from benchmarks.by_hand import Rows

__all__ = [
    "READ_ONLY",
    "as_text",
    "gwet_lower",
    "listwise",
    "missing_as_category",
    "normal_lower",
    "psych_weighted_error",
    "scaled_once",
    "simple_error",
    "used_only",
]

Margins = Sequence[Sequence[int]]
Labels = Sequence[Sequence[object]]
Number = Fraction | float | None
Coefficient = Callable[..., Number]


def as_text(rows: Labels, weights: str) -> Fraction | None:
    """Kappa when the labels that occur are sorted as text."""
    used = sorted({str(label) for row in rows for label in row})
    return by_hand.conger(by_hand.coded([[str(label) for label in row] for row in rows], used), len(used), weights)


def used_only(rows: Labels, categories: Sequence[object], weights: str) -> Fraction | None:
    """Kappa when categories that nobody used are left out of the scale."""
    used = [category for category in categories if any(category in row for row in rows)]
    return by_hand.conger(by_hand.coded(rows, used), len(used), weights)


def listwise(rows: Rows, k: int, weights: str, coefficient: Coefficient) -> Number:
    """A coefficient over the subjects that every rater rated."""
    return coefficient([row for row in rows if None not in row], k, weights)


def missing_as_category(
    rows: Rows, k: int, weights: str, coefficient: Callable[..., Fraction | None]
) -> Fraction | None:
    """A coefficient that takes a missing rating for one more category, the last."""
    return coefficient([[k if code is None else code for code in row] for row in rows], k + 1, weights)


def scaled_once(rows: Rows, k: int, weights: str) -> Fraction:
    """Kappa whose expected disagreement is divided by the largest distance, the observed not."""
    kappa = by_hand.conger(rows, k, weights)
    assert kappa is not None
    return 1 - (1 - kappa) * (k - 1)


def simple_error(rows: Rows, k: int) -> float:
    """Cohen's (1960) standard error: the expected agreement is taken for known."""
    table = by_hand.counted(rows, k)
    n = len(rows)
    first, second = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    observed = Fraction(sum(table[i][i] for i in range(k)), n)
    expected = Fraction(sum(a * b for a, b in zip(first, second, strict=True)), n * n)
    return sqrt(observed * (1 - observed) / (n * (1 - expected) ** 2))


def psych_weighted_error(rows: Rows, k: int) -> float:
    """The quadratic standard error with the row total of the weights times a margin in place of their mean over it."""
    table = by_hand.counted(rows, k)
    n = len(rows)
    shares = [[Fraction(cell, n) for cell in row] for row in table]
    first, second = [sum(row) for row in shares], [sum(column) for column in zip(*shares, strict=True)]
    w = [[1 - Fraction((i - j) ** 2, (k - 1) ** 2) for j in range(k)] for i in range(k)]
    cells = list(product(range(k), repeat=2))
    observed = sum(w[i][j] * shares[i][j] for i, j in cells)
    expected = sum(w[i][j] * first[i] * second[j] for i, j in cells)
    rightly = [sum(w[h][i] * second[h] for h in range(k)) for i in range(k)]
    wrongly = [first[j] * sum(w[j]) for j in range(k)]
    squares = sum(
        shares[i][j] * (w[i][j] * (1 - expected) - (rightly[i] + wrongly[j]) * (1 - observed)) ** 2 for i, j in cells
    )
    return sqrt((squares - (observed * expected - 2 * expected + observed) ** 2) / (n * (1 - expected) ** 4))


def normal_lower(value: Fraction, error: float) -> float:
    """The lower end of the normal 95% interval."""
    return float(value) - NormalDist().inv_cdf(0.975) * error


def gwet_lower(value: Fraction, error: float, n: int) -> float:
    """The lower end of Student's 95% interval with n - 1 degrees of freedom."""
    from scipy.stats import t

    return float(value) - float(t.ppf(0.975, n - 1)) * error


def _unweighted_observed(margins: Margins) -> Fraction:
    """The largest share of subjects on the diagonal."""
    return Fraction(sum(map(min, *margins)), sum(margins[0]))


def _expected_agreement(margins: Margins, weights: str) -> Fraction:
    k, n = len(margins[0]), sum(margins[0])
    score = {"unweighted": lambda d: int(d > 0) * (k - 1), "linear": lambda d: d, "quadratic": lambda d: d * d}[weights]
    largest = score(k - 1)
    total = sum(margins[0][i] * margins[1][j] * score(abs(i - j)) for i, j in product(range(k), repeat=2))
    return 1 - Fraction(total, largest * n * n)


def _mixed(table: Sequence[Sequence[int]], margins: Margins, weights: str) -> Fraction:
    """The unweighted observed maximum with the weighted expected agreement."""
    expected = _expected_agreement(margins, weights)
    return (_unweighted_observed(margins) - expected) / (1 - expected)


def _caastools(table: Sequence[Sequence[int]], margins: Margins, weights: str) -> Fraction:
    """The same with the distances not divided by the largest."""
    k = len(margins[0])
    scale = {"unweighted": 1, "linear": k - 1, "quadratic": (k - 1) ** 2}[weights]
    disagreement = (1 - _expected_agreement(margins, weights)) * scale
    return (_unweighted_observed(margins) - (1 - disagreement)) / disagreement


def _rel(table: Sequence[Sequence[int]], margins: Margins, weights: str) -> Fraction:
    """Not the margins' expected agreement but a formula in k and the unweighted observed maximum."""
    k, observed = len(margins[0]), _unweighted_observed(margins)
    expected = _expected_agreement(margins, weights)
    if k > 2:
        if Fraction(1, k) >= observed / (k - 2):
            chance = observed**2 / (k - 2)
        else:
            chance = Fraction(k - 2, k * k)
            if weights == "quadratic":
                chance += (k * observed - k + 2) * (k - k * observed + 2) / (2 * k * k)
        chance += Fraction(1, k) * (weights == "linear") + expected * (weights == "unweighted")
    else:
        chance = expected
    return (observed - chance) / (1 - chance)


def _clinicopath(table: Sequence[Sequence[int]], margins: Margins, weights: str) -> Fraction:
    """The observed unweighted kappa."""
    expected = _expected_agreement(margins, "unweighted")
    observed = Fraction(sum(table[i][i] for i in range(len(table))), sum(margins[0]))
    return (observed - expected) / (1 - expected)


READ_ONLY = {
    "R rel, ckap()": (
        _rel,
        "https://github.com/cran/rel, R/ckap.R at 2bf104f",
        "a formula of its own for expected agreement at the maximum",
    ),
    "caastools, cohens_kappa()": (
        _caastools,
        "https://github.com/Awesomium40/caastools, caastools/stats/irr.py at 42a3daf",
        "unweighted largest agreement beside weighted expected agreement, distances not divided by the largest",
    ),
    "MATLAB kappa.m": (
        _mixed,
        "https://github.com/dnafinder/Cohen, kappa.m",
        "unweighted largest agreement beside weighted expected agreement",
    ),
    "jamovi ClinicoPath": (
        _clinicopath,
        "https://github.com/sbalci/ClinicoPathJamoviModule, R/cohenskappa.b.R at 721c04a",
        "prints the observed kappa in the row of the maximum",
    ),
}
"""Software that prints a maximum and was not run: its formula, where it was read, and what it does."""
