"""Find the distribution of a coefficient by chance, exact or drawn, with its p-values and its mean.

By chance each rater's ratings fall on the subjects that rater rated in any order, all orders equally likely. The
distribution is exact where it takes little work and fits into memory, and a sample of random tables otherwise.

Where expected disagreement is the same for all orders, the score alone decides, and it is compared. With missing
ratings it is not the same for the coefficients that pool the raters' ratings, and the coefficient itself is compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._parallel import run_tasks
from kappamax._rootsum import RootSum, distinct_rows
from kappamax._validate import as_generator, as_whole_number
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective
from kappamax.errors import Interrupted, NotSupportedError
from kappamax.fibers.count import MEMORY_LIMIT, all_patterns
from kappamax.fibers.counting import Progress, Ways
from kappamax.fibers.distribution import as_extreme, mean_score, no_more_probable, two_sided_by_probability
from kappamax.fibers.enumeration import LISTED_TABLES, fewest_tables
from kappamax.fibers.rearrangements import Rearrangements, RearrangementSpace
from kappamax.fibers.sampling import ScoreSampler, all_arrangements, n_arrangements
from kappamax.fibers.score_lattice import ScoreSpace

__all__ = ["EXACT_WORK", "METHODS", "Null", "null_of"]

Array = npt.NDArray[Any]

METHODS = ("auto", "exact", "monte-carlo")
EXACT_WORK = 3_000_000_000
_SHUFFLED_RATINGS = 2_000_000_000
_FEWEST_DRAWS, _MOST_DRAWS = 2_000, 100_000
_BLOCKS = 50
_CLEAR = 1e-9
_LISTED_SUBJECTS, _LISTED_RATINGS = 200, 2_000_000  # in one and in all arrangements that are listed
_UNCOUNTED = 10**300  # beyond which work is not told any more


def null_of(
    objective: Objective,
    *,
    method: str = "auto",
    exact_work: float | None = None,
    n_draws: int | None = None,
    n_blocks: int = _BLOCKS,
    rng: np.random.Generator | int | None = None,
    n_jobs: int = 1,
    memory_limit: float = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> Null:
    """The distribution of an objective's score by chance; see `exact_test` for the parameters.

    `exact_work` is how many additions "auto" takes for an exact distribution, and `n_blocks` in how many parts, each
    with its own generator, random tables are drawn.
    """
    generator = as_generator(rng)
    reason = None
    if method != "monte-carlo":
        most = np.inf if method == "exact" else EXACT_WORK if exact_work is None else exact_work
        try:
            if _few_arrangements(objective):
                return _listed_null(objective)
            work = _least_work(objective, memory_limit)  # soon known, and enough to give up on large designs
            listed = objective.table.complete and fewest_tables(objective.table) <= LISTED_TABLES
            if work <= most or listed:
                space = _space(objective, memory_limit)
                work = space.least_work()
                if work <= most:
                    work = space.work()
                if work <= most:
                    return _exact_null(space, objective, progress)
            reason = f"the exact distribution would take {float(min(work, _UNCOUNTED)):.2g} additions"
        except NotSupportedError as error:
            if method == "exact":
                raise
            reason = str(error)
    draws = _draws_for(objective.table.n_subjects * objective.table.n_raters) if n_draws is None else n_draws
    draws = as_whole_number("n_draws", draws, 1)
    sizes = [size for size in np.diff(np.linspace(0, draws, n_blocks + 1).astype(int)).tolist() if size]
    sampler = ScoreSampler(objective)
    tasks = ((sampler, size, own) for size, own in zip(sizes, generator.spawn(len(sizes)), strict=True))
    drawn: list[tuple[Array, Array]] = []
    done = 0
    try:
        for size, block in zip(sizes, run_tasks(_drawn, tasks, n_jobs), strict=True):
            drawn.append(block)
            done += size
            if progress is not None:
                progress(done, draws)
    except KeyboardInterrupt:
        if not done:
            raise
        raise Interrupted(_gathered(objective, drawn, done, "interrupted")) from None
    return _gathered(objective, drawn, done, reason)


@dataclass(frozen=True)
class Null:
    """What rearrangements give: every different outcome with its share of all rearrangements, or of the draws.

    Attributes
    ----------
    rows : whole numbers, shape (n, number of radicands)
        Components of the score.
    counts : numbers, shape (n,)
        Probabilities, or how many draws had that outcome.
    n_draws : int or None
        None where the distribution is exact.
    reason : str or None
        Why it is not.
    uses : whole numbers, shape (n, k), or None
        The pooled use of categories, where expected disagreement depends on it and differs between rearrangements.
    undefined : float
        The probability, or the number of draws, of rearrangements in which the coefficient is 0/0. They count as
        extreme in either direction, which makes p-values larger, never smaller.
    """

    objective: Objective
    rows: Array
    counts: Array
    n_draws: int | None
    reason: str | None
    uses: Array | None = None
    undefined: float = 0.0

    @property
    def probabilities(self) -> npt.NDArray[np.float64]:
        """The share of each outcome."""
        return np.asarray(self.counts if self.n_draws is None else self.counts / self.n_draws, dtype=float)

    @cached_property
    def values(self) -> npt.NDArray[np.float64]:
        """The coefficient at each outcome, in doubles."""
        return np.asarray(1 - self._observed / self._expected)

    @cached_property
    def mean(self) -> float:
        """The mean of the coefficient by chance, over all rearrangements in which it is defined.

        Exact where expected disagreement is the same for all; else from the distribution. From draws it is the mean
        of these and the observed value, which are exchangeable under chance, so that a two-sided p-value by distance
        from it is valid. As the mean disagreement is known, the mean is corrected by that of the draws.
        """
        objective = self.objective
        if self.uses is None:
            return objective.value(mean_score(objective))
        if self.n_draws is None:
            return float(self.counts @ self.values / self.counts.sum())
        values = np.append(self.values, objective.value(objective.score))
        shares = np.append(self.counts, 1) / (self.counts.sum() + 1)
        observed = np.append(self._observed, float(objective.observed(objective.score)))
        deviations = observed - shares @ observed
        spread = float(shares @ deviations**2)
        slope = float(shares @ (deviations * values)) / spread if spread and not self.undefined else 0.0
        return float(shares @ values + slope * (float(objective.observed(mean_score(objective))) - shares @ observed))

    def pvalue(self, alternative: str, two_sided: str = "distance") -> float:
        """The probability by chance of a coefficient at least as extreme as the observed one.

        From draws it is (b + 1) / (n_draws + 1) with b such draws: never zero, and valid as a p-value. The two-sided
        p-value by probability needs the exact distribution: draws do not tell the probabilities of single values.
        """
        if two_sided_by_probability(alternative, two_sided):
            if self.n_draws is not None:
                why = (self.reason or "method is 'monte-carlo'").rstrip(".")
                raise NotSupportedError(f"two_sided='probability' needs the exact distribution, but {why}.")
            by_value = np.bincount(self._groups, weights=self.counts)
            same = np.unique(self._groups[self._extreme("greater") & self._extreme("less")])
            rare = no_more_probable(by_value, float(by_value[same].sum()))
            extreme = float(by_value[rare].sum())
        else:
            extreme = float(self.counts[self._extreme(alternative)].sum())
        extreme += self.undefined
        return min(1.0, extreme) if self.n_draws is None else (extreme + 1) / (self.n_draws + 1)

    @cached_property
    def _observed(self) -> npt.NDArray[np.float64]:
        """The mean disagreement at each score, in doubles; whole numbers of any size are divided as such."""
        objective = self.objective
        shares = self.rows.astype(object) / (objective.scale * objective.denominator * objective.n_units)
        return np.asarray(shares.astype(float) @ np.sqrt(np.array(objective.radicands, dtype=float)))

    @cached_property
    def _expected(self) -> Any:
        """Expected disagreement in doubles: one number, or one per outcome."""
        if self.uses is None:
            return float(self.objective.expected)
        return _expected_of(self.objective, self.uses)

    def _extreme(self, alternative: str) -> npt.NDArray[np.bool_]:
        """Which outcomes are at least as extreme: by doubles where they are clear; else exactly, or within the
        tolerance of weights that are not exact.
        """
        objective = self.objective
        if self.uses is not None:
            return self._extreme_values(alternative)
        observed, mean = objective.score, mean_score(objective)
        here, expected = float(objective.observed(observed)), float(objective.observed(mean))
        beyond = _beyond(-self._observed, -here, -expected, alternative)
        extreme = np.asarray(beyond >= -objective.weights.tolerance)
        if objective.weights.exact:
            near = np.flatnonzero(np.abs(beyond) <= _CLEAR * (np.abs(self._observed).max() + abs(here)))
            scores = [self._score(i) for i in near.tolist()]
            extreme[near] = as_extreme(scores, observed, mean, alternative)
        return extreme

    def _extreme_values(self, alternative: str) -> npt.NDArray[np.bool_]:
        """The same where expected disagreement varies; what is as far from the mean within rounding is extreme."""
        objective = self.objective
        own = objective.value(objective.score)
        beyond = _beyond(self.values, own, self.mean, alternative)
        near = np.abs(beyond) <= _CLEAR * (1 + np.abs(self.values) + abs(own))
        least = np.minimum(self._expected, float(objective.expected))
        slack = 2 * objective.weights.tolerance * (2 + np.abs(self.values) + abs(own)) / least
        extreme = np.asarray((beyond >= -slack) | near)
        if objective.weights.exact and alternative != "two-sided":
            sign = 1 if alternative == "greater" else -1
            for i in np.flatnonzero(near).tolist():
                extreme[i] = sign * self._above(i, objective.score, objective.expected) >= 0
        return extreme

    def _above(self, i: int, score: RootSum, expected: RootSum) -> int:
        """Whether the coefficient of an outcome is above (1), equal to (0) or below (-1) that of another: exactly."""
        return (score * self._exact_expected(i) - self._score(i) * expected).sign()

    @cached_property
    def _groups(self) -> npt.NDArray[np.intp]:
        """Numbers that tell outcomes with different values of the coefficient apart, for exact weights."""
        groups = np.arange(len(self.rows))
        if self.uses is None:
            return groups
        order = np.argsort(self.values)
        gaps = np.diff(self.values[order]) > _CLEAR * (1 + np.abs(self.values[order[1:]]))
        for close in np.split(order, np.flatnonzero(gaps) + 1):
            different: list[int] = []
            for i in close.tolist() if len(close) > 1 else []:
                same = [j for j in different if self._above(i, self._score(j), self._exact_expected(j)) == 0]
                groups[i] = same[0] if same else i
                different += [] if same else [i]
        return groups

    def _exact_expected(self, i: int) -> RootSum:
        """Expected disagreement of an outcome."""
        assert self.uses is not None
        use = tuple(self.uses[i].tolist())
        if use not in self._known:
            self._known[use] = self.objective.expected_at(self.uses[i])
        return self._known[use]

    @cached_property
    def _known(self) -> dict[tuple[int, ...], RootSum]:
        """Expected disagreement by use of categories, as far as it was asked for."""
        return {}

    def _score(self, i: int) -> RootSum:
        return RootSum(dict(zip(self.objective.radicands, self.rows[i].tolist(), strict=True)))


def _null(objective: Objective, rows: Array, counts: Array, n_draws: int | None, reason: str | None) -> Null:
    """A distribution from its outcomes: components of the score and, where chance varies, the use of categories."""
    if objective.fixed_chance:
        return Null(objective, rows, counts, n_draws, reason)
    n_roots = len(objective.radicands)
    rows, uses = rows[:, :n_roots], rows[:, n_roots:]
    defined = _expected_of(objective, uses) > 0
    undefined = float(counts[~defined].sum())
    return Null(objective, rows[defined], counts[defined], n_draws, reason, uses[defined], undefined)


def _expected_of(objective: Objective, uses: Array) -> npt.NDArray[np.float64]:
    """Expected disagreement at some uses of categories, in doubles."""
    return Evaluator(objective).expected_of(uses.astype(float) / objective.use_scale)


def _space(objective: Objective, memory_limit: float) -> ScoreSpace | RearrangementSpace:
    """What the exact distribution is computed with."""
    if objective.table.complete:
        return ScoreSpace([objective], memory_limit)
    return RearrangementSpace(objective, memory_limit)


def _least_work(objective: Objective, memory_limit: float) -> int:
    """Additions that the distribution takes at least; zero where something else is in its way."""
    table = objective.table
    if not objective.weights.exact:
        return 0
    if not table.complete:
        rearrangements = Rearrangements(table)
        return rearrangements.work() if rearrangements.n_bytes() <= memory_limit else 0
    ways = Ways(table.margins, all_patterns(table.margins))
    return ways.work() if ways.chance_bytes() <= memory_limit else 0


def _exact_null(space: ScoreSpace | RearrangementSpace, objective: Objective, progress: Progress | None) -> Null:
    if isinstance(space, ScoreSpace):
        rows, _, chances = space.tally(n_tables=False, progress=progress)
    else:
        rows, chances = space.tally(progress)
    return _null(objective, rows, chances, None, None)


def _few_arrangements(objective: Objective) -> bool:
    """Whether ratings with gaps are so few that every arrangement can be looked at."""
    table = objective.table
    if table.complete or not objective.weights.exact or table.n_subjects > _LISTED_SUBJECTS:
        return False
    return n_arrangements(table) * table.n_subjects * table.n_raters <= _LISTED_RATINGS


def _listed_null(objective: Objective) -> Null:
    """The distribution from a list of all arrangements, which are equally likely."""
    rows, counts = _tallied(ScoreSampler(objective).scores_of(all_arrangements(objective.table)))
    return _null(objective, rows, counts / counts.sum(), None, None)


def _drawn(sampler: ScoreSampler, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """The different scores of so many random tables, and how often each came."""
    return _tallied(sampler.scores(size, rng))


def _gathered(objective: Objective, drawn: list[tuple[Array, Array]], done: int, reason: str | None) -> Null:
    """Several blocks of draws as one."""
    if len(drawn) == 1:
        return _null(objective, *drawn[0], done, reason)
    rows, counts = (np.concatenate(both) for both in zip(*drawn, strict=True))
    return _null(objective, *_tallied(rows, counts), done, reason)


def _tallied(rows: Array, counts: Array | None = None) -> tuple[Array, Array]:
    """The different rows in order, and how often each occurs."""
    distinct, place = distinct_rows(rows)
    return distinct, np.bincount(place, weights=counts)


def _beyond(values: Array, observed: float, mean: float, alternative: str) -> Array:
    """How far beyond the observed value each value is in the direction of the alternative; negative if it is not."""
    if alternative == "greater":
        return values - observed
    if alternative == "less":
        return observed - values
    return np.asarray(np.abs(values - mean) - abs(observed - mean))


def _draws_for(n_ratings: int) -> int:
    """How many random tables are worth their time by default."""
    return max(_FEWEST_DRAWS, min(_MOST_DRAWS, _SHUFFLED_RATINGS // max(1, n_ratings)))
