"""Compute tests, pooled coefficients, differences and trends from the estimates of independent groups."""

from __future__ import annotations

import numpy as np

from kappamax._tolerances import NO_SPREAD
from kappamax._typing import Array, Floats
from kappamax.group_comparisons.comparison_results import (
    GroupDifference,
    GroupTrend,
    HomogeneityTest,
    PooledAgreement,
)
from kappamax.group_comparisons.group_estimates import (
    TEST_LEVEL,
    DefinedGroups,
    contrast,
    expected_weights,
    smallest_values,
)
from kappamax.group_comparisons.null_studies import NullStudies
from kappamax.group_comparisons.welch_tests import (
    chi_square,
    chi_square_test,
    simultaneous_level,
    simultaneous_pvalues,
    two_sided_pvalues,
    welch_test,
)
from kappamax.standard_errors import quantile_of

POOLINGS = ("stratified", "subjects", "inverse-variance")
MOST_COMPARED = 100  # groups up to which all pairs are compared
_SMALLEST_RANGE = 1e-150  # of different scores
_HALF = 0.5  # share of the pseudo-subjects for a slope, as Agresti and Caffo (2000) halve them for a difference


def null_value(groups: DefinedGroups) -> float:
    """Return the estimate of the common coefficient, with the pseudo-subjects shared by the groups."""
    estimates = groups.estimates(TEST_LEVEL, groups.sizes / groups.sizes.sum())
    return float(_normed(expected_weights(groups.objectives)) @ estimates.centers)


def homogeneity(method: str, groups: DefinedGroups, studies: NullStudies | None, reason: str | None) -> HomogeneityTest:
    """Return the test of whether all coefficients are equal; `reason` says why there is none, or why this method."""
    if len(groups.names) < 2:
        return HomogeneityTest(method, reason=reason)
    if studies is not None:
        statistic = float(chi_square(groups.for_tests.centers, groups.for_tests.errors))
        pvalue = studies.equality_pvalue(groups.for_tests)
        return HomogeneityTest(method, statistic, len(groups.names) - 1, None, pvalue, len(studies.errors))
    if method == "chi2":
        for name, error in zip(groups.names, groups.errors.tolist(), strict=True):
            if not error > NO_SPREAD:
                said = "is zero" if error <= NO_SPREAD else "cannot be estimated"
                return HomogeneityTest(method, reason=f"the standard error of group {name!r} {said}")
        return HomogeneityTest(method, *chi_square_test(groups.values, groups.errors))
    if groups.without_error is not None:
        return HomogeneityTest(method, reason=groups.without_error)
    return HomogeneityTest(method, *welch_test(groups.for_tests), reason=reason)


def pooled(pooling: str, groups: DefinedGroups, level: float) -> PooledAgreement:
    """Return the weighted mean of the coefficients.

    Its interval adds as many pseudo-subjects as that of one group; they are shared by the groups in proportion to their
    numbers of subjects. That of the weights "inverse-variance" is the published one.
    """
    if not groups.names:
        return PooledAgreement(pooling, reason="the coefficient is defined in no group")
    if pooling == "inverse-variance":
        if not (groups.errors > NO_SPREAD).all():
            return PooledAgreement(pooling, reason="the standard error of some group is zero or cannot be estimated")
        weights = groups.errors**-2.0
    else:
        weights = groups.sizes if pooling == "subjects" else expected_weights(groups.objectives)
    weights = _normed(weights)
    value = float(weights @ groups.values)
    se = float(np.sqrt(weights**2 @ groups.errors**2))
    if pooling == "inverse-variance":
        reach = quantile_of((1 + level) / 2, None) * se
        ci = (value - reach, min(1.0, value + reach))
    else:
        estimates = groups.estimates(level, groups.sizes / groups.sizes.sum())
        low, high = map(float, contrast(weights, estimates).limits(level))
        least = float(smallest_values(groups.objectives).min())
        ci = (min(max(low, least), value), max(min(high, 1.0), value))
    every = np.zeros(groups.n_all)
    every[groups.places] = weights
    known = not np.isnan(ci).any()
    return PooledAgreement(pooling, value, None if np.isnan(se) else se, ci if known else None, tuple(every.tolist()))


def differences(groups: DefinedGroups, studies: NullStudies | None, level: float) -> tuple[GroupDifference, ...]:
    """Return the differences of all pairs of groups, with simultaneous intervals and adjusted p-values."""
    n = len(groups.names)
    if not 2 <= n <= MOST_COMPARED:
        return ()
    first, second = np.triu_indices(n, 1)
    factors = np.zeros((len(first), n))
    factors[np.arange(len(first)), first], factors[np.arange(len(first)), second] = 1, -1
    found = groups.values[first] - groups.values[second]
    low, high = contrast(factors, groups.estimates(level)).limits(simultaneous_level(level, n))
    least = smallest_values(groups.objectives)
    low = np.minimum(np.maximum(low, least[first] - 1), found)
    high = np.maximum(np.minimum(high, 1 - least[second]), found)
    if studies is not None:
        pvalues = studies.pair_pvalues(groups.for_tests, first, second)
    else:
        pvalues = simultaneous_pvalues(two_sided_pvalues(contrast(factors, groups.for_tests)), n)
    return tuple(
        GroupDifference(
            groups.names[a],
            groups.names[b],
            difference,
            None if np.isnan(ends).any() else ends,
            None if np.isnan(pvalue) else pvalue,
        )
        for a, b, difference, ends, pvalue in zip(
            first.tolist(),
            second.tolist(),
            found.tolist(),
            zip(low.tolist(), high.tolist(), strict=True),
            pvalues.tolist(),
            strict=True,
        )
    )


def slope(scores: Floats, groups: DefinedGroups, studies: NullStudies | None, level: float) -> GroupTrend:
    """Return the slope of the coefficients on the scores, by regression weighted by the numbers of subjects."""
    listed, own = tuple(scores.tolist()), scores[groups.places] / 2
    half_range = float(np.ptp(own)) if len(own) else 0.0
    if half_range < _SMALLEST_RANGE:
        return GroupTrend(listed, reason="the groups in which the coefficient is defined have fewer than two scores")
    factors = _slope_factors((own - own[0]) / half_range, groups.sizes) / (2 * half_range)
    found = float(factors @ groups.values)
    se = float(np.sqrt(factors**2 @ groups.errors**2))
    shares = np.full(len(own), _HALF)
    low, high = map(float, contrast(factors, groups.estimates(level, shares)).limits(level))
    reason = groups.without_error
    if studies is not None:
        pvalue: float | None = studies.contrast_pvalue(groups.for_tests, factors)
    elif reason is None:
        pvalue = float(two_sided_pvalues(contrast(factors, groups.estimates(TEST_LEVEL, shares))))
    else:
        pvalue = None
    ci = None if np.isnan([low, high]).any() else (min(low, found), max(high, found))
    return GroupTrend(listed, found, None if np.isnan(se) else se, ci, pvalue, reason)


def _slope_factors(scores: Floats, sizes: Floats) -> Floats:
    """Return the factors of the coefficients in the slope of a regression that is weighted by the sizes."""
    weights = _normed(sizes)
    centered = scores - weights @ scores
    factors = weights * centered / (weights @ centered**2)
    factors[weights.argmax()] -= factors.sum()  # their sum is zero, but a group with almost all subjects is rounded
    return factors


def _normed(weights: Array) -> Floats:
    return np.asarray(weights / weights.sum())
