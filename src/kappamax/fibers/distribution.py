"""Hold the distribution of a coefficient by chance, exact or drawn, with its p-values and its mean.

By chance each rater's ratings fall on the subjects that rater rated in any order, all orders equally likely. Where
expected disagreement is the same for all orders, the score alone decides which outcomes are extreme. With missing
ratings it is not the same for the coefficients that pool the raters' ratings, and the coefficient itself is compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._result import Result, plain
from kappamax._rootsum import RootSum
from kappamax._tolerances import ROUNDING_MARGIN
from kappamax._typing import Array, Floats
from kappamax._validate import as_choice
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.patterns import n_ratings_of

ALTERNATIVES = ("greater", "less", "two-sided")
TWO_SIDED = ("distance", "probability")
_TIED = 1 + 1e-7  # the relative tolerance of R's fisher.test


@dataclass(frozen=True, repr=False)
class Distribution(Result):
    """A coefficient by chance: its values and their probabilities, exact or from random tables.

    Attributes
    ----------
    coefficient, weights : str
    observed : float
        The coefficient of the observed table.
    values : floats, shape (n,)
        Every value that some table has, in increasing order where the tables were counted. Otherwise there is one
        entry for every outcome, in the order of scores.
    probabilities : floats, shape (n,)
        How likely each value is where each rater's ratings fall on subjects by chance (the hypergeometric
        distribution); from random tables, their shares.
    n_tables : tuple of n ints
        How many tables have each value, exactly; empty if they were not counted.
    scores : tuple of n exact numbers
        The total disagreement behind each value.
    objective : Objective
        The table, the weights and the coefficient.
    rows : whole numbers, shape (n, number of radicands)
        Components of the scores.
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
    n_tables: tuple[int, ...] = ()
    n_draws: int | None = None
    reason: str | None = None
    uses: Array | None = None
    undefined: float = 0.0

    @classmethod
    def of_outcomes(
        cls, objective: Objective, rows: Array, counts: Array, n_draws: int | None = None, reason: str | None = None
    ) -> Distribution:
        """Return a distribution from components of scores and, where chance varies, uses of categories beside them."""
        if objective.fixed_chance:
            return cls(objective, rows, counts, n_draws=n_draws, reason=reason)
        n_roots = len(objective.radicands)
        rows, uses = rows[:, :n_roots], rows[:, n_roots:]
        defined = _expected_at(objective, uses) > 0
        undefined = float(counts[~defined].sum())
        return cls(objective, rows[defined], counts[defined], (), n_draws, reason, uses[defined], undefined)

    @property
    def coefficient(self) -> str:
        """The coefficient's name."""
        return self.objective.coefficient.name

    @property
    def weights(self) -> str:
        """The weights' name."""
        return self.objective.weights.name

    @property
    def observed(self) -> float:
        """The coefficient of the observed table."""
        return self.objective.value(self.objective.score)

    @property
    def observed_score(self) -> RootSum:
        """The observed table's total disagreement."""
        return self.objective.score

    @cached_property
    def mean_score(self) -> RootSum:
        """The mean total disagreement by chance."""
        return mean_score(self.objective)

    @cached_property
    def scores(self) -> tuple[RootSum, ...]:
        """The total disagreement of each outcome."""
        return tuple(self._score(i) for i in range(len(self.rows)))

    @cached_property
    def values(self) -> Floats:
        """The coefficient of each outcome: correctly rounded where tables were counted, else in doubles."""
        if self.n_tables:
            return np.array([self.objective.value(score) for score in self.scores])
        return np.asarray(1 - self._ratios)

    @property
    def probabilities(self) -> Floats:
        """The share of each outcome."""
        return np.asarray(self.counts if self.n_draws is None else self.counts / self.n_draws, dtype=float)

    @property
    def n_same_value(self) -> int:
        """How many tables have the observed value."""
        return self.n_tables[self.scores.index(self.observed_score)]

    @cached_property
    def mean(self) -> float:
        """The mean of the coefficient by chance, over all rearrangements in which it is defined.

        Exact where expected disagreement is the same for all; else from the distribution. From draws it is the mean
        of these and the observed value, which are exchangeable under chance, so that a two-sided p-value by distance
        from it is valid. As the mean disagreement is known, the mean is corrected by that of the draws.
        """
        objective = self.objective
        if self.uses is None:
            return objective.value(self.mean_score)
        if self.n_draws is None:
            return float(self.counts @ self.values / self.counts.sum())
        values = np.append(self.values, self.observed)
        shares = np.append(self.counts, 1) / (self.counts.sum() + 1)
        disagreements = np.append(self._disagreements, float(objective.observed(objective.score)))
        deviations = disagreements - shares @ disagreements
        spread = float(shares @ deviations**2)
        slope = float(shares @ (deviations * values)) / spread if spread and not self.undefined else 0.0
        missed = float(objective.observed(self.mean_score)) - shares @ disagreements
        return float(shares @ values + slope * missed)

    def pvalue(self, alternative: str = "greater", *, two_sided: str = "distance") -> float:
        """Return the probability by chance of a value at least as extreme as the observed one.

        From draws it is (b + 1) / (n_draws + 1) with b such draws: never zero, and valid as a p-value.

        Parameters
        ----------
        alternative : "greater", "less" or "two-sided"
            At least as much agreement as observed, at most as much, or a value extreme in either direction.
        two_sided : "distance" or "probability"
            Definition of the two-sided p-value: values at least as far from the mean by chance as the observed one,
            or values that are no more probable. The latter needs the exact distribution: draws do not tell the
            probabilities of single values.
        """
        if two_sided_by_probability(alternative, two_sided):
            if self.n_draws is not None:
                why = (self.reason or "method is 'monte-carlo'").rstrip(".")
                raise NotSupportedError(f"two_sided='probability' needs the exact distribution, but {why}.")
            by_value = np.bincount(self._groups, weights=self.counts)
            same = np.unique(self._groups[self._extreme("greater") & self._extreme("less")])
            extreme = float(by_value[by_value <= float(by_value[same].sum()) * _TIED].sum())
        else:
            alternative = as_choice("alternative", alternative, ALTERNATIVES)
            extreme = float(self.counts[self._extreme(alternative)].sum())
        extreme += self.undefined
        return min(1.0, extreme) if self.n_draws is None else (extreme + 1) / (self.n_draws + 1)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: one entry of `distribution` per value."""
        found: dict[str, Any] = {"weights": self.weights, "coefficient": self.coefficient, "value": self.observed}
        rows: list[dict[str, Any]] = [{"value": value} for value in self.values.tolist()]
        if self.n_tables:
            found |= {"n_tables": plain(sum(self.n_tables)), "n_same_value": plain(self.n_same_value)}
            rows = [row | {"n_tables": plain(n)} for row, n in zip(rows, self.n_tables, strict=True)]
        shares = self.probabilities.tolist()
        found["distribution"] = [row | {"probability": p} for row, p in zip(rows, shares, strict=True)]
        return found

    def _rows(self) -> list[tuple[str, str]]:
        rows = [("weights", self.weights), ("observed value", numbers.decimal(self.observed))]
        if self.n_tables:
            rows.append(("tables", numbers.count(sum(self.n_tables))))
            rows.append(("with the observed value", numbers.count(self.n_same_value)))
        ends = np.append(self.values, self.observed)
        return [
            *rows,
            ("different values", numbers.count(len(self.values))),
            ("range", numbers.interval((float(ends.min()), float(ends.max())))),
            ("chance of as much agreement", numbers.pvalue(self.pvalue())),
        ]

    @cached_property
    def _disagreements(self) -> Floats:
        """The mean disagreement of each outcome, in doubles; whole numbers of any size are divided as such."""
        objective = self.objective
        shares = self.rows.astype(object) / (objective.scale * objective.denominator * objective.n_units)
        return np.asarray(shares.astype(float) @ np.sqrt(np.array(objective.radicands, dtype=float)))

    @cached_property
    def _expected(self) -> Any:
        """Expected disagreement in doubles: one number, or one per outcome."""
        return float(self.objective.expected) if self.uses is None else _expected_at(self.objective, self.uses)

    @cached_property
    def _ratios(self) -> Floats:
        """Observed over expected disagreement of each outcome, in doubles."""
        return np.asarray(self._disagreements / self._expected)

    def _extreme(self, alternative: str) -> npt.NDArray[np.bool_]:
        """Which outcomes are at least as extreme as the observed one.

        Doubles tell where they are clear. Close outcomes are compared exactly, or within the tolerance of weights that
        are not exact. Where expected disagreement varies the mean is known only in doubles, so that outcomes as far
        from it within rounding count as extreme.
        """
        objective, ratios, tolerance = self.objective, self._ratios, self.objective.weights.tolerance
        expected = float(objective.expected)
        own = float(objective.observed(objective.score)) / expected
        if self.uses is None:
            mean = float(objective.observed(self.mean_score)) / expected
            slack, close = tolerance / expected, ROUNDING_MARGIN * (ratios.max() + own)
        else:
            mean, size = 1 - self.mean, np.abs(self.values) + abs(self.observed)
            slack = 2 * tolerance * (2 + size) / np.minimum(self._expected, expected)
            close = ROUNDING_MARGIN * (1 + size)
        if alternative == "two-sided":
            beyond = np.abs(ratios - mean) - abs(own - mean)
        else:
            beyond = own - ratios if alternative == "greater" else ratios - own
        near, extreme = np.abs(beyond) <= close, np.asarray(beyond >= -slack)
        if objective.weights.exact and (self.uses is None or alternative != "two-sided"):
            for i in np.flatnonzero(near).tolist():
                extreme[i] = self._as_extreme(i, alternative)
        elif self.uses is not None:
            extreme |= near
        return extreme

    def _as_extreme(self, i: int, alternative: str) -> bool:
        """Whether an outcome is at least as extreme as the observed one: exactly."""
        if alternative == "two-sided":
            here, own = (score - self.mean_score for score in (self._score(i), self.observed_score))
            return here * here.sign() >= own * own.sign()
        above = self._above(i, self.observed_score, self.objective.expected)
        return above >= 0 if alternative == "greater" else above <= 0

    def _above(self, i: int, score: RootSum, expected: RootSum) -> int:
        """Whether the coefficient of an outcome is above (1), equal to (0) or below (-1) that of another: exactly."""
        if self.uses is None:
            return (score - self._score(i)).sign()
        return (score * self._exact_expected(i) - self._score(i) * expected).sign()

    @cached_property
    def _groups(self) -> npt.NDArray[np.intp]:
        """Numbers that tell outcomes with different values of the coefficient apart, for exact weights."""
        groups = np.arange(len(self.rows))
        if self.uses is None:
            return groups
        order = np.argsort(self.values)
        gaps = np.diff(self.values[order]) > ROUNDING_MARGIN * (1 + np.abs(self.values[order[1:]]))
        for close in np.split(order, np.flatnonzero(gaps) + 1):
            different: list[int] = []
            for i in close.tolist() if len(close) > 1 else []:
                same = [j for j in different if self._above(i, self._score(j), self._exact_expected(j)) == 0]
                groups[i] = same[0] if same else i
                different += [] if same else [i]
        return groups

    def _exact_expected(self, i: int) -> RootSum:
        """Expected disagreement of an outcome, where it varies."""
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


def mean_score(objective: Objective) -> RootSum:
    """Return the mean score by chance: each rater's ratings in any order over the subjects that rater rated.

    A pair of raters then disagrees by p_a' U p_b on average, on every subject that both rated.
    """
    table = objective.table
    factors = objective.factors_by_size
    each = table.counts.astype(object) * factors[n_ratings_of(table.patterns)]
    rated = table.patterns >= 0
    mean = RootSum()
    for a, b, entries in objective.entries():
        together = int(each[rated[:, a] & rated[:, b]].sum())
        left, right = table.margins[a].astype(object), table.margins[b].astype(object)
        pairs = int(left.sum() * right.sum())
        for i, f in enumerate(objective.radicands):
            mean += RootSum({f: Fraction(together * int(left @ entries[:, :, i].astype(object) @ right), pairs)})
    return mean


def two_sided_by_probability(alternative: str, two_sided: str) -> bool:
    """Whether the two-sided p-value by probability is asked for; an error where the test is not two-sided."""
    by_probability = as_choice("two_sided", two_sided, TWO_SIDED) == "probability"
    if by_probability and as_choice("alternative", alternative, ALTERNATIVES) != "two-sided":
        raise InvalidOptionError(f"two_sided='probability' needs alternative='two-sided'; got {alternative!r}.")
    return by_probability


def _expected_at(objective: Objective, uses: Array) -> Floats:
    """Expected disagreement at some uses of categories, in doubles."""
    return Evaluator(objective).expected_of(uses.astype(float) / objective.use_scale)
