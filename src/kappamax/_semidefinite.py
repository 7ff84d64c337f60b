"""Invert the largest regular part of a positive semidefinite matrix of whole numbers.

For such a matrix A and a vector z in its column space, z' A^- z is the same for every generalised inverse A^-. One of
them is the inverse of a largest regular submatrix, with zeros elsewhere, so only this submatrix is inverted. Small
matrices are inverted exactly by fraction-free elimination, which also gives the exact rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kappamax._integers import magnitude
from kappamax._typing import Array, Floats

_MOST_EXACT = 40  # rows of a matrix that is inverted exactly, which takes up to a second
_RANK_TOLERANCE = 1e-10  # relative size of a pivot that counts as zero in doubles


@dataclass(frozen=True)
class RegularPart:
    """Inverse of a largest regular submatrix of a positive semidefinite matrix.

    Attributes
    ----------
    kept : list of int
        Rows and columns of the submatrix; their number is the rank.
    inverse : floats, shape (rank, rank)
        Inverse of the submatrix.
    numerators : integers, shape (rank, rank), or None
        Exact inverse times `denominator`; None if the matrix is so large that the inverse was computed in doubles.
    denominator : int
        Positive denominator of the exact inverse.
    """

    kept: list[int]
    inverse: Floats
    numerators: Array | None = None
    denominator: int = 1

    @property
    def rank(self) -> int:
        """Rank of the matrix."""
        return len(self.kept)

    def form(self, vectors: Array) -> Fraction | float:
        """Return the sum of z' A^- z over vectors of whole numbers, of which only the rows that are kept are given."""
        if self.numerators is None:
            columns = vectors.astype(float)
            return float(((columns @ self.inverse) * columns).sum())
        whole = vectors.astype(object)
        return Fraction(int(((whole @ self.numerators) * whole).sum()), self.denominator) if whole.size else Fraction(0)


def regular_part(matrix: Array) -> RegularPart:
    """Return the inverse of a largest regular submatrix of a positive semidefinite matrix of whole numbers."""
    return _exact_part(matrix) if len(matrix) <= _MOST_EXACT else _rounded_part(matrix)


def _exact_part(matrix: Array) -> RegularPart:
    """Invert by Gauss-Jordan elimination without fractions.

    After some pivots, the diagonal entry of another row is the minor of these rows together, which is zero if the row
    depends on them. All divisions are without a remainder.
    """
    n = len(matrix)
    work = np.hstack([matrix.astype(object), np.eye(n, dtype=np.int64).astype(object)])
    kept: list[int] = []
    last = 1
    for row in range(n):
        pivot = work[row, row]
        if pivot == 0:
            continue
        own = work[row].copy()
        work = (work * pivot - np.outer(work[:, row], own)) // last
        work[row] = own
        last = pivot
        kept.append(row)
    numerators = work[kept][:, [n + row for row in kept]]
    return RegularPart(kept, _quotients(numerators, last), numerators, int(last))


def _quotients(numerators: Array, denominator: int) -> Floats:
    """Return fractions as doubles; the integers may exceed the range of doubles."""
    flat = [float(Fraction(int(one), int(denominator))) for one in numerators.ravel()]
    return np.array(flat, dtype=float).reshape(numerators.shape)


def _rounded_part(matrix: Array) -> RegularPart:
    """Invert in doubles, after a Cholesky decomposition with pivoting that determines the rank."""
    from scipy.linalg import cho_solve, lapack

    unit = max(1, magnitude(matrix))
    scaled = (
        np.array([[float(Fraction(int(one), unit)) for one in row] for row in matrix])
        if unit > 2**62
        else (matrix.astype(float) / unit)
    )
    used = np.flatnonzero(scaled.diagonal() > 0)
    scale = np.sqrt(scaled.diagonal()[used])
    correlations = scaled[np.ix_(used, used)] / np.outer(scale, scale)
    factor, order, rank, _ = lapack.dpstrf(correlations, lower=1, tol=_RANK_TOLERANCE)
    chosen = order[:rank] - 1
    lower = np.tril(factor[:rank, :rank])
    inverse = cho_solve((lower, True), np.eye(rank)) / np.outer(scale[chosen], scale[chosen]) / unit
    return RegularPart([int(row) for row in used[chosen]], inverse)
