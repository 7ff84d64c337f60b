"""Pilot ratings, or margins and an assumed agreement, in; the number of subjects a study needs out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from kappamax._checks import planning as checks
from kappamax._result import Result
from kappamax._validate import as_choice, as_generator, as_number_between
from kappamax.disagreement.objective import Objective
from kappamax.fibers.distribution import ALTERNATIVES
from kappamax.io import Ratings
from kappamax.planning import text
from kappamax.planning.formula import MOST_SUBJECTS, least_subjects
from kappamax.planning.goals import Goal, PowerGoal, SimulatedStudies, WidthGoal
from kappamax.planning.population import LARGEST_PROGRAMME, Assumption, from_margins, from_pilot
from kappamax.planning.search import search
from kappamax.planning.simulation import Simulator, default_draws
from kappamax.resampling import Progress
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike

__all__ = ["SampleSize", "sample_size"]

METHODS = ("formula", "simulation")
JOINTS = ("mixture", "widest")
VARIANCES = ("null", "estimate")


def sample_size(
    *ratings: Ratings,
    margins: Any = None,
    kappa: float | Fraction | None = None,
    n_raters: int | None = None,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    width: float | None = None,
    level: float = 0.95,
    power: float | None = None,
    null: float | Fraction | None = None,
    alternative: str = "greater",
    alpha: float = 0.05,
    variance: str = "null",
    joint: str = "mixture",
    method: str = "formula",
    n_draws: int | None = None,
    rng: np.random.Generator | int | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
    categories: Sequence[Label] | None = None,
) -> SampleSize:
    """How many subjects a study needs for an interval of a given width, or for a test of a given power.

    Parameters
    ----------
    *ratings : a Table, a frame, or two or more label arrays
        Pilot ratings: their proportions are taken for the population's.
    margins : shares of the categories, or one list of shares per rater
        In place of pilot ratings. One list stands for all raters.
    kappa : float or Fraction
        The value the coefficient is assumed to have. Needed with margins; with pilot ratings, the pilot's own if left
        out.
    n_raters : int
        With one list of margins; 2 if left out.
    weights, coefficient, categories
        As for `agreement`. With margins, categories are 1, 2, ... in order if left out.
    width : float
        Of the whole interval, from end to end, before it is cut at 1.
    level : float
        Of the interval.
    power, null : float
        The chance to reject the null value, if the assumed one is true.
    alternative : "greater", "less" or "two-sided"
        "greater" tests the hypothesis that the coefficient is at most `null`.
    alpha : float
        The size of the test.
    variance : "null" or "estimate"
        Which standard error the test takes: the one the coefficient has if the null value is true (Cantor 1996, Flack
        et al. 1988, R's irr), or the study's own, as `value_test` does.
    joint : "mixture" or "widest"
        Which table with the margins and the value: independence mixed with the table of largest agreement, or the one
        with the largest standard error (Flack et al. 1988).
    method : "formula" or "simulation"
        From the standard error for large N, or from simulated studies.
    n_draws : int
        Simulated studies per number of subjects tried, and to check the formula's answer; 0 leaves out that check.
        10,000 if left out, fewer for thousands of possible patterns.
    rng : int, Generator or None
        Seed or source of randomness.
    n_jobs : int
        Processes; the result does not depend on it.
    progress : callable, optional
        Called with (studies simulated, studies expected in all).

    Raises
    ------
    InvalidOptionError
        If the margins do not allow the assumed value: the message names the largest they allow. If null equals the
        assumed value, or lies on its wrong side.
    UndefinedKappaError
        If all raters use a single category.
    NotSupportedError
        If ratings are missing and a table with another value is needed.

    Examples
    --------
    Two raters will find a sign in 30% of the patients. How many patients pin kappa = 0.6 down to +-0.1?

    >>> import kappamax as km
    >>> plan = km.sample_size(margins=[0.7, 0.3], kappa=0.6, width=0.2, rng=1)
    >>> plan.n_subjects, plan.maximum
    (296, 1.0)

    And how many show, with a chance of 80%, that kappa is above 0.4?

    >>> km.sample_size(margins=[0.7, 0.3], kappa=0.6, power=0.8, null=0.4, rng=1).n_subjects
    141
    """
    checks.one_source(bool(ratings), margins is not None)
    checks.one_goal(width, power, null)
    method, joint = as_choice("method", method, METHODS), as_choice("joint", joint, JOINTS)
    asked = _Asked(
        width=None if width is None else as_number_between("width", width, 0, 2),
        level=as_number_between("level", level, 0, 1),
        power=None if power is None else as_number_between("power", power, 0, 1),
        null=None if null is None else checks.number("null", null),
        alternative=as_choice("alternative", alternative, ALTERNATIVES),
        alpha=as_number_between("alpha", alpha, 0, 1),
        variance=as_choice("variance", variance, VARIANCES),
    )
    generator = as_generator(rng)
    chosen = {"weights": weights, "coefficient": coefficient}
    if ratings:
        checks.pilot_has_its_raters(n_raters)
        assumed = from_pilot(ratings, kappa, categories, chosen)
    else:
        assumed = from_margins(margins, kappa, n_raters, categories, chosen)
    goal, by_joint = _goals(assumed, asked, joint)
    draws = default_draws(len(goal.population.table.counts)) if n_draws is None else n_draws
    simulator = Simulator(checks.enough_draws(method, draws), generator, n_jobs, progress)
    n = n_formula = checks.attainable(least_subjects(goal.reached), MOST_SUBJECTS, asked.words())
    error, studies = None, None
    if method == "simulation":
        found, error, studies = search(goal, simulator, n_formula)
        n = checks.attainable(found, MOST_SUBJECTS, asked.words())
    elif simulator.n_draws:
        studies = goal.studies(simulator, n, whole=True)
    return _wrapped(asked, assumed, goal, n, n_formula, by_joint, method, joint, error, studies)


@dataclass(frozen=True, repr=False)
class SampleSize(Result):
    """The number of subjects a study needs, and what was assumed to find it; nothing is rounded.

    Attributes
    ----------
    n_subjects : int
        The answer.
    n_subjects_se : float or None
        Its Monte Carlo error, by simulation.
    n_formula : int
        What the formula gives.
    n_range : (int, int) or None
        What the formula gives for the most and least favourable of all tables with the assumed margins and value;
        None for a pilot's own table and beyond 4,000 possible patterns.
    assumed, maximum : float
        The assumed value, and the largest the assumed margins allow (None where ratings are missing or the possible
        patterns are too many).
    sd, null_sd : float
        sqrt(N) times the standard error for large N, at the assumed table and at the one with the null value.
    expected_width, expected_power : float or None
        What the formula expects with `n_subjects`.
    critical_value : float or None
        With variance="null", the value a study with `n_subjects` must pass to reject.
    studies : SimulatedStudies or None
        What simulated studies with `n_subjects` gave.
    table : Table
        The assumed table: its counts stand for proportions. `to_dict` gives them as shares.
    notes : tuple of str
        Where the formula is on thin ice.
    """

    coefficient: str
    title: str
    weights: str
    n_subjects: int
    n_subjects_se: float | None
    n_formula: int
    n_range: tuple[int, int] | None
    method: str
    joint: str
    assumed: float
    maximum: float | None
    width: float | None
    level: float | None
    expected_width: float | None
    power: float | None
    null: float | None
    alternative: str | None
    alpha: float | None
    variance: str | None
    expected_power: float | None
    sd: float
    null_sd: float | None
    critical_value: float | None
    n_raters: int
    n_categories: int
    studies: SimulatedStudies | None
    notes: tuple[str, ...]
    table: Table = field(repr=False)

    def sentences(self) -> list[str]:
        """The answer, its check and its assumptions in plain words."""
        return text.sentences(self)

    def to_dict(self) -> dict[str, Any]:
        """Every field as plain data; the assumed table with shares in place of counts."""
        table = self.table.to_dict()
        table["shares"] = [count / self.table.n_subjects for count in self.table.counts.tolist()]
        del table["counts"]
        return super().to_dict() | {"sentences": self.sentences(), "table": table}

    def _rows(self) -> list[tuple[str, str]]:
        return text.rows(self)


@dataclass(frozen=True)
class _Asked:
    """The goal as the caller put it."""

    width: float | None
    level: float
    power: float | None
    null: float | None
    alternative: str
    alpha: float
    variance: str

    def goal(self, population: Objective, null_population: Objective | None) -> Goal:
        if self.width is not None:
            return WidthGoal(population, self.width, self.level)
        assert self.power is not None
        assert self.null is not None
        test = {"null": self.null, "alternative": self.alternative, "alpha": self.alpha, "variance": self.variance}
        return PowerGoal(population, null_population, self.power, **test)  # type: ignore[arg-type]  # str and float

    @property
    def number(self) -> float:
        """The width or the power."""
        return self.width if self.width is not None else float(self.power or 0)

    def words(self) -> str:
        return f"power {self.power:g}" if self.width is None else f"an interval of width {self.width:g}"


def _goals(assumed: Assumption, asked: _Asked, joint: str) -> tuple[Goal, list[Goal]]:
    """The goal at the assumed table, and at the tables with least and most spread where those are known."""
    title, value = assumed.title, assumed.value
    null_population = None
    if asked.null is not None:
        assert asked.power is not None
        checks.power_above_alpha(asked.power, asked.alpha)
        checks.tells_apart(asked.null, value, asked.alternative)
        null_population = assumed.at_null(asked.null, needed=asked.variance == "null")
    goal = asked.goal(assumed.population, null_population)
    if asked.null is not None and asked.variance == "null":
        checks.some_spread(goal.spread, asked.null, title, "null")
    else:
        checks.some_spread(goal.spread, value, title, "assumed")
    if joint == "widest":
        checks.widest_from_margins(assumed.from_pilot, assumed.n_cells, LARGEST_PROGRAMME)
    if assumed.from_pilot or assumed.n_cells > LARGEST_PROGRAMME:
        return goal, []
    narrow_and_wide = [assumed.extreme_spread(assumed.population, sign) for sign in (-1, 1)]
    under_null: list[Objective | None] = [None]
    if null_population is not None:
        under_null = [assumed.extreme_spread(null_population, sign) for sign in (-1, 1)]
    extremes = [asked.goal(own, null) for own in narrow_and_wide for null in under_null]
    return (extremes[-1] if joint == "widest" else goal), extremes


def _wrapped(
    asked: _Asked,
    assumed: Assumption,
    goal: Goal,
    n: int,
    n_formula: int,
    by_joint: list[Goal],
    method: str,
    joint: str,
    error: float | None,
    studies: SimulatedStudies | None,
) -> SampleSize:
    """Everything as one result."""
    population, test = goal.population, goal if isinstance(goal, PowerGoal) else None
    reached = [least_subjects(one.reached) for one in by_joint]
    sizes = [size for size in reached if size is not None]
    table = population.table
    return SampleSize(
        coefficient=population.coefficient.name,
        title=population.coefficient.title,
        weights=population.weights.name,
        n_subjects=n,
        n_subjects_se=error,
        n_formula=n_formula,
        n_range=(min(sizes), max(sizes)) if sizes and len(sizes) == len(reached) else None,
        method=method,
        joint="pilot" if assumed.from_pilot else joint,
        assumed=assumed.value,
        maximum=assumed.maximum,
        width=asked.width,
        level=None if test else asked.level,
        expected_width=None if test else goal.formula(n),
        power=asked.power,
        null=asked.null,
        alternative=asked.alternative if test else None,
        alpha=asked.alpha if test else None,
        variance=asked.variance if test else None,
        expected_power=goal.formula(n) if test else None,
        sd=goal.precision.sd,
        null_sd=test.null_precision.sd if test and test.null_precision else None,
        critical_value=test.test.threshold(n) if test else None,
        n_raters=table.n_raters,
        n_categories=table.n_categories,
        studies=studies,
        notes=text.notes(table, n, assumed.value, assumed.maximum, asked.number, asked.level, method, studies),
        table=table,
    )
