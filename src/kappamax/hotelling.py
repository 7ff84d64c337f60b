"""Test whether several estimates are equal by Hotelling's T2, also if the covariance of their differences is singular.

T2 = d' S^-1 d, where d are the differences of the estimates from the first one and S is their estimated covariance.
With n independent units, (n - q) / (q (n - 1)) T2 is compared with the F distribution with q and n - q degrees of
freedom, where q is the rank of S.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from kappamax._tolerances import DOUBLE_TOLERANCE
from kappamax._typing import Array, Floats, Integers

_SINGULAR = 1e-10  # largest eigenvalue of a correlation matrix that counts as zero
_NO_VARIANCE = 1e-9  # largest variance in a resample, relative to the variance in the sample, that counts as zero


class EqualityTest(NamedTuple):
    """Hotelling's T2 of the differences of estimates.

    Attributes
    ----------
    statistic : float or None
        T2; None if there is none.
    basis : array, shape (K, q)
        Linear combinations of the K estimates, uncorrelated and with variance 1, whose sum of squares is T2.
    undetermined : bool
        Whether some difference has a standard error of zero although it is not zero.
    """

    statistic: float | None
    basis: Floats
    undetermined: bool

    @property
    def rank(self) -> int:
        """Rank q of the covariance of the differences."""
        return int(self.basis.shape[1])


def equality_test(values: Array, rows: Array, weights: Array, errors: Array) -> EqualityTest:
    """Return Hotelling's T2 of estimates.

    Parameters
    ----------
    values : array, shape (K,)
        The estimates.
    rows, weights : array, shape (n, K) and (n,)
        Deviations of the estimates, whose weighted products add up to the covariances, and their weights.
    errors : array, shape (K - 1,)
        Standard errors of the differences of the other estimates from the first one.
    """
    contrasts = np.vstack([np.ones(len(values) - 1), -np.eye(len(values) - 1)])
    contrasts = contrasts / np.where(errors > 0, errors, 1.0)
    moves = errors > 0
    differences = values @ contrasts
    undetermined = bool((np.abs(differences[~moves]) > DOUBLE_TOLERANCE).any())
    contrasts, differences = contrasts[:, moves], differences[moves]
    own = rows @ contrasts
    eigenvalues, vectors = np.linalg.eigh((own * weights[:, None]).T @ own)
    kept = eigenvalues > _SINGULAR * max(1, len(eigenvalues))
    outside = differences @ vectors[:, ~kept]
    undetermined = undetermined or bool((np.abs(outside) > _SINGULAR**0.5).any())
    basis = contrasts @ vectors[:, kept] / np.sqrt(eigenvalues[kept])
    statistic = None if undetermined or not kept.any() else float(((values @ basis) ** 2).sum())
    return EqualityTest(statistic, basis, undetermined)


def pvalue_by_f(statistic: float, rank: int, n_units: int) -> float:
    """Return the p-value of T2 by the F distribution; n_units must be above the rank."""
    from scipy.special import fdtrc

    return float(fdtrc(rank, n_units - rank, (n_units - rank) / (rank * (n_units - 1)) * statistic))


def all_pairs(n: int) -> tuple[Integers, Integers]:
    """Return the positions of the first and of the second member of every pair of n things."""
    pairs = np.array(list(combinations(range(n), 2)), dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def differences_of(n: int) -> Floats:
    """Return the contrasts of all pairs of n estimates, shape (n, number of pairs)."""
    first, second = all_pairs(n)
    contrasts = np.zeros((n, len(first)))
    contrasts[first, np.arange(len(first))] = 1
    contrasts[second, np.arange(len(first))] = -1
    return contrasts


class Resampled(NamedTuple):
    """Statistics of resamples, studentised by the covariance in each resample; infinite where there is none.

    Attributes
    ----------
    values : array, shape (size, K)
        The estimates; NaN where one of them is undefined.
    equality : array, shape (size,)
        T2 of the deviations from the estimates of the sample.
    differences : array, shape (size, number of pairs)
        Deviation of each difference from that of the sample, divided by its standard error.
    """

    values: Floats
    equality: Floats
    differences: Floats


def studentised(values: Array, changes: Array, covariances: Array, basis: Array, errors: Array) -> Resampled:
    """Return the statistics of resamples.

    Parameters
    ----------
    values, changes : array, shape (size, K)
        Estimates in each resample, and their deviations from the estimates of the sample.
    covariances : array, shape (size, K, K)
        Covariances of the estimates in each resample.
    basis : array, shape (K, q)
        Linear combinations of the estimates that are uncorrelated in the sample, with variance 1.
    errors : array, shape (number of pairs,)
        Standard errors of the differences in the sample.
    """
    equality = _squared_lengths(changes @ basis, basis.T @ covariances @ basis)
    contrasts = differences_of(values.shape[-1]) / np.where(errors > 0, errors, 1.0)
    variances = np.einsum("kp,bkl,lp->bp", contrasts, covariances, contrasts)
    with np.errstate(divide="ignore", invalid="ignore"):
        differences = changes @ contrasts / np.sqrt(variances)
    usable = np.isfinite(differences) & (variances > _NO_VARIANCE)
    return Resampled(values, equality, np.where(usable, differences, np.inf))


def _squared_lengths(vectors: Array, matrices: Array) -> Floats:
    """Return z' A^-1 z for each of several vectors and matrices; infinite where the matrix is singular or undefined."""
    lengths = np.full(len(vectors), np.inf)
    if not vectors.shape[1]:
        return lengths
    scale = np.sqrt(np.maximum(np.diagonal(matrices, axis1=1, axis2=2), 0.0))
    usable = (
        np.isfinite(vectors).all(axis=1)
        & np.isfinite(matrices).all(axis=(1, 2))
        & (scale**2 > _NO_VARIANCE).all(axis=1)
    )
    z = vectors[usable] / scale[usable]
    correlations = matrices[usable] / (scale[usable][:, :, None] * scale[usable][:, None, :])
    eigenvalues, axes = np.linalg.eigh(correlations)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = ((np.einsum("bi,bij->bj", z, axes)) ** 2 / eigenvalues).sum(axis=1)
    lengths[usable] = np.where(eigenvalues[:, 0] > _NO_VARIANCE, own, np.inf)
    return lengths
