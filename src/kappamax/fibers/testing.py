"""Ratings in, how surprising their agreement is by chance alone out.

By chance each rater's ratings fall on the subjects in any order, all orders equally likely. The p-value is the exact
probability of a table at least as extreme as the observed one where its distribution fits into memory, and a share of
random tables otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kappamax._checks import options
from kappamax._exact import RootSum
from kappamax._parallel import run_tasks
from kappamax._result import Result
from kappamax.coefficients import objective_for
from kappamax.display import numbers
from kappamax.errors import Interrupted, NotSupportedError
from kappamax.fibers.count import MEMORY_LIMIT
from kappamax.fibers.distribution import ALTERNATIVES, as_extreme, mean_score
from kappamax.fibers.sample import random_scores
from kappamax.fibers.scores import ScoreSpace
from kappamax.fibers.ways import Progress
from kappamax.intake import Ratings, as_table
from kappamax.objective import Objective
from kappamax.table import Label
from kappamax.weights import WeightsLike

__all__ = ["ExactTest", "exact_test"]

METHODS = ("auto", "exact", "monte-carlo")
EXACT_WORK = 3_000_000_000
_SHUFFLED_RATINGS = 2_000_000_000
_FEWEST_DRAWS, _MOST_DRAWS = 2_000, 100_000
_BLOCKS = 50
_CLEAR = 1e-9


def exact_test(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    alternative: str = "greater",
    method: str = "auto",
    n_draws: int | None = None,
    rng: np.random.Generator | int | None = None,
    n_jobs: int = 1,
    memory_limit: float = MEMORY_LIMIT,
    progress: Progress | None = None,
    categories: Sequence[Label] | None = None,
) -> ExactTest:
    """Test whether raters agree more (or less) than their margins and chance alone would have it.

    Parameters
    ----------
    *ratings : a Table, a frame, or two or more label arrays
        With missing ratings, each rater's ratings are rearranged over the subjects that rater rated (Monte Carlo).
    weights, coefficient, categories
        As for `agreement`. On complete ratings all coefficients with the same weights have the same p-value.
    alternative : "greater", "less" or "two-sided"
        More agreement than by chance, less, or at least as far from its mean by chance on either side.
    method : "auto", "exact" or "monte-carlo"
        "auto" is exact where the distribution takes some seconds at most and fits into `memory_limit`.
    n_draws : int, optional
        Random tables for Monte Carlo: 2,000 to 100,000 by the size of the ratings, if left out.
    rng : int, Generator or None
        Seed or source of randomness.
    n_jobs : int
        Processes; the result does not depend on it.
    memory_limit : float
        Bytes for the exact method.
    progress : callable, optional
        Called with (work done, work in all).

    Raises
    ------
    UndefinedKappaError
        If all raters used a single category.
    NotSupportedError
        If "exact" is asked for and not possible; the message says why.
    Interrupted
        On Ctrl-C during Monte Carlo; `.best` is the test with the draws so far.

    Examples
    --------
    >>> import kappamax as km
    >>> test = km.exact_test(km.from_counts([[4, 1], [1, 4]]))
    >>> round(test.pvalue, 4), test.method  # (5 * 5 + 1) / C(10, 5)
    (0.1032, 'exact')
    """
    table = as_table(*ratings, categories=categories)
    objective = objective_for(table, weights=weights, coefficient=coefficient)
    alternative = options.choice("alternative", alternative, ALTERNATIVES)
    method = options.choice("method", method, METHODS)
    value = objective.value(objective.score)
    reason = None
    if method != "monte-carlo":
        try:
            space = ScoreSpace([objective], memory_limit)
            if method == "exact" or space.work() <= EXACT_WORK:
                pvalue = _exact_pvalue(space, objective, alternative, progress)
                return _result(objective, value, pvalue, alternative)
            reason = f"the exact distribution would take {float(space.work()):.2g} additions"
        except NotSupportedError as error:
            if method == "exact":
                raise
            reason = str(error)
    draws = _draws_for(table.n_subjects * table.n_raters) if n_draws is None else n_draws
    draws = options.at_least("n_draws", draws, 1)
    sizes = [size for size in np.diff(np.linspace(0, draws, _BLOCKS + 1).astype(int)).tolist() if size]
    generators = options.generator(rng).spawn(len(sizes))
    done = extreme = 0
    tasks = ((objective, size, alternative, own) for size, own in zip(sizes, generators, strict=True))
    try:
        for size, found in zip(sizes, run_tasks(_extreme_draws, tasks, n_jobs), strict=True):
            done, extreme = done + size, extreme + found
            if progress is not None:
                progress(done, draws)
    except KeyboardInterrupt:
        if not done:
            raise
        best = _monte_carlo(objective, value, extreme, done, alternative, "interrupted")
        raise Interrupted(best) from None
    return _monte_carlo(objective, value, extreme, done, alternative, reason)


@dataclass(frozen=True, repr=False)
class ExactTest(Result):
    """A test of agreement beyond chance.

    Attributes
    ----------
    value : float
        The observed coefficient.
    pvalue : float
        The probability by chance of a table at least as extreme. For Monte Carlo (b + 1) / (n_draws + 1) with b
        such tables among the draws: never zero, and valid as a p-value.
    method : "exact" or "monte-carlo"
    se : float or None
        Monte Carlo standard error of the p-value; None where it is exact.
    n_draws : int or None
    reason : str or None
        Why the p-value is not exact.
    """

    coefficient: str
    weights: str
    value: float
    pvalue: float
    alternative: str
    method: str
    se: float | None
    n_draws: int | None
    reason: str | None

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            ("weights", self.weights),
            ("value", numbers.decimal(self.value)),
            ("p-value", numbers.pvalue(self.pvalue)),
            ("alternative", self.alternative),
            ("method", self.method if self.n_draws is None else f"{self.method}, {self.n_draws:,} tables"),
        ]
        return rows if self.se is None else [*rows, ("standard error", numbers.decimal(self.se))]


def _result(objective: Objective, value: float, pvalue: float, alternative: str, **monte_carlo: Any) -> ExactTest:
    return ExactTest(
        coefficient=objective.coefficient.name,
        weights=objective.weights.name,
        value=value,
        pvalue=pvalue,
        alternative=alternative,
        method="monte-carlo" if monte_carlo else "exact",
        se=monte_carlo.get("se"),
        n_draws=monte_carlo.get("n_draws"),
        reason=monte_carlo.get("reason"),
    )


def _monte_carlo(
    objective: Objective, value: float, extreme: int, done: int, alternative: str, reason: str | None
) -> ExactTest:
    pvalue = (extreme + 1) / (done + 1)
    se = (pvalue * (1 - pvalue) / done) ** 0.5
    return _result(objective, value, pvalue, alternative, se=se, n_draws=done, reason=reason)


def _exact_pvalue(space: ScoreSpace, objective: Objective, alternative: str, progress: Progress | None) -> float:
    chances = space.chances(progress)
    reached = np.flatnonzero(chances).tolist()
    scores = [score for (score,) in space.scores(reached)]
    extreme = as_extreme(scores, objective.score, mean_score(objective), alternative)
    return min(1.0, float(chances[reached][extreme].sum()))


def _extreme_draws(objective: Objective, size: int, alternative: str, rng: np.random.Generator) -> int:
    """How many of so many random tables are at least as extreme as the observed one.

    Decided by doubles where they are clear; else exactly, or within the tolerance of weights that are not exact.
    """
    rows, counts = np.unique(random_scores(objective, size, rng), axis=0, return_counts=True)
    observed, mean = objective.score, mean_score(objective)
    reals = rows.astype(float) @ np.sqrt(np.array(objective.radicands, dtype=float))
    beyond = _beyond(reals, float(observed), float(mean), alternative)
    tolerance = objective.weights.tolerance / float(objective.observed(RootSum(1)))
    extreme = beyond >= -tolerance
    if objective.weights.exact:
        near = np.flatnonzero(np.abs(beyond) <= _CLEAR * (np.abs(reals).max() + abs(float(observed))))
        scores = [RootSum(dict(zip(objective.radicands, row, strict=True))) for row in rows[near].tolist()]
        extreme[near] = as_extreme(scores, observed, mean, alternative)
    return int(counts @ extreme)


def _beyond(scores: Any, observed: float, mean: float, alternative: str) -> Any:
    """How far beyond the observed score each score is in the direction of the alternative; negative if it is not."""
    if alternative == "greater":
        return observed - scores
    if alternative == "less":
        return scores - observed
    return np.abs(scores - mean) - abs(observed - mean)


def _draws_for(n_ratings: int) -> int:
    """How many random tables are worth their time by default."""
    return max(_FEWEST_DRAWS, min(_MOST_DRAWS, _SHUFFLED_RATINGS // max(1, n_ratings)))
