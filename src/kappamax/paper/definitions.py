"""Check the statements of sections 1 and 2 of the paper about kappa and its weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from math import isclose
from typing import Any

import numpy as np

from kappamax.datasets import example
from kappamax.io import from_counts
from kappamax.kappas import agreement, kappa
from kappamax.maximum.max_kappa import max_kappa
from kappamax.paper.verdict import NAMED_WEIGHTS, Check, Verdict, corrected, holds, random_tables, same
from kappamax.table import Table
from kappamax.weights import Weights

_PAPER_FORMULAS: dict[str, tuple[str, Callable[[int, int], float]]] = {
    "quadratic": ("Eq. 3", lambda d, k: d**2 / (k - 1) ** 2),
    "linear": ("Eq. 4", lambda d, k: d / (k - 1)),
    "unweighted": ("Eq. 5", lambda d, k: float(d > 0)),
    "sqrt": ("Eq. 6", lambda d, k: d**0.5 / (k - 1) ** 0.5),
}
_SYMBOLS = {"quadratic": "kappa_q", "linear": "kappa_w", "sqrt": "kappa_s", "any": "kappa_w"}


def largest_value() -> Iterator[Verdict]:
    """Check when the maximum is 1, and the formula for the unweighted maximum (section 1)."""
    tables = [*random_tables(3, 2, 8), *random_tables(3, 3, 6), from_counts([[2, 1, 0], [0, 1, 1], [1, 0, 2]])]
    unequal = [one for one in tables if (one.margins != one.margins[0]).any()]
    below = [max_kappa(one, weights=name).maximum < 1 for one in unequal for name in NAMED_WEIGHTS]
    yield holds("Section 1", "kappa = 1 is not attainable when the margins differ", below)
    simple = []
    for one in random_tables(4, 2, 12):
        rows, columns = one.margins.tolist()
        n = one.n_subjects
        chance = Fraction(sum(a * b for a, b in zip(rows, columns, strict=True)), n * n)
        most = Fraction(sum(map(min, rows, columns)), n)
        simple.append(max_kappa(one).exact_maximum == (most - chance) / (1 - chance))
    what = "the largest unweighted kappa of two raters has sum min(n_i+, n_+i) subjects on the diagonal"
    yield holds("Section 1", what, simple)


def independence() -> Iterator[Verdict]:
    """Check that kappa is 0 for independent raters (section 1)."""
    independent = [from_counts(np.multiply.outer([1, 2, 3], [2, 3, 1]))]
    independent.append(from_counts(np.multiply.outer(np.multiply.outer([1, 2, 1], [2, 1, 1]), [1, 1, 3])))
    zero = [abs(kappa(one, weights=name).value) < 1e-12 for one in independent for name in NAMED_WEIGHTS]
    yield holds("Section 1", "kappa is 0 if the raters are independent", zero)


def two_forms() -> Iterator[Verdict]:
    """Check that kappa computed from agreement equals kappa computed from disagreement (equations 1 and 2)."""
    tables = [example("rapallo2022"), example("vision"), *random_tables(4, 2, 15)]
    for where, names in (("Eq. 1", ("unweighted",)), ("Eq. 2", ("linear", "quadratic", "sqrt"))):
        agree = []
        for one in tables:
            p = one.dense() / one.n_subjects
            chance = np.outer(p.sum(axis=1), p.sum(axis=0))
            for name in names:
                u, ours = _formula(name, one.n_categories), kappa(one, weights=name).value
                observed, expected = float(((1 - u) * p).sum()), float(((1 - u) * chance).sum())
                first = (observed - expected) / (1 - expected)
                second = 1 - float((u * p).sum()) / float((u * chance).sum())
                agree.append(_close(ours, first) and _close(ours, second))
        kind = "unweighted" if where == "Eq. 1" else "weighted"
        yield holds(where, f"{kind} kappa by agreement and by disagreement", agree)


def weights() -> Iterator[Verdict]:
    """Check the formulas of the weights (equations 3 to 6), and which of them are distances."""
    for name, (where, _) in _PAPER_FORMULAS.items():
        equal = [np.allclose(_library(name, k), _formula(name, k), rtol=1e-15, atol=0) for k in range(2, 8)]
        yield holds(where, f"weights for 2 to 7 categories, {name}", equal)
    ranges = []
    for name in NAMED_WEIGHTS:
        for k in range(2, 8):
            u = _library(name, k)
            off = u[~np.eye(k, dtype=bool)]
            ranges.append(bool((np.diag(u) == 0).all() and (off > 0).all() and (off <= 1).all()))
    yield holds("Section 2", "u is 0 on the diagonal and above 0, at most 1 elsewhere", ranges)
    for name, is_distance in (("linear", True), ("sqrt", True), ("quadratic", False)):
        metric = all(Weights.from_scheme(name, k).metric for k in range(3, 8))
        yield same("Section 2", f"{name} weights are a distance", is_distance, metric)
    additive = [Weights.from_scheme("linear", k).additive for k in range(2, 8)]
    yield holds("Section 2", "linear weights: u_ih = u_ij + u_jh for i < j < h", additive)
    cited = [
        where for name, (where, _) in _PAPER_FORMULAS.items() if np.allclose(_library("sqrt", 4), _formula(name, 4))
    ]
    why = "Eq. 3 has the quadratic weights, which are not a distance"
    yield corrected(
        "Section 2",
        "equation of the square-root weights, which are a distance",
        "Eq. 3",
        ", ".join(cited),
        "Eq. 6",
        why,
    )


def interpretations() -> Iterator[Verdict]:
    """Check two interpretations of weighted kappa (section 2)."""
    tables = [example("rapallo2022"), example("vision"), *random_tables(4, 2, 15)]
    icc, average = [], []
    for one in tables:
        p = one.dense() / one.n_subjects
        scale = np.arange(one.n_categories)
        rows, columns = p.sum(axis=1), p.sum(axis=0)
        means = float(rows @ scale), float(columns @ scale)
        covariance = float(scale @ p @ scale) - means[0] * means[1]
        spreads = float(rows @ scale**2) - means[0] ** 2 + float(columns @ scale**2) - means[1] ** 2
        icc.append(
            _close(kappa(one, weights="quadratic").value, 2 * covariance / (spreads + (means[0] - means[1]) ** 2))
        )
        parts = [_collapsed(p, cut) for cut in range(1, one.n_categories)]
        whole = sum(value * weight for value, weight in parts) / sum(weight for _, weight in parts)
        average.append(_close(kappa(one, weights="linear").value, whole))
    yield holds("Section 2", "quadratic kappa is an intraclass correlation coefficient", icc)
    what = "linear kappa is a weighted average of the kappas of 2 x 2 tables of adjacent categories"
    yield holds("Section 2", what, average)


def symbols() -> Iterator[Verdict]:
    """Check the notation (section 2)."""
    shared = [name for name, symbol in _SYMBOLS.items() if list(_SYMBOLS.values()).count(symbol) > 1]
    ours = "kappa_l" if "linear" in shared else _SYMBOLS["linear"]
    why = "kappa_w also denotes kappa with any weights, and the paper writes kappa_l later"
    yield corrected("Section 2", "symbol of linear kappa", _SYMBOLS["linear"], ours, "kappa_l", why)
    cells = {3: 27, 2: 16}  # categories to the power of raters: 3^3 and, for two raters, 4^2
    tables = (example("rapallo2022-three"), example("rapallo2022"))
    fits = all(one.dense().size == cells[one.n_raters] == one.n_categories**one.n_raters for one in tables)
    why = "k is the number of categories, and m is not defined"
    yield corrected("Section 2", "number of cells of the table of r raters", "m^r", "k^r" if fits else "?", "k^r", why)


def more_raters() -> Iterator[Verdict]:
    """Check Conger's kappa: weighted, with different weights per pair, and for groups of raters (equations 7 to 12)."""
    tables = [example("rapallo2022-three"), *random_tables(3, 4, 10)]
    plain = [_close(kappa(one).value, _conger(one, _pairs(one, "unweighted"))) for one in tables]
    yield holds("Eqs. 7 to 9", "Conger's kappa from the two-way margins", plain)
    names = ("linear", "quadratic", "sqrt")
    weighted = [_close(kappa(one, weights=w).value, _conger(one, _pairs(one, w))) for one in tables for w in names]
    yield holds("Eqs. 10 to 12", "weighted Conger's kappa from the two-way margins", weighted)
    each = dict(zip(combinations(range(3), 2), names, strict=True))
    table = tables[0]
    named: dict[tuple[str | int, str | int], Any] = {
        (table.raters[a], table.raters[b]): w for (a, b), w in each.items()
    }
    by_hand = _conger(table, {pair: _formula(w, 3) for pair, w in each.items()})
    yield holds("Section 2", "different weights on different two-way margins", [
        _close(kappa(table, weights=named).value, by_hand)
    ])  # fmt: skip
    groups = []
    for one in tables:
        p = one.dense() / one.n_subjects
        observed, expected = [], []
        for trio in combinations(range(one.n_raters), 3):
            margin = p.sum(axis=tuple(a for a in range(one.n_raters) if a not in trio))
            observed.append(sum(margin[i, i, i] for i in range(one.n_categories)))
            shares = one.margins[list(trio)] / one.n_subjects
            expected.append(float(shares.prod(axis=0).sum()))
        by_hand = (np.mean(observed) - np.mean(expected)) / (1 - np.mean(expected))
        groups.append(_close(agreement(one, group_size=3).value, float(by_hand)))
    yield holds("Section 2", "Conger's kappa for agreement of g raters, from the g-way margins (g = 3)", groups)


