"""Compute coefficients by slow loops from their definitions, with which the library is compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb, sqrt
from typing import Any

import numpy as np

Ratings = Sequence[Sequence[int | None]]
Weight = Callable[[int, int, int, int], Any]  # raters a, b and their categories i, j -> disagreement


def rows_of(table: Any) -> list[list[int | None]]:
    """Return one row of category positions per subject."""
    rows = []
    for pattern, count in zip(table.patterns.tolist(), table.counts.tolist(), strict=True):
        rows += [[None if code < 0 else code for code in pattern]] * count
    return rows


def weight_of(matrix: Any) -> Weight:
    """Return a function that gives the same weights for every pair of raters."""
    return lambda a, b, i, j: matrix[i][j]


def observed_disagreement(ratings: Ratings, u: Weight) -> Any:
    """Return the mean over subjects with two ratings or more of the mean over their pairs (Gwet)."""
    per_subject = []
    for row in ratings:
        pairs = [(a, b) for a, b in combinations(range(len(row)), 2) if row[a] is not None and row[b] is not None]
        if pairs:
            per_subject.append(sum(u(a, b, row[a], row[b]) for a, b in pairs) / len(pairs))
    return sum(per_subject) / len(per_subject)


def conger(ratings: Ratings, k: int, u: Weight) -> Any:
    """Return 1 - D_o / D_e, where D_e is the mean over pairs of raters of sum p_a(i) p_b(j) u(i, j)."""
    r = len(ratings[0])
    shares = [_shares([row[a] for row in ratings], k) for a in range(r)]
    expected = [
        sum(shares[a][i] * shares[b][j] * u(a, b, i, j) for i in range(k) for j in range(k))
        for a, b in combinations(range(r), 2)
    ]
    return 1 - observed_disagreement(ratings, u) / (sum(expected) / len(expected))


def fleiss(ratings: Ratings, k: int, u: Weight) -> Any:
    """Return Fleiss' kappa, with expected agreement from the mean of the shares within each subject."""
    p = _subject_shares(ratings, k)
    return 1 - observed_disagreement(ratings, u) / sum(p[i] * p[j] * u(0, 1, i, j) for i in range(k) for j in range(k))


def gwet(ratings: Ratings, k: int, u: Weight) -> Any:
    """Return (p_a - p_e) / (1 - p_e) with p_e = sum(w) sum p(1 - p) / (k(k - 1))."""
    p = _subject_shares(ratings, k)
    total = sum(1 - u(0, 1, i, j) for i in range(k) for j in range(k))
    chance = total * sum(share * (1 - share) for share in p) / (k * (k - 1))
    return (1 - observed_disagreement(ratings, u) - chance) / (1 - chance)


def brennan_prediger(ratings: Ratings, k: int, u: Weight) -> Any:
    """Return the coefficient whose expected agreement is that of k equally likely categories."""
    return 1 - observed_disagreement(ratings, u) / (sum(u(0, 1, i, j) for i in range(k) for j in range(k)) / k**2)


def krippendorff(ratings: Ratings, k: int, u: Weight) -> Any:
    """Return 1 - D_o / D_e from the matrix of coincidences."""
    coincidences = np.zeros((k, k))
    for row in ratings:
        values = [value for value in row if value is not None]
        for x, y in combinations(range(len(values)), 2):
            coincidences[values[x], values[y]] += 1 / (len(values) - 1)
            coincidences[values[y], values[x]] += 1 / (len(values) - 1)
    totals, n = coincidences.sum(axis=0), coincidences.sum()
    weights = np.array([[float(u(0, 1, i, j)) for j in range(k)] for i in range(k)])
    observed = (coincidences * weights).sum() / n
    return 1 - observed / ((np.outer(totals, totals) * weights).sum() / (n * (n - 1)))


def conger_groups(ratings: Ratings, k: int, g: int) -> float:
    """Return Conger's kappa for agreement of g raters at a time and complete ratings."""
    r, groups = len(ratings[0]), list(combinations(range(len(ratings[0])), g))
    observed = np.mean([[len({row[a] for a in group}) == 1 for group in groups] for row in ratings])
    shares = [_shares([row[a] for row in ratings], k) for a in range(r)]
    expected = sum(np.prod([shares[a][i] for a in group]) for group in groups for i in range(k)) / comb(r, g)
    return float((observed - expected) / (1 - expected))


def cohen_error(counts: Sequence[Sequence[float]], u: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return Cohen's kappa of a table and its standard error (Fleiss, Cohen and Everitt 1969, with weights w = 1 - u).

    Var = [sum p_ij (w_ij (1 - p_e) - (w_i. + w_.j)(1 - p_o))^2 - (p_o p_e - 2 p_e + p_o)^2] / (n (1 - p_e)^4).
    """
    k, n = len(counts), sum(map(sum, counts))
    cells = [(i, j) for i in range(k) for j in range(k)]
    p = [[count / n for count in row] for row in counts]
    rows, columns = [sum(row) for row in p], [sum(column) for column in zip(*p, strict=True)]
    w = [[1 - entry for entry in row] for row in u]
    observed = sum(p[i][j] * w[i][j] for i, j in cells)
    expected = sum(rows[i] * columns[j] * w[i][j] for i, j in cells)
    by_row = [sum(columns[j] * w[i][j] for j in range(k)) for i in range(k)]
    by_column = [sum(rows[i] * w[i][j] for i in range(k)) for j in range(k)]
    squares = sum(
        p[i][j] * (w[i][j] * (1 - expected) - (by_row[i] + by_column[j]) * (1 - observed)) ** 2 for i, j in cells
    )
    variance = (squares - (observed * expected - 2 * expected + observed) ** 2) / (n * (1 - expected) ** 4)
    return (observed - expected) / (1 - expected), sqrt(max(0.0, variance))


def _shares(values: Sequence[int | None], k: int) -> list[float]:
    given = [value for value in values if value is not None]
    return [given.count(i) / len(given) for i in range(k)]


def _subject_shares(ratings: Ratings, k: int) -> list[float]:
    per_subject = [_shares(row, k) for row in ratings if any(value is not None for value in row)]
    return [sum(column) / len(per_subject) for column in zip(*per_subject, strict=True)]
