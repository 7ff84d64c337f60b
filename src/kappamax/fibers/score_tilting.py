"""Tilt the null distribution of a score exponentially, and invert tail probabilities of the tilted distribution.

In the model in which a pattern x has probability proportional to a product of one factor for each rater's rating and
exp(theta w(x)), where w(x) is the agreement of the pattern, the probability of a table given the margins is
proportional to its null probability times exp(theta S). S is the total agreement of the table. The distribution of S
therefore follows from its null distribution, for every theta.

All sums are computed from logarithms of probabilities, and ratios of two tails are computed as differences of
logarithms, so that neither very small probabilities nor large values of theta cause underflow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, log, log1p
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._tolerances import ROUNDING_MARGIN
from kappamax._typing import Array, Floats
from kappamax.disagreement.objective import Objective
from kappamax.fibers.distribution import TIED, mean_score
from kappamax.fibers.outcomes import Outcomes

#: definitions of the two-sided p-value
TWO_SIDED = ("distance", "probability", "tails")

_SMALLEST = float(np.finfo(float).tiny)
_ACCURACY = 1e-15  # absolute accuracy of theta, relative to the reciprocal of the largest difference of scores
_RELATIVE_ACCURACY = 4 * float(np.finfo(float).eps)


class LogProbabilities(NamedTuple):
    """Distinct outcomes of the null distribution with the logarithms of their probabilities.

    Attributes
    ----------
    rows : integers, shape (n, number of radicands)
        Components of the score of each outcome.
    logs : floats, shape (n,)
        Logarithm of the probability of each outcome, up to a constant.
    """

    rows: Array
    logs: Floats


@dataclass(frozen=True)
class TiltedScores:
    """Distributions of the total agreement given the margins, one for each theta.

    Attributes
    ----------
    objective : Objective
        The observed table, the weights and the coefficient.
    outcomes : Outcomes
        Distinct outcomes with their comparison.
    logs : floats, shape (n,)
        Logarithm of the null probability of each outcome, up to a constant.
    gains : floats, shape (n,)
        Total agreement of each outcome minus the observed total agreement, in subjects.
    above, same, below : bool, shape (n,)
        Whether an outcome has more agreement than observed, as much, or less. Ties are decided exactly or, if the
        weights are not exact, within their tolerance.
    """

    objective: Objective
    outcomes: Outcomes
    logs: Floats
    gains: Floats
    above: npt.NDArray[np.bool_]
    same: npt.NDArray[np.bool_]
    below: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, objective: Objective, found: LogProbabilities) -> TiltedScores:
        """Return the distributions that follow from a null distribution."""
        outcomes = Outcomes(objective, found.rows, None)
        centre = mean_score(objective)
        at_least, at_most = (outcomes.extreme(alternative, centre) for alternative in ("greater", "less"))
        above, below = at_least & ~at_most, at_most & ~at_least
        gains = _gains(objective, found.rows)
        # an exact comparison may separate scores that are equal in doubles
        gains = np.where(above, np.maximum(gains, _SMALLEST), np.where(below, np.minimum(gains, -_SMALLEST), 0.0))
        return cls(objective, outcomes, found.logs, gains, above, at_least & at_most, below)

    @property
    def identified(self) -> bool:
        """Whether theta is identified, that is, whether the outcomes differ in their agreement."""
        return bool(self.above.any() or self.below.any())

    @property
    def end(self) -> str | None:
        """End of the range of agreement that the observed table attains: "largest", "smallest" or None."""
        if not self.above.any():
            return "largest"
        return None if self.below.any() else "smallest"

    def estimate(self) -> float:
        """Return the conditional maximum likelihood estimate, at which the mean agreement is the observed agreement.

        It is infinite if the observed agreement is the largest or the smallest that is possible.
        """
        sizes = np.log(np.abs(self.gains, where=~self.same, out=np.ones_like(self.gains)))

        def balance(theta: float) -> float:
            logs = self._tilted(theta) + sizes
            return _log_sum(logs[self.above]) - _log_sum(logs[self.below])

        return self._solved(balance)

    def limit(self, tail: float, *, upper: bool, mid_p: bool) -> float:
        """Return the theta at which the observed or more extreme agreement has probability `tail`.

        Parameters
        ----------
        tail : float
            Probability of the tail.
        upper : bool
            Whether the upper limit is wanted, at which the tail of small agreement has this probability.
        mid_p : bool
            Whether the observed agreement counts half.

        Returns
        -------
        float
            The limit, which is infinite if no theta has this property.
        """
        wanted = log(tail) - log1p(-tail)
        sign = -1 if upper else 1

        def excess(theta: float) -> float:
            inner, outer = self._log_parts(self._tilted(theta), upper=upper, mid_p=mid_p)
            return sign * (outer - inner - wanted)

        beyond = self.above if upper else self.below  # without outcomes there, the tail has probability 1 or 1/2
        return self._solved(excess) if beyond.any() else -sign * inf

    def mean_value(self, theta: float) -> float:
        """Return the mean of the coefficient at a theta, or its largest or smallest value if theta is infinite."""
        values = 1 - self.outcomes.ratios
        if np.isinf(theta):
            return float(values.max() if theta > 0 else values.min())
        logs = self._tilted(theta)
        shares = np.exp(logs - logs.max())
        return float(shares @ values / shares.sum())

    def pvalue(self, theta: float, alternative: str, two_sided: str, *, mid_p: bool) -> float:
        """Return the probability, at a theta, of an outcome at least as extreme as the observed one.

        Parameters
        ----------
        theta : float
            Value of theta under the null hypothesis.
        alternative : {"greater", "less", "two-sided"}
            The alternative hypothesis.
        two_sided : {"distance", "probability", "tails"}
            Definition of the two-sided p-value.
        mid_p : bool
            Whether the observed agreement counts half.

        Returns
        -------
        float
        """
        logs = self._tilted(theta)
        if alternative == "two-sided" and two_sided == "tails":
            tails = (self._share(logs, ~self.below, mid_p), self._share(logs, ~self.above, mid_p))
            return min(1.0, 2 * min(tails))
        if alternative == "two-sided":
            extreme = self._improbable(logs) if two_sided == "probability" else self._distant(theta)
        else:
            extreme = ~self.below if alternative == "greater" else ~self.above
        return self._share(logs, extreme, mid_p)

    def _distant(self, theta: float) -> npt.NDArray[np.bool_]:
        """Return whether each outcome is at least as far from the mean as the observed one.

        The comparison is exact for theta = 0, whose mean is known exactly. Otherwise distances that are equal up to
        rounding count as equal.
        """
        if theta == 0:
            return self.outcomes.extreme("two-sided", mean_score(self.objective))
        logs = self._tilted(theta)
        shares = np.exp(logs - logs.max())
        mean = float(shares @ self.gains / shares.sum())
        slack = ROUNDING_MARGIN * (np.abs(self.gains) + abs(mean)) + self._slack
        return np.asarray(np.abs(self.gains - mean) >= abs(mean) - slack) | self.same

    def _improbable(self, logs: Floats) -> npt.NDArray[np.bool_]:
        """Return whether each outcome has an agreement that is no more probable than the observed one."""
        by_value = logs
        if not self.objective.weights.exact:  # several outcomes may have the same agreement, up to the tolerance
            order = np.argsort(self.gains, kind="stable")
            starts = np.flatnonzero(np.diff(self.gains[order], prepend=-inf) > self._slack)
            sums = np.logaddexp.reduceat(logs[order], starts)
            by_value = np.empty_like(logs)
            by_value[order] = np.repeat(sums, np.diff(starts, append=len(order)))
        return np.asarray(by_value <= _log_sum(logs[self.same]) + log(TIED)) | self.same

    @property
    def _slack(self) -> float:
        """Difference of total agreement up to which two outcomes count as equal; zero if the weights are exact."""
        return float(self.objective.weights.tolerance) * self.objective.table.n_subjects

    def _tilted(self, theta: float) -> Floats:
        """Return the logarithms of the probabilities at a theta, up to a constant."""
        return np.asarray(self.logs + theta * self.gains)

    def _log_parts(self, logs: Floats, *, upper: bool, mid_p: bool) -> tuple[float, float]:
        """Return the logarithms of the probabilities outside and inside the tail that ends at the observed table."""
        inside, outside = (self.below, self.above) if upper else (self.above, self.below)
        own, half = _log_sum(logs[self.same]), log(2)
        tail = np.logaddexp(_log_sum(logs[inside]), own - half if mid_p else own)
        rest = np.logaddexp(_log_sum(logs[outside]), own - half) if mid_p else _log_sum(logs[outside])
        return float(rest), float(tail)

    def _share(self, logs: Floats, chosen: npt.NDArray[np.bool_], mid_p: bool) -> float:
        """Return the probability of the chosen outcomes; the observed agreement counts half if `mid_p` is true."""
        whole = _log_sum(logs)
        share = float(np.exp(_log_sum(logs[chosen]) - whole))
        if mid_p:
            share = float(np.exp(_log_sum(logs[chosen & ~self.same]) - whole))
            share += float(np.exp(_log_sum(logs[self.same]) - whole)) / 2
        return min(1.0, share)

    def _solved(self, rising: Callable[[float], float]) -> float:
        """Return the zero of an increasing function of theta, which is infinite if the function has one sign."""
        from scipy.optimize import brentq

        start = 1 / float(np.abs(self.gains).max())
        if rising(0.0) == inf or rising(0.0) == -inf:  # there are no outcomes on one side of the observed one
            return inf if rising(0.0) < 0 else -inf
        low, high = -start, start
        while rising(low) > 0:
            low, high = 2 * low, low
        while rising(high) < 0:
            low, high = high, 2 * high
        return float(brentq(rising, low, high, xtol=_ACCURACY * start, rtol=_RELATIVE_ACCURACY, maxiter=1000))


def _gains(objective: Objective, rows: Array) -> Floats:
    """Return the total agreement of outcomes minus the observed one, in subjects.

    The total agreement is the sum, over subjects, of the mean agreement of the pairs of raters who rated the subject.
    """
    own = np.array([int(objective.score.terms.get(f, 0)) for f in objective.radicands], dtype=object)
    ratings = objective.table.n_raters if objective.coefficient.by_rating else 1  # complete ratings in this case
    shares = (own - rows.astype(object)) / (objective.scale * objective.denominator * ratings)
    return np.asarray(shares.astype(float) @ np.sqrt(np.array(objective.radicands, dtype=float)))


def _log_sum(logs: Floats) -> float:
    """Return the logarithm of the sum of numbers given by their logarithms, which is -inf for no numbers."""
    if not len(logs):
        return -inf
    most = float(logs.max())
    return most + float(np.log(np.exp(logs - most).sum()))
