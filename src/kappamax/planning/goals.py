"""Define the goals of a study, which are a confidence interval of a given width or a test of a given power.

A goal determines, by formula or from simulated studies, whether a number N of subjects reaches it. Its `target` is
1 / width, or the normal quantile of the power or of the assurance, because these are approximately linear in the square
root of N.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan, sqrt
from statistics import NormalDist

import numpy as np

from kappamax._result import Result
from kappamax._typing import Array
from kappamax.confidence_intervals import MOST_ADJUSTED, adjusted_intervals_at
from kappamax.disagreement.objective import Objective
from kappamax.planning.clustering import (
    ClusterDesign,
    ClusteredPrecision,
    adjusted_power,
    interval_over_clusters,
    with_clusters,
)
from kappamax.planning.formula import MOST_SUBJECTS, precision_of, sd_spread
from kappamax.planning.simulation import Simulator
from kappamax.standard_errors import quantile_of

WHOLE_RANGE = 2.0  # width of the range of a coefficient, -1 to 1, assigned to a study without an interval


@dataclass(frozen=True, repr=False)
class SimulatedStudies(Result):
    """Results of simulated studies with a given number of subjects.

    Attributes
    ----------
    n_subjects : int
        Number of subjects of each study.
    n_draws : int
        Number of simulated studies.
    n_unusable : int
        Number of studies without a result, because the coefficient was undefined or, for a test with
        ``variance="estimate"``, its standard error was zero. The adjusted interval and the test with
        ``variance="null"`` do not need a positive standard error. The interval of a study without a result counts as an
        interval of width 2 that does not contain the assumed value, and its test does not reject.
    mean_width, width_se : float or None
        Mean width of the intervals, before they are truncated to the range of the coefficient, and its Monte Carlo
        standard error; None for a test.
    share_within : float or None
        Share of all studies whose interval was no wider than the requested width; None for a test.
    coverage : float or None
        Share of all studies whose interval contained the assumed value; None for a test.
    power, power_se : float or None
        Share of all studies that rejected the null value, and its Monte Carlo standard error; None for an interval.
    false_positives, false_positives_se : float or None
        Share of studies that reject the null value if it is true, and its Monte Carlo standard error. None for an
        interval, or if no table with the null value can be built, for example because ratings are missing.
    """

    n_subjects: int
    n_draws: int
    n_unusable: int
    mean_width: float | None = None
    width_se: float | None = None
    share_within: float | None = None
    coverage: float | None = None
    power: float | None = None
    power_se: float | None = None
    false_positives: float | None = None
    false_positives_se: float | None = None


class WidthGoal:
    """Goal of a confidence interval with a given mean width, or at most a given width with a given probability.

    The interval is the default one of `kappa`: the adjusted interval or, for studies with more than 10,000 different
    patterns, the usual one. Its width is that before it is truncated to the range of the coefficient.

    Parameters
    ----------
    population : Objective
        Objective of the assumed table.
    width : float
        Full width of the interval.
    level : float
        Confidence level.
    assurance : float or None
        Probability that the interval is no wider than `width`; None for a mean width.
    design : ClusterDesign or None
        Clusters of the studies; None if subjects are independent.
    """

    def __init__(
        self,
        population: Objective,
        width: float,
        level: float,
        assurance: float | None = None,
        design: ClusterDesign | None = None,
    ) -> None:
        self.population, self.width, self.level, self.assurance = population, width, level, assurance
        self.design = design
        self.precision = with_clusters(precision_of(population), design)
        self.target = 1 / width if assurance is None else NormalDist().inv_cdf(assurance)
        self._sd_spread = 0.0 if assurance is None else sd_spread(population)
        self.description = f"an interval of width {width:g}"

    def formula(self, n: int) -> float:
        """Return the width of the interval of a study with n subjects and the proportions of the population."""
        return self._interval(n)[2]

    def limits(self, n: int) -> tuple[float, float]:
        """Return the interval of a study with n subjects and the proportions of the population."""
        return self._interval(n)[:2]

    def share_within(self, n: int) -> float:
        """Return the probability that the interval of a study with n subjects is no wider than the requested width.

        The estimated standard error is approximately normal with a standard deviation of order 1 / N. Let U be the
        width without pseudo-subjects. These add a constant to the squared width W^2, approximately, so dW is
        U / W times dU.
        """
        width = self.formula(n)
        room = self.width - width
        if self._sd_spread * self.precision.sd == 0 or room == -inf:
            return float(room >= 0)
        usual = 2 * self.precision.quantile((1 + self.level) / 2, MOST_SUBJECTS) * self.precision.deviation(n)
        spread = usual**2 / width * self._sd_spread / (self.precision.sd * sqrt(n))
        return NormalDist().cdf(room / spread)

    def reached(self, n: int) -> bool:
        """Return whether the expected width is small enough, or the width is with the requested probability."""
        if self.assurance is None:
            return self.formula(n) <= self.width
        return self.share_within(n) >= self.assurance

    def studies(self, simulator: Simulator, n: int, *, whole: bool = False) -> SimulatedStudies:
        """Simulate studies with n subjects and return the widths and the coverage of their intervals."""
        if self._is_adjusted(n):
            estimates, low, high, widths = simulator.draw(self.population, n, level=self.level)
            usable = np.isfinite(estimates)
        else:
            estimates, errors = simulator.draw(self.population, n)
            reach = self.precision.quantile((1 + self.level) / 2, n) * errors
            low, high, widths = estimates - reach, estimates + reach, 2 * reach
            usable = np.isfinite(estimates) & (errors > 0)
        widths = np.where(usable, widths, WHOLE_RANGE)
        held = usable & (low <= self.precision.value) & (self.precision.value <= high)
        return SimulatedStudies(
            n_subjects=n,
            n_draws=len(usable),
            n_unusable=int((~usable).sum()),
            mean_width=float(widths.mean()),
            width_se=float(widths.std(ddof=1)) / sqrt(len(widths)),
            share_within=float((widths <= self.width).mean()),
            coverage=float(held.mean()),
        )

    def scaled(self, studies: SimulatedStudies) -> tuple[float, float]:
        """Return 1 / mean width of simulated studies, or the quantile of the share, and its Monte Carlo error."""
        if self.assurance is not None:
            return _scaled_share(studies.share_within, studies.n_draws)
        assert studies.mean_width is not None
        assert studies.width_se is not None
        return 1 / studies.mean_width, studies.width_se / studies.mean_width**2

    def _interval(self, n: int) -> tuple[float, float, float]:
        """Return the limits and the width before truncation; the width is infinite if there is no interval."""
        if not self._is_adjusted(n):
            width = self.precision.width(self.level, n)
            return self.precision.value - width / 2, min(1.0, self.precision.value + width / 2), width
        if isinstance(self.precision, ClusteredPrecision):
            low, high, width = interval_over_clusters(self.population, self.precision, n, self.level)
        else:
            table = self.population.table
            found = adjusted_intervals_at(self.population, table.counts * (n / table.n_subjects), self.level)
            low, high, width = map(float, found)
        return low, high, inf if isnan(width) else width

    def _is_adjusted(self, n: int) -> bool:
        """Return whether the default interval of a study with n subjects is the adjusted one."""
        n_units = n if self.design is None else self.design.clusters_of(n)
        return min(n_units, len(self.population.table.counts)) <= MOST_ADJUSTED


class PowerGoal:
    """Goal of a test of the coefficient against a null value with a given power.

    Parameters
    ----------
    population : Objective
        Objective of the assumed table.
    null_population : Objective or None
        Objective of the table with the null value; None if there is no such table.
    power, null, alternative, alpha
        As for `sample_size`.
    variance : {"null", "estimate", "exact"}
        As for `Formula`. Unless it is "estimate", the formula uses the known standard error at the null value, with
        quantiles of the normal distribution. For clusters, "null" stands for the test by the center and the standard
        error of the adjusted interval, as in `value_test`, and the standard error is that at the null value.
    design : ClusterDesign or None
        Clusters of the studies; None if subjects are independent.
    """

    def __init__(
        self,
        population: Objective,
        null_population: Objective | None,
        power: float,
        *,
        null: float,
        alternative: str,
        alpha: float,
        variance: str,
        design: ClusterDesign | None = None,
    ) -> None:
        self.population, self.null_population, self.design = population, null_population, design
        self.power, self.null, self.alternative, self.alpha = power, null, alternative, alpha
        self.precision = with_clusters(precision_of(population), design)
        self.null_precision = None
        if null_population is not None:
            self.null_precision = with_clusters(precision_of(null_population), design)
        # None if studies estimate the standard error
        self._known = self.null_precision if variance != "estimate" else None
        self._exact = variance == "exact"
        self._tail = alpha / 2 if alternative == "two-sided" else alpha
        self.spread = self.precision.sd if self._known is None else self._known.sd
        self.target, self.description = NormalDist().inv_cdf(power), f"power {power:g}"

    def formula(self, n: int) -> float:
        """Return the probability that a study with n subjects rejects on the side of the assumed value."""
        if isinstance(self.precision, ClusteredPrecision) and self._known is not None:
            assert self.null_population is not None
            test = (self.null, self._tail)
            return adjusted_power(self.population, self.null_population, self.precision, n, *test)
        room = abs(self.precision.value - self.null) - self._critical(n) * self._error(n)
        own = self.precision.deviation(n)
        if own == 0 or room == -inf:
            return float(room > 0)
        return NormalDist().cdf(room / own)

    def reached(self, n: int) -> bool:
        """Return whether the power with n subjects is large enough."""
        return self.formula(n) >= self.power

    def threshold(self, n: int) -> float | None:
        """Return the critical value of the coefficient, or None if it depends on the ratings of the study."""
        if self._known is None or self._exact or self.design is not None:
            return None
        reach = self._critical(n) * self._error(n)
        return self.null + (reach if self.precision.value > self.null else -reach)

    def studies(self, simulator: Simulator, n: int, *, whole: bool = False) -> SimulatedStudies:
        """Simulate studies with n subjects and return their power.

        If `whole` is true, the share of studies that reject if the null value is true is simulated as well.
        """
        side = self.alternative if self._exact else None
        estimates, found = simulator.draw(self.population, n, alternative=side)
        usable = np.isfinite(estimates) & ((found > 0) | (self._known is not None))
        power = float(self._rejects(estimates, found, n).mean())
        wrong = None
        if whole and self.null_population is not None:
            null_estimates, null_found = simulator.draw(self.null_population, n, alternative=side)
            wrong = float(self._rejects(null_estimates, null_found, n).mean())
        return SimulatedStudies(
            n_subjects=n,
            n_draws=len(estimates),
            n_unusable=int((~usable).sum()),
            power=power,
            power_se=_share_error(power, len(estimates)),
            false_positives=wrong,
            false_positives_se=None if wrong is None else _share_error(wrong, len(estimates)),
        )

    def scaled(self, studies: SimulatedStudies) -> tuple[float, float]:
        """Return the normal quantile of the power of simulated studies, and its Monte Carlo standard error."""
        return _scaled_share(studies.power, studies.n_draws)

    def _critical(self, n: int) -> float:
        """Return the critical distance of the coefficient from the null value, in standard errors."""
        return self.precision.quantile(1 - self._tail, n) if self._known is None else quantile_of(1 - self._tail, None)

    def _error(self, n: int) -> float:
        """Return the expected value of the standard error that the test uses."""
        return self.precision.se(n) if self._known is None else self._known.deviation(n)

    def _rejects(self, estimates: Array, found: Array, n: int) -> Array:
        """Return whether each study with n subjects rejects, given its standard error or its exact p-value.

        Studies whose standard error is zero do not reject.
        """
        if self._exact:
            return np.asarray(found <= self.alpha)
        se = found if self._known is None else self._error(n)
        distance = estimates - self.null
        if self.alternative == "two-sided":
            distance = np.abs(distance)
        elif self.alternative == "less":
            distance = -distance
        return np.asarray((np.asarray(se) > 0) & (distance > self._critical(n) * se))


Goal = WidthGoal | PowerGoal


def _scaled_share(share: float | None, n: int) -> tuple[float, float]:
    """Return the normal quantile of a share of n simulated studies, and its Monte Carlo standard error."""
    edge = 0.5 / n
    share = min(1 - edge, max(edge, share or 0.0))
    normal = NormalDist()
    at = normal.inv_cdf(share)
    return at, _share_error(share, n) / normal.pdf(at)


def _share_error(share: float, n: int) -> float:
    return sqrt(share * (1 - share) / n)
