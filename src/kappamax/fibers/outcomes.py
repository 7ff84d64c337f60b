"""Compare the outcomes of a null distribution with the observed table, exactly where outcomes are close.

If the expected disagreement is the same for all arrangements of the ratings, the score alone determines which outcomes
are extreme. With missing ratings it differs between arrangements for the coefficients that pool the raters' ratings;
the values of the coefficient are then compared instead of the scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._rootsum import RootSum
from kappamax._tolerances import ROUNDING_MARGIN
from kappamax._typing import Array, Floats
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.objective import Objective


@dataclass(frozen=True)
class Outcomes:
    """Distinct outcomes of a null distribution.

    Attributes
    ----------
    objective : Objective
        The observed table, the weights and the coefficient.
    rows : integers, shape (n, number of radicands)
        Integer components of the score of each outcome.
    uses : integers, shape (n, k), or None
        Pooled use of the categories in each outcome; None if the expected disagreement is the same for all outcomes.
    """

    objective: Objective
    rows: Array
    uses: Array | None

    @cached_property
    def disagreements(self) -> Floats:
        """Observed disagreement of each outcome, in floating point.

        Large integers are divided before they are converted, so that no precision is lost.
        """
        objective = self.objective
        shares = self.rows.astype(object) / (objective.scale * objective.denominator * objective.n_units)
        return np.asarray(shares.astype(float) @ np.sqrt(np.array(objective.radicands, dtype=float)))

    @cached_property
    def _expected(self) -> Any:
        """Expected disagreement in floating point: one number for all outcomes, or one number for each outcome."""
        return float(self.objective.expected) if self.uses is None else expected_at(self.objective, self.uses)

    @cached_property
    def ratios(self) -> Floats:
        """Observed divided by expected disagreement of each outcome, in floating point."""
        return np.asarray(self.disagreements / self._expected)

    def extreme(self, alternative: str, mean: RootSum | float) -> npt.NDArray[np.bool_]:
        """Return whether each outcome is at least as extreme as the observed one.

        Outcomes that differ clearly are compared in floating point. Close ones are compared exactly or, if the weights
        are not exact, within their tolerance. If the expected disagreement varies, the mean is known only in floating
        point, so outcomes whose distance from it equals the observed distance up to rounding count as extreme.

        Parameters
        ----------
        alternative : {"greater", "less", "two-sided"}
            Alternative hypothesis.
        mean : RootSum or float
            Mean of the null distribution, used by the two-sided test. It is the exact mean score if the expected
            disagreement is the same for all outcomes, and the mean of the coefficient otherwise.

        Returns
        -------
        bool, shape (n,)
        """
        objective, ratios, tolerance = self.objective, self.ratios, self.objective.weights.tolerance
        expected = float(objective.expected)
        own = float(objective.observed(objective.score)) / expected
        if self.uses is None:
            assert isinstance(mean, RootSum)
            centre = float(objective.observed(mean)) / expected
            slack, close = tolerance / expected, ROUNDING_MARGIN * (ratios.max() + own)
        else:
            assert isinstance(mean, float)
            centre, size = 1 - mean, np.abs(1 - ratios) + abs(1 - own)
            slack = 2 * tolerance * (2 + size) / np.minimum(self._expected, expected)
            close = ROUNDING_MARGIN * (1 + size)
        if alternative == "two-sided":
            beyond = np.abs(ratios - centre) - abs(own - centre)
        else:
            beyond = own - ratios if alternative == "greater" else ratios - own
        near, extreme = np.abs(beyond) <= close, np.asarray(beyond >= -slack)
        if objective.weights.exact and (self.uses is None or alternative != "two-sided"):
            for i in np.flatnonzero(near).tolist():
                extreme[i] = self._as_extreme(i, alternative, mean)
        elif self.uses is not None:
            extreme |= near
        return extreme

    def _as_extreme(self, i: int, alternative: str, mean: RootSum | float) -> bool:
        """Return whether an outcome is at least as extreme as the observed one, compared exactly."""
        if alternative == "two-sided":
            assert isinstance(mean, RootSum)
            here, own = (score - mean for score in (self.score(i), self.objective.score))
            return here * here.sign() >= own * own.sign()
        above = self._above(i, self.objective.score, self.objective.expected)
        return above >= 0 if alternative == "greater" else above <= 0

    def _above(self, i: int, score: RootSum, expected: RootSum) -> int:
        """Return 1, 0 or -1 if the coefficient of an outcome is above, equal to or below that of another, exactly."""
        if self.uses is None:
            return (score - self.score(i)).sign()
        return (score * self._exact_expected(i) - self.score(i) * expected).sign()

    @cached_property
    def groups(self) -> npt.NDArray[np.intp]:
        """Labels of the outcomes. Two outcomes have the same label if and only if the coefficient has the same value.

        The weights must be exact.
        """
        groups = np.arange(len(self.rows))
        if self.uses is None:
            return groups
        values = 1 - self.ratios
        order = np.argsort(values)
        gaps = np.diff(values[order]) > ROUNDING_MARGIN * (1 + np.abs(values[order[1:]]))
        for close in np.split(order, np.flatnonzero(gaps) + 1):
            different: list[int] = []
            for i in close.tolist() if len(close) > 1 else []:
                same = [j for j in different if self._above(i, self.score(j), self._exact_expected(j)) == 0]
                groups[i] = same[0] if same else i
                different += [] if same else [i]
        return groups

    def _exact_expected(self, i: int) -> RootSum:
        """Return the exact expected disagreement of an outcome, if it varies between outcomes."""
        assert self.uses is not None
        use = tuple(self.uses[i].tolist())
        if use not in self._known:
            self._known[use] = self.objective.expected_at(self.uses[i])
        return self._known[use]

    @cached_property
    def _known(self) -> dict[tuple[int, ...], RootSum]:
        """Cache of the exact expected disagreement by use of the categories."""
        return {}

    def score(self, i: int) -> RootSum:
        """Return the total disagreement of an outcome, as an exact number."""
        return RootSum(dict(zip(self.objective.radicands, self.rows[i].tolist(), strict=True)))


def expected_at(objective: Objective, uses: Array) -> Floats:
    """Return the expected disagreement for given uses of the categories, in floating point."""
    return Evaluator(objective).expected_of(uses.astype(float) / objective.use_scale)