CHECKS: tuple[Check, ...] = (*(largest_value, independence, two_forms, weights, interpretations, symbols, more_raters),)


def _close(first: float, second: float) -> bool:
    return isclose(first, second, rel_tol=1e-12, abs_tol=1e-12)


def _library(name: str, k: int) -> Any:
    """Return the weights of the library as a matrix."""
    return np.asarray(Weights.from_scheme(name, k).matrix)


def _formula(name: str, k: int) -> Any:
    """Return the weights by the formula of the paper as a matrix."""
    return np.array([[_PAPER_FORMULAS[name][1](abs(i - j), k) for j in range(k)] for i in range(k)], dtype=float)


def _collapsed(p: Any, cut: int) -> tuple[float, float]:
    """Return kappa of the 2 x 2 table of categories below and above a cut, and its expected disagreement."""
    low, high = p.sum(axis=1)[:cut].sum(), p.sum(axis=0)[:cut].sum()
    expected = float(low * (1 - high) + (1 - low) * high)
    observed = float(p[:cut, cut:].sum() + p[cut:, :cut].sum())
    return (1 - observed / expected, expected) if expected else (0.0, 0.0)


def _pairs(table: Table, name: str) -> dict[tuple[int, int], Any]:
    """Return the weights by the formula of the paper for every pair of raters."""
    return dict.fromkeys(combinations(range(table.n_raters), 2), _formula(name, table.n_categories))


def _conger(table: Table, u: dict[tuple[int, int], Any]) -> float:
    """Return Conger's kappa by equations 10 to 12, with disagreement weights for every pair of raters."""
    p = table.dense() / table.n_subjects
    observed, expected = [], []
    for (a, b), own in u.items():
        margin = p.sum(axis=tuple(c for c in range(table.n_raters) if c not in (a, b)))
        observed.append(float(((1 - own) * margin).sum()))
        shares = table.margins / table.n_subjects
        expected.append(float(((1 - own) * np.outer(shares[a], shares[b])).sum()))
    chance = sum(expected) / len(expected)
    return (sum(observed) / len(observed) - chance) / (1 - chance)
