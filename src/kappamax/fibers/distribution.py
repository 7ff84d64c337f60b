"""Represent the null distribution of a coefficient, exact or sampled, and compute its mean and p-values.

Under the null distribution, the ratings of each rater are arranged over the subjects that the rater rated in random
order, and all orders are equally likely.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._result import TableResult, plain
from kappamax._rootsum import RootSum
from kappamax._typing import Array, Floats
from kappamax._validate import as_choice
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.fibers.outcomes import Outcomes, expected_at
from kappamax.patterns import n_ratings_of
from kappamax.reading import DataSummary

ALTERNATIVES = ("greater", "less", "two-sided")
TWO_SIDED = ("distance", "probability")
#: ratio of two probabilities up to which they count as equal, as in R's fisher.test
TIED = 1 + 1e-7


@dataclass(frozen=True, repr=False)
class Distribution(TableResult):
    """Null distribution of a coefficient, exact or sampled.

    Under the null distribution each rater's ratings are arranged in random order over the subjects that the rater
    rated. For complete ratings this is the (multivariate) hypergeometric distribution over the tables of the fiber.

    Attributes
    ----------
    coefficient : str
        Name of the coefficient.
    weights : str
        Name of the weights.
    value : float
        Value of the coefficient in the observed table.
    observed_score : RootSum
        Total disagreement of the observed table, as an exact number.
    values : floats, shape (n,)
        Value of the coefficient in each outcome. If the tables were counted, these are all values that some table has,
        in increasing order. Otherwise there is one entry for every distinct score (and use of categories, see `uses`),
        in the order of the scores.
    probabilities : floats, shape (n,)
        Probability of each outcome or, if the distribution was sampled, its share among the draws.
    n_tables : tuple of n ints
        Exact number of tables with each value; empty if the tables were not counted.
    n_same_value : int
        Number of tables with the observed value. It is available only if the tables were counted.
    scores : tuple of n RootSums
        Total disagreement of each outcome, as an exact number.
    mean : float
        Mean of the coefficient.
    mean_score : RootSum
        Mean of the total disagreement, as an exact number.
    objective : Objective
        The observed table, the weights and the coefficient.
    rows : integers, shape (n, number of radicands)
        Integer components of the score of each outcome, one for each square root that occurs in the weights.
    counts : numbers, shape (n,)
        Probability of each outcome or, if the distribution was sampled, the number of draws with it.
    n_draws : int or None
        Number of random tables that were drawn; None if the distribution is exact.
    reason : str or None
        Reason why the distribution was sampled, or "interrupted" if Ctrl-C stopped the sampling early; None if it is
        exact or if sampling was requested.
    uses : integers, shape (n, k), or None
        Pooled use of the categories in each outcome; None if the expected disagreement is the same for all
        rearrangements.
    undefined : float
        Probability, or number of draws, of the rearrangements in which the coefficient is 0/0. They count as extreme
        in both directions, which can make a p-value larger but never smaller.

    Examples
    --------
    >>> import kappamax as km
    >>> null = km.fiber(km.example("rapallo2022")).distribution("linear")
    >>> len(null.values), null.n_same_value, round(null.value, 4)
    (27, 1654, 0.5023)
    >>> null.pvalue() < 0.0001
    True
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
        """Return the distribution of given outcomes.

        Parameters
        ----------
        objective : Objective
            The observed table, the weights and the coefficient.
        rows : integers, shape (n, m)
            Components of the score of each outcome. If the expected disagreement differs between rearrangements, the
            pooled use of each category follows in k further columns.
        counts : numbers, shape (n,)
            Probability of each outcome or, if the distribution was sampled, the number of draws with it.
        n_draws : int, optional
            Number of draws. By default the distribution is exact.
        reason : str, optional
            Reason why the distribution was sampled. By default there is none.

        Returns
        -------
        Distribution
        """
        if objective.fixed_chance:
            return cls(objective, rows, counts, n_draws=n_draws, reason=reason)
        n_roots = len(objective.radicands)
        rows, uses = rows[:, :n_roots], rows[:, n_roots:]
        defined = expected_at(objective, uses) > 0
        undefined = float(counts[~defined].sum())
        return cls(objective, rows[defined], counts[defined], (), n_draws, reason, uses[defined], undefined)

    @property
    def data(self) -> DataSummary:
        """Description of the ratings and of how they were read."""
        return self.objective.table.data

    def _columns(self) -> dict[str, Iterable[Any]]:
        columns: dict[str, Iterable[Any]] = {"value": self.values.tolist(), "probability": self.probabilities.tolist()}
        return columns | ({"n_tables": self.n_tables} if self.n_tables else {})

    def _frame_library(self) -> str | None:
        return self.objective.table.frame_library

    @property
    def coefficient(self) -> str:
        """Name of the coefficient."""
        return self.objective.coefficient.name

    @property
    def weights(self) -> str:
        """Name of the weights."""
        return self.objective.weights.name

    @property
    def value(self) -> float:
        """Value of the coefficient in the observed table."""
        return self.objective.value(self.objective.score)

    @property
    def observed_score(self) -> RootSum:
        """Total disagreement of the observed table, as an exact number."""
        return self.objective.score

    @cached_property
    def mean_score(self) -> RootSum:
        """Mean of the total disagreement under the null distribution, as an exact number."""
        return mean_score(self.objective)

    @cached_property
    def scores(self) -> tuple[RootSum, ...]:
        """Total disagreement of each outcome, as an exact number."""
        return tuple(self._outcomes.score(i) for i in range(len(self.rows)))

    @cached_property
    def values(self) -> Floats:
        """Value of the coefficient in each outcome.

        The values are correctly rounded if the tables were counted, and computed in floating point otherwise.
        """
        if self.n_tables:
            return np.array([self.objective.value(score) for score in self.scores])
        return np.asarray(1 - self._outcomes.ratios)

    @property
    def probabilities(self) -> Floats:
        """Probability of each outcome or, if the distribution was sampled, its share among the draws."""
        return np.asarray(self.counts if self.n_draws is None else self.counts / self.n_draws, dtype=float)

    @property
    def n_same_value(self) -> int:
        """Number of tables with the observed value. It is available only if the tables were counted."""
        return self.n_tables[self.scores.index(self.observed_score)]

    @cached_property
    def mean(self) -> float:
        """Mean of the coefficient over all rearrangements in which it is defined.

        The mean is exact if the expected disagreement is the same for all rearrangements; otherwise it is computed from
        the outcomes. If these were sampled, the mean is taken over the draws and the observed value, which are
        exchangeable under the null hypothesis, so that a two-sided p-value based on the distance from this mean is
        valid. Disagreement, whose mean is known exactly, then serves as a control variate.
        """
        objective = self.objective
        if self.uses is None:
            return objective.value(self.mean_score)
        if self.n_draws is None:
            return float(self.counts @ self.values / self.counts.sum())
        values = np.append(self.values, self.value)
        shares = np.append(self.counts, 1) / (self.counts.sum() + 1)
        disagreements = np.append(self._outcomes.disagreements, float(objective.observed(objective.score)))
        deviations = disagreements - shares @ disagreements
        spread = float(shares @ deviations**2)
        slope = float(shares @ (deviations * values)) / spread if spread and not self.undefined else 0.0
        missed = float(objective.observed(self.mean_score)) - shares @ disagreements
        return float(shares @ values + slope * missed)

    def pvalue(self, alternative: str = "greater", *, two_sided: str = "distance") -> float:
        """Return the probability of a value at least as extreme as the observed one.

        If the distribution was sampled and b of the draws are at least as extreme, the p-value is
        (b + 1) / (n_draws + 1), which is never zero and gives a valid test.

        Parameters
        ----------
        alternative : {"greater", "less", "two-sided"}, optional
            Alternative hypothesis. Extreme values are those with at least the observed agreement ("greater", the
            default), those with at most the observed agreement ("less"), or those that are far from the mean or
            improbable ("two-sided").
        two_sided : {"distance", "probability"}, optional
            Definition of the two-sided p-value. "distance", the default, counts the values at least as far from the
            mean of the null distribution as the observed value. "probability" counts the values that are no more
            probable than the observed value. It needs the exact distribution, because draws do not determine the
            probabilities of single values.

        Returns
        -------
        float
            The p-value.

        Raises
        ------
        InvalidOptionError
            If an option has an unknown value, or `two_sided` is "probability" and `alternative` is not "two-sided".
        NotSupportedError
            If `two_sided` is "probability" and the distribution was sampled.

        Examples
        --------
        >>> import kappamax as km
        >>> null = km.fiber(km.from_counts([[4, 1], [1, 4]])).distribution()
        >>> round(null.pvalue(), 4), round(null.pvalue("two-sided"), 4)
        (0.1032, 0.2063)
        """
        if two_sided_by_probability(alternative, two_sided):
            if self.n_draws is not None:
                why = (self.reason or "method is 'monte-carlo'").rstrip(".")
                raise NotSupportedError(f"two_sided='probability' needs the exact distribution, but {why}.")
            groups = self._outcomes.groups
            by_value = np.bincount(groups, weights=self.counts)
            same = np.unique(groups[self._extreme("greater") & self._extreme("less")])
            extreme = float(by_value[by_value <= float(by_value[same].sum()) * TIED].sum())
        else:
            alternative = as_choice("alternative", alternative, ALTERNATIVES)
            extreme = float(self.counts[self._extreme(alternative)].sum())
        extreme += self.undefined
        return min(1.0, extreme) if self.n_draws is None else (extreme + 1) / (self.n_draws + 1)

    def only_bounds(self, pvalue: float) -> bool:
        """Return whether a p-value is only an upper bound, because no random table was as extreme as observed.

        Parameters
        ----------
        pvalue : float
            A p-value of this distribution.

        Returns
        -------
        bool
        """
        return self.n_draws is not None and round(pvalue * (self.n_draws + 1)) == 1

    def to_dict(self) -> dict[str, Any]:
        """Return the distribution as plain data for JSON, with one entry of `distribution` for each value.

        Returns
        -------
        dict
            The keys are `weights`, `coefficient`, `value` (the observed value) and `distribution`, a list of values
            with their probabilities. If the tables were counted, `n_tables`, `n_same_value` and the number of tables
            of each value are included.
        """
        found: dict[str, Any] = {"weights": self.weights, "coefficient": self.coefficient, "value": self.value}
        rows: list[dict[str, Any]] = [{"value": value} for value in self.values.tolist()]
        if self.n_tables:
            found |= {"n_tables": plain(sum(self.n_tables)), "n_same_value": plain(self.n_same_value)}
            rows = [row | {"n_tables": plain(n)} for row, n in zip(rows, self.n_tables, strict=True)]
        shares = self.probabilities.tolist()
        found["distribution"] = [row | {"probability": p} for row, p in zip(rows, shares, strict=True)]
        return found

    def _rows(self) -> list[tuple[str, str]]:
        rows = [("weights", self.weights), ("observed value", numbers.decimal(self.value))]
        if self.n_tables:
            rows.append(("tables", numbers.count(sum(self.n_tables))))
            rows.append(("tables with the observed value", numbers.count(self.n_same_value)))
        ends, pvalue = np.append(self.values, self.value), self.pvalue()
        return [
            *rows,
            ("distinct values", numbers.count(len(self.values))),
            ("range", numbers.interval((float(ends.min()), float(ends.max())))),
            ("p-value, greater", numbers.pvalue(pvalue, at_most=self.only_bounds(pvalue))),
        ]

    @cached_property
    def _outcomes(self) -> Outcomes:
        """Outcomes with their comparison."""
        return Outcomes(self.objective, self.rows, self.uses)

    def _extreme(self, alternative: str) -> npt.NDArray[np.bool_]:
        """Return whether each outcome is at least as extreme as the observed one."""
        return self._outcomes.extreme(alternative, self.mean_score if self.uses is None else self.mean)


def mean_score(objective: Objective) -> RootSum:
    """Return the mean score under the null distribution, as an exact number.

    The mean disagreement of raters a and b on a subject that both rated is p_a' U p_b.
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
    """Return whether the two-sided p-value by probability is requested, and raise if the test is not two-sided."""
    by_probability = as_choice("two_sided", two_sided, TWO_SIDED) == "probability"
    if by_probability and as_choice("alternative", alternative, ALTERNATIVES) != "two-sided":
        raise InvalidOptionError(f"two_sided='probability' needs alternative='two-sided'; got {alternative!r}.")
    return by_probability
