"""Define what a study is to reach: an interval of a given width, or a test of a given power.

A goal says, by formula and from simulated studies, whether a number of subjects reaches it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np

from kappamax._result import Result
from kappamax.disagreement.objective import Objective
from kappamax.planning.formula import PlannedTest, Precision, precision_of
from kappamax.planning.simulation import Simulator

__all__ = ["Goal", "PowerGoal", "SimulatedStudies", "WidthGoal"]

WHOLE_RANGE = 2.0  # of a coefficient, from -1 to 1: the interval of a study that says nothing


@dataclass(frozen=True, repr=False)
class SimulatedStudies(Result):
    """The outcome of simulated studies with some number of subjects.

    Attributes
    ----------
    n_subjects, n_draws : int
        Number of subjects of a study, and number of studies.
    n_unusable : int
        Number of studies without a result: the coefficient was undefined, or (unless variance="null" brings its own)
        the standard error was zero. Their interval counts as 2 wide and as one that misses, and they never reject.
    mean_width, width_se : float or None
        The mean width of the interval, before it is cut at 1, and its Monte Carlo error.
    share_within : float or None
        Share of all studies with an interval no wider than asked for.
    coverage : float or None
        Share of all studies with an interval that held the assumed value.
    power, power_se : float or None
        Share of studies that rejected the null value, and its Monte Carlo error.
    false_positives, false_positives_se : float or None
        Share that would reject if the null value were true; None with missing ratings.
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


class Goal(ABC):
    """What a study of a population is to reach.

    Attributes
    ----------
    population : Objective
        Objective of the assumed table.
    precision : Precision
        Precision of studies of that population.
    target : float
        The goal on a scale that grows about evenly with the square root of N.
    description : str
        The goal in words.
    """

    population: Objective
    precision: Precision
    target: float
    description: str

    @property
    def spread(self) -> float:
        """The standard deviation that the goal depends on; if it is zero, no number of subjects follows."""
        return self.precision.sd

    @abstractmethod
    def formula(self, n: int) -> float:
        """Return what the formula gives with n subjects."""

    @abstractmethod
    def reached(self, n: int) -> bool:
        """Whether n subjects are enough by the formula."""

    @abstractmethod
    def studies(self, simulator: Simulator, n: int, *, whole: bool = False) -> SimulatedStudies:
        """Simulate studies with n subjects; `whole` adds what a search does not need."""

    @abstractmethod
    def scaled(self, studies: SimulatedStudies) -> tuple[float, float]:
        """Return what simulated studies gave and its Monte Carlo error, on the scale of `target`."""


class WidthGoal(Goal):
    """An interval of a given mean width; the scale is 1 / width."""

    def __init__(self, population: Objective, width: float, level: float) -> None:
        self.population, self.width, self.level = population, width, level
        self.precision = precision_of(population)
        self.target, self.description = 1 / width, f"an interval of width {width:g}"

    def formula(self, n: int) -> float:
        """Return the expected width."""
        return self.precision.width(self.level, n)

    def reached(self, n: int) -> bool:
        """Whether the interval is narrow enough."""
        return self.formula(n) <= self.width

    def studies(self, simulator: Simulator, n: int, *, whole: bool = False) -> SimulatedStudies:
        """Return widths and coverage of simulated intervals."""
        estimates, errors = simulator.draw(self.population, n)
        usable = np.isfinite(estimates) & (errors > 0)
        reach = self.precision.quantile((1 + self.level) / 2, n) * errors
        widths = np.where(usable, 2 * reach, WHOLE_RANGE)
        held = usable & (np.abs(estimates - self.precision.value) <= reach)
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
        """Return 1 / mean width."""
        assert studies.mean_width is not None
        assert studies.width_se is not None
        return 1 / studies.mean_width, studies.width_se / studies.mean_width**2


class PowerGoal(Goal):
    """A test of a given power; the scale is its normal quantile."""

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
    ) -> None:
        self.population, self.null_population, self.power = population, null_population, power
        self.precision = precision_of(population)
        self.null_precision = None if null_population is None else precision_of(null_population)
        under_null = self.null_precision if variance == "null" else None
        self.test = PlannedTest(null, alternative, alpha, self.precision, under_null)
        self.target, self.description = NormalDist().inv_cdf(power), f"power {power:g}"

    @property
    def spread(self) -> float:
        """The standard deviation behind the standard error that the test uses."""
        return self.precision.sd if self.test.under_null is None else self.test.under_null.sd

    def formula(self, n: int) -> float:
        """Return the expected power."""
        return self.test.power(n)

    def reached(self, n: int) -> bool:
        """Whether the test is powerful enough."""
        return self.formula(n) >= self.power

    def studies(self, simulator: Simulator, n: int, *, whole: bool = False) -> SimulatedStudies:
        """Return rejections if the assumed value is true and, with `whole`, if the null value is."""
        estimates, errors = simulator.draw(self.population, n)
        usable = np.isfinite(estimates) & ((errors > 0) | (self.test.under_null is not None))
        power = float(self.test.rejects(estimates, errors, n).mean())
        wrong = None
        if whole and self.null_population is not None:
            wrong = float(self.test.rejects(*simulator.draw(self.null_population, n), n).mean())
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
        """Return the normal quantile of the power."""
        edge = 0.5 / studies.n_draws
        power = min(1 - edge, max(edge, studies.power or 0.0))
        normal = NormalDist()
        at = normal.inv_cdf(power)
        return at, _share_error(power, studies.n_draws) / normal.pdf(at)


def _share_error(share: float, n: int) -> float:
    return sqrt(share * (1 - share) / n)
