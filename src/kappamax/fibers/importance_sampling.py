"""Estimate small p-values by importance sampling.

If none of some thousand random tables is as extreme as the observed one, the p-value is only known to be small. Tables
are then drawn from a distribution under which about half of them are as extreme, and each is weighted by its
probability under the null distribution, divided by the probability with which it was drawn. The mean weight of the
extreme tables is an unbiased estimate of the p-value, and its standard error follows from the variance of the weights.

The standard error is wrong if part of the extreme tables is practically never drawn. Two samples with different tilts
are therefore drawn, and no estimate is given if they disagree or if few tables make up most of the estimate.

The tables are drawn one subject at a time, in the order of the first rater's categories. The probability of a pattern
is proportional to its count in the table of largest entropy that has the observed margins and, as far as possible, the
observed score, times the ratio of the remaining to the expected remaining number of ratings of each other rater in its
category. This approximates the null distribution tilted exponentially by the score, for which the weights of extreme
tables vary little.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from kappamax._integers import Digits, distinct_rows
from kappamax._rootsum import RootSum
from kappamax._typing import Array, Floats, Integers
from kappamax.disagreement.objective import Objective
from kappamax.fibers.counting import all_patterns
from kappamax.fibers.distribution import mean_score
from kappamax.fibers.outcomes import Outcomes
from kappamax.patterns import MOST_AXES

_MOST_CHOICES = 40_000_000  # number of tables, times subjects, times patterns of the other raters
_MOST_DRAWS, _FEWEST_DRAWS = 10_000, 1_000
#: the second sample aims at a score nearer to the mean, by this number of standard deviations of the first sample's
#: scores, or at least by this share of the distance to the mean
_MILDER, _LEAST_SHIFT = 0.7, 0.02
_AGREEMENT = 3.5  # largest difference of the two estimates, in standard errors
_LARGEST_EXPONENT = (
    30.0  # the tilt changes the ratio of the probabilities of two patterns by at most exp of this number
)
_EFFECTIVE_DRAWS = 200  # smallest number of equally weighted draws that would give the same standard error
_LARGEST_SHARE = 0.05  # largest share of the estimate that may come from one table
_FITTING_ROUNDS = 1_000
_HALVINGS = 30
_LEAST_FACTOR = 1e-6  # no remaining pattern is less likely than this, relative to the likeliest factor


@dataclass(frozen=True)
class TailEstimate:
    """Estimate of a small p-value.

    Attributes
    ----------
    pvalue : float
        The estimate, which is unbiased.
    se : float
        Its standard error.
    n_draws : int
        Number of weighted random tables.
    """

    pvalue: float
    se: float
    n_draws: int


def tail_estimate(objective: Objective, alternative: str, rng: np.random.Generator) -> TailEstimate | None:
    """Estimate the p-value of a test against chance by importance sampling.

    Parameters
    ----------
    objective : Objective
        The observed table, the weights and the coefficient.
    alternative : {"greater", "less", "two-sided"}
        Alternative hypothesis. The two-sided p-value is based on the distance from the mean.
    rng : Generator
        Source of randomness.

    Returns
    -------
    TailEstimate or None
        The estimate, or None if ratings are missing, the table is too large, or the weights vary so much that the
        standard error could not be trusted.
    """
    table = objective.table
    sampler = None if not table.complete else _sampler_for(objective)
    if sampler is None:
        return None
    own, mean = _amount(objective, objective.score), _amount(objective, mean_score(objective))
    lower, upper = min(own, 2 * mean - own), max(own, 2 * mean - own)
    tails = {"greater": [(own, 1)], "less": [(own, -1)], "two-sided": [(lower, 1), (upper, -1)]}[alternative]
    found = [_one_tail(objective, sampler, alternative, target, side, mean, rng) for target, side in tails]
    if any(one is None for one in found):
        return None
    parts = [one for one in found if one is not None]
    return TailEstimate(
        pvalue=sum(one.pvalue for one in parts),
        se=sum(one.se**2 for one in parts) ** 0.5,
        n_draws=sum(one.n_draws for one in parts),
    )


def _one_tail(
    objective: Objective,
    sampler: _TiltedSampler,
    alternative: str,
    target: float,
    side: int,
    mean: float,
    rng: np.random.Generator,
) -> TailEstimate | None:
    """Estimate the probability of extreme tables with little disagreement (side 1) or much disagreement (side -1)."""
    if sampler.impossible(target, side):
        return TailEstimate(0.0, 0.0, 0)
    found = []
    aim = target
    for _ in range(2):
        counts, log_weights = sampler.draw(aim, rng)
        extreme = _extreme(objective, sampler.patterns, counts, alternative, side)
        weights = np.where(extreme, np.exp(log_weights), 0.0)
        total, n = float(weights.sum()), len(weights)
        if (
            not total
            or total**2 < _EFFECTIVE_DRAWS * float(weights @ weights)
            or weights.max() > _LARGEST_SHARE * total
        ):
            return None
        found.append(TailEstimate(total / n, float(weights.std(ddof=1)) / n**0.5, n))
        milder = max(_MILDER * float((counts @ sampler.costs.ravel()).std()), _LEAST_SHIFT * abs(mean - target))
        aim = target + side * milder
    one, other = found
    if abs(one.pvalue - other.pvalue) > _AGREEMENT * (one.se**2 + other.se**2) ** 0.5:
        return None
    return TailEstimate(
        (one.pvalue + other.pvalue) / 2, (one.se**2 + other.se**2) ** 0.5 / 2, one.n_draws + other.n_draws
    )


def _extreme(
    objective: Objective, patterns: Array, counts: Integers, alternative: str, side: int
) -> npt.NDArray[np.bool_]:
    """Return whether each table is as extreme as the observed one, and on the given side of the mean."""
    distinct, place = distinct_rows(Digits(objective.scores(patterns), objective.table.n_subjects).weighted(counts))
    outcomes, mean = Outcomes(objective, distinct, None), mean_score(objective)
    extreme = outcomes.extreme(alternative, mean)
    if alternative == "two-sided":
        extreme &= side * (outcomes.disagreements - _amount(objective, mean)) < 0
    return np.asarray(extreme[place])


def _amount(objective: Objective, score: RootSum) -> float:
    """Return a score as mean disagreement, in floating point."""
    return float(objective.observed(score))


def _sampler_for(objective: Objective) -> _TiltedSampler | None:
    """Return a sampler of the tables of a fiber, or None if drawing them would take too long."""
    table = objective.table
    used = [row[row > 0] for row in table.margins]
    n_patterns = prod(len(row) for row in used)
    choices = table.n_subjects * (n_patterns // len(used[0]))
    n_draws = min(_MOST_DRAWS, _MOST_CHOICES // choices)
    if n_draws < _FEWEST_DRAWS or table.n_raters > MOST_AXES:  # costs have one axis per rater
        return None
    patterns = all_patterns(table.margins)
    costs = Outcomes(objective, objective.scores(patterns), None).disagreements
    return _TiltedSampler(used, patterns, costs.reshape([len(row) for row in used]), n_draws)


class _TiltedSampler:
    """Sampler of tables with given margins whose mean score is near a target.

    Parameters
    ----------
    margins : list of integer arrays
        Marginal totals of the used categories of each rater.
    patterns : integers, shape (m, r)
        All patterns of used categories.
    costs : floats, shape (k_1, ..., k_r)
        Contribution of one subject with each pattern to the mean disagreement.
    n_draws : int
        Number of tables to draw.
    """

    def __init__(self, margins: list[Integers], patterns: Array, costs: Floats, n_draws: int) -> None:
        self.margins, self.patterns, self.costs, self.n_draws = margins, patterns, costs, n_draws

    def impossible(self, target: float, side: int) -> bool:
        """Return whether a simple bound proves that no table reaches a target from one side."""
        ends = [
            margin @ np.moveaxis(side * self.costs, a, 0).reshape(len(margin), -1).min(axis=1)
            for a, margin in enumerate(self.margins)
        ]
        least = float(max(ends))
        return side * target < least - 1e-9 * abs(least)

    def draw(self, target: float, rng: np.random.Generator) -> tuple[Integers, Floats]:
        """Return the counts of all patterns in random tables, and the logarithms of their weights."""
        expected = self._expected(target)
        first, others = self.margins[0], self.margins[1:]
        by_category = expected.reshape(len(first), -1) / first[:, None]
        codes = np.stack(np.unravel_index(np.arange(by_category.shape[1]), [len(row) for row in others]), axis=1)
        n, m = self.n_draws, by_category.shape[1]
        draws = np.arange(n)
        left = [np.repeat(row[None].astype(float), n, axis=0) for row in others]
        expected_left = [row.astype(float) for row in others]
        counts = np.zeros((n, len(first) * m), dtype=np.int64)
        log_weights = np.zeros(n)
        n_left = int(first.sum())
        for i, times in enumerate(first.tolist()):
            shares = by_category[i]
            used = [np.bincount(codes[:, a], weights=shares, minlength=len(row)) for a, row in enumerate(others)]
            for _ in range(times):
                factors = shares.copy()
                for a, remaining in enumerate(expected_left):
                    factors /= np.maximum(remaining, _LEAST_FACTOR)[codes[:, a]]
                    remaining -= used[a]
                factors = np.maximum(factors, _LEAST_FACTOR * factors.max())
                likely = np.repeat(factors[None], n, axis=0)
                for a, remaining in enumerate(left):
                    likely *= remaining[:, codes[:, a]]
                ends = np.cumsum(likely, axis=1)
                points = rng.random(n) * ends[:, -1]
                chosen = np.minimum((points[:, None] >= ends).sum(axis=1), m - 1)
                log_weights += np.log(ends[:, -1] / factors[chosen]) - len(others) * np.log(n_left)
                counts[draws, i * m + chosen] += 1
                for a, remaining in enumerate(left):
                    remaining[draws, codes[chosen, a]] -= 1
                n_left -= 1
        return counts, log_weights

    def _expected(self, target: float) -> Floats:
        """Return the table of largest entropy with the margins and, as far as possible, a mean score equal to a target.

        The tables of largest entropy with the margins are exponentially tilted by the score, and their score decreases
        with the tilt, which is found by bisection.
        """
        n = int(self.margins[0].sum())
        independent: Floats = np.ones(1)
        for margin in self.margins:
            independent = np.multiply.outer(independent, margin / n)
        independent = independent.reshape(self.costs.shape)
        sign = 1 if target <= n * float((independent * self.costs).sum()) else -1
        low, high = 0.0, _LARGEST_EXPONENT / float(np.ptp(self.costs))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            table = self._fitted(independent, sign * middle * self.costs)
            if sign * float((table * self.costs).sum()) <= sign * target:
                high = middle
            else:
                low = middle
        return self._fitted(independent, sign * high * self.costs)

    def _fitted(self, start: Floats, exponents: Floats) -> Floats:
        """Return start * exp(-exponents), fitted to the margins by iterative proportional fitting."""
        table: Floats = start * np.exp(exponents.min() - exponents)
        n_raters = table.ndim
        for _ in range(_FITTING_ROUNDS):
            off = 0.0
            for a, margin in enumerate(self.margins):
                axes = tuple(b for b in range(n_raters) if b != a)
                factor = margin / table.sum(axis=axes)
                off = max(off, float(np.abs(factor - 1).max()))
                shape = [1] * n_raters
                shape[a] = -1
                table = table * factor.reshape(shape)
            if off < 1e-6:
                break
        return table
