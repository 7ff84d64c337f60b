"""Find the number of subjects that a study needs, from pilot ratings or from margins and an assumed value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf, isfinite
from typing import Any

import numpy as np

from kappamax._progress import ProgressLike, as_progress
from kappamax._validate import as_choice, as_finite_number, as_generator, as_number_between
from kappamax.disagreement.objective import Objective
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.fibers.distribution import ALTERNATIVES
from kappamax.io import Ratings
from kappamax.planning import text
from kappamax.planning.clustering import as_cluster_design
from kappamax.planning.formula import MOST_SUBJECTS, least_subjects
from kappamax.planning.goals import Goal, PowerGoal, WidthGoal
from kappamax.planning.margin_tables import LARGEST_PROGRAM
from kappamax.planning.methods import PlanningMethod, Simulation, as_method
from kappamax.planning.population import from_margins, from_pilot
from kappamax.planning.sample_size_result import SampleSize
from kappamax.planning.search import search
from kappamax.planning.simulation import Simulator, default_draws
from kappamax.table import Label
from kappamax.weights import WeightsLike


def sample_size(
    *ratings: Ratings,
    margins: Any = None,
    kappa: float | Fraction | None = None,
    n_raters: int | None = None,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    width: float | None = None,
    level: float = 0.95,
    assurance: float | None = None,
    power: float | None = None,
    null: float | Fraction | None = None,
    alternative: str = "greater",
    alpha: float = 0.05,
    cluster_size: float | None = None,
    icc: float | None = None,
    cluster_cv: float | None = None,
    method: str | PlanningMethod = "formula",
    rng: np.random.Generator | int | None = None,
    n_jobs: int = 1,
    progress: ProgressLike = None,
    categories: Sequence[Label] | None = None,
) -> SampleSize:
    """Find how many subjects a study needs for an interval of a given width, or for a test of a given power.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Pilot ratings, whose proportions are assumed to be those of the population. Give either pilot ratings or
        `margins`.
    margins : sequence of float, or one such sequence per rater, optional
        Expected share of each category among the ratings of a rater. A single sequence applies to all raters.
    kappa : float or Fraction, optional
        Assumed value of the coefficient. It is required with `margins`. By default it is the value of the pilot
        ratings.
    n_raters : int, optional
        Number of raters if `margins` is a single sequence, default 2.
    weights : str, Weights or mapping
        Disagreement weights, default "unweighted"; `kappa` lists the names.
    coefficient : str
        Name of the coefficient, default "kappa".
    width : float, optional
        Full width of the confidence interval, before it is truncated to the range of the coefficient. The interval is
        the adjusted one that `kappa` returns by default. Give either `width`, or `power` and `null`.
    level : float
        Confidence level of the interval, default 0.95.
    assurance : float, optional
        Probability, above 0.5, that the interval of the study is no wider than `width`. By default, its mean width is
        `width`, so that about half of the studies have a wider interval.
    power : float, optional
        Probability that the test rejects the null value if the assumed value is true.
    null : float or Fraction, optional
        Value of the coefficient under the null hypothesis.
    alternative : {"greater", "less", "two-sided"}
        Alternative hypothesis that the coefficient is greater than `null` (the default), less than it, or different
        from it.
    alpha : float
        Significance level of the test, default 0.05.
    cluster_size : float, optional
        Mean number of subjects per cluster, at least 1, if the subjects of the study are in clusters, such as the
        lesions of patients. It is given with `icc`. By default subjects are independent or, if the pilot ratings are a
        Table with clusters, clusters are as large as those of the pilot.
    icc : float, optional
        Correlation, from 0 to 1, of the contributions of two subjects of a cluster to the coefficient. The contribution
        of a subject is the derivative of the coefficient with respect to its weight. The default with a clustered pilot
        is the correlation that explains the ratio of the variances over clusters and over subjects in the pilot.
    cluster_cv : float, optional
        Coefficient of variation of the numbers of subjects per cluster, which is their standard deviation divided by
        their mean. Default 0, which means that all clusters have the same size, or that of the clustered pilot.
    method : {"formula", "simulation"}, Formula or Simulation
        Method that finds the number of subjects. "formula", the default, uses the interval of a study with the
        proportions of the assumed table, or the large-sample standard errors of a test, and "simulation" uses simulated
        studies, which are not available for clusters. Pass ``planning.Formula(...)`` or ``planning.Simulation(...)`` to
        choose the assumed table, the standard error of the test and the number of simulated studies.
    rng : int, numpy.random.Generator or None
        Seed or source of randomness of the simulated studies. None, the default, draws a fresh seed.
    n_jobs : int
        Number of processes, default 1. The result does not depend on it.
    progress : callable or True, optional
        True shows the progress on standard error; a function is called as ``progress(done, total, message)`` with the
        number of simulated studies.
    categories : sequence, optional
        All categories in order. By default they are taken from the pilot ratings or, with `margins`, they are 1, 2, ...

    Returns
    -------
    SampleSize
        The number of subjects, the assumptions, and the results of simulated studies of that size.

    Raises
    ------
    InvalidOptionError
        If an option is missing, is out of range or contradicts another one; if the margins do not allow the assumed
        value, in which case the message gives the largest or smallest value that they allow; or if `null` equals the
        assumed value or lies on the side of it that the alternative excludes.
    UndefinedKappaError
        If all raters use a single category.
    NotSupportedError
        If ratings are missing and a table with another value is needed, if there are too many possible patterns, for
        Krippendorff's ordinal metric, which depends on the ratings of the study, or for simulated studies, exact tests
        or an assurance if subjects are in clusters.

    Examples
    --------
    Two raters are expected to find a sign in 30% of the patients. The following computes how many patients are needed
    for an interval of 0.6 +- 0.1, approximately.

    >>> import kappamax as km
    >>> plan = km.sample_size(margins=[0.7, 0.3], kappa=0.6, width=0.2, rng=1)
    >>> plan.n_subjects, plan.maximum
    (295, 1.0)

    The following computes how many are needed to show, with a probability of 80%, that kappa is greater than 0.4.

    >>> km.sample_size(margins=[0.7, 0.3], kappa=0.6, power=0.8, null=0.4, rng=1).n_subjects
    141

    The interval of about half of the studies with 295 patients is wider than 0.2. The following computes how many
    patients are needed for an interval that is no wider with a probability of 90%.

    >>> km.sample_size(margins=[0.7, 0.3], kappa=0.6, width=0.2, assurance=0.9, rng=1).n_subjects
    335

    If every patient has 5 lesions and the contributions of the lesions of a patient have a correlation of 0.1, more
    lesions are needed for the same width as in the first example.

    >>> plan = km.sample_size(margins=[0.7, 0.3], kappa=0.6, width=0.2, cluster_size=5, icc=0.1)
    >>> plan.n_clusters, plan.n_subjects, plan.design_effect
    (86, 430, 1.4)
    """
    if ratings and margins is not None:
        raise InvalidOptionError("margins must not be given with pilot ratings, which determine the margins.")
    if not ratings and margins is None:
        raise InvalidOptionError("pilot ratings, or margins and kappa, must be given.")
    if width is None and power is None and null is None:
        raise InvalidOptionError("the width of an interval, or the power and the null of a test, must be given.")
    if width is not None and (power is not None or null is not None):
        raise InvalidOptionError("either width, or power and null, must be given, not both.")
    if width is None and (power is None or null is None):
        missing = "power" if power is None else "null"
        raise InvalidOptionError(f"a test needs both power and null; {missing} is missing.")
    if assurance is not None and width is None:
        raise InvalidOptionError(
            "assurance must be given with width; the probability that a test rejects is its power."
        )
    chosen = as_method(method)
    joint, variance = chosen.joint, chosen.variance
    width = None if width is None else as_number_between("width", width, 0, 2)
    level = as_number_between("level", level, 0, 1)
    assurance = None if assurance is None else as_number_between("assurance", assurance, 0.5, 1)
    power = None if power is None else as_number_between("power", power, 0, 1)
    null = None if null is None else as_finite_number("null", null)
    alternative = as_choice("alternative", alternative, ALTERNATIVES)
    alpha = as_number_between("alpha", alpha, 0, 1)
    generator = as_generator(rng)
    progress = as_progress(progress)
    if ratings and n_raters is not None:
        raise InvalidOptionError(
            f"n_raters must not be given with pilot ratings, which determine the raters; got {n_raters!r}."
        )
    weighting = {"weights": weights, "coefficient": coefficient}
    if ratings:
        assumed = from_pilot(ratings, kappa, categories, weighting)
    else:
        assumed = from_margins(margins, kappa, n_raters, categories, weighting)
    design = as_cluster_design(cluster_size, icc, cluster_cv, assumed.pilot, weighting)
    if design is not None:
        _require_formula(chosen, assurance)

    def goal_for(population: Objective, null_population: Objective | None) -> Goal:
        if width is not None:
            return WidthGoal(population, width, level, assurance, design)
        assert power is not None
        assert null is not None
        test = {"null": float(null), "alternative": alternative, "alpha": alpha, "variance": variance}
        return PowerGoal(population, null_population, power, design=design, **test)  # type: ignore[arg-type]  # str and float

    null_population = None
    if null is not None and power is not None:
        _require_testable(power, alpha, float(null), assumed.value, alternative)
        if variance == "exact" and null != 0:
            raise InvalidOptionError(
                f"null must be 0 with variance='exact', which plans the exact test against chance; got {null:g}."
            )
        null_population = assumed.at_null(float(null), needed=variance != "estimate")
    goal = goal_for(assumed.objective, null_population)
    if isinstance(goal, PowerGoal) and goal.spread == 0:
        which, value = ("assumed", assumed.value) if variance == "estimate" else ("null", goal.null)
        raise InvalidOptionError(
            f"with the {which} value every study has {goal.population.coefficient.title} {value:g} and a standard "
            f"error of zero, so the number of subjects is not determined. Choose another {which} value."
        )
    if joint == "widest" and assumed.from_pilot:
        raise InvalidOptionError("joint='widest' must not be given with pilot ratings, which determine the table.")
    if joint == "widest" and assumed.n_patterns > LARGEST_PROGRAM:
        raise NotSupportedError(
            f"joint='widest' is limited to {LARGEST_PROGRAM:,} possible patterns; there are {assumed.n_patterns:,}."
        )
    extremes = [goal_for(*populations) for populations in assumed.extremes(null_population)]
    if joint == "widest":
        goal = extremes[-1]
    draws = chosen.n_draws if design is None else 0
    if draws is None:
        draws = default_draws(len(goal.population.table.counts), exact=width is None and variance == "exact")
    simulator = Simulator(draws, generator, n_jobs, progress)
    n = n_formula = _as_attainable(_least_subjects(goal), goal)
    error, studies = None, None
    if isinstance(chosen, Simulation):
        found, error, studies = search(goal, simulator, n_formula)
        n = _as_attainable(found, goal)
    elif draws:
        studies = goal.studies(simulator, n, whole=True)
    sizes = [n_formula, *map(_least_subjects, extremes)] if extremes else []
    known = [size for size in sizes if size is not None]
    table = goal.population.table
    interval, test = (goal, None) if isinstance(goal, WidthGoal) else (None, goal)
    width_by_formula = interval.formula(n) if interval else inf
    plan = SampleSize(
        coefficient=goal.population.coefficient.name,
        title=goal.population.coefficient.title,
        weights=goal.population.weights.name,
        n_subjects=n,
        n_subjects_se=error,
        n_formula=n_formula,
        n_range=(min(known), max(known)) if known and len(known) == len(sizes) else None,
        method=chosen.name,
        joint="pilot" if assumed.from_pilot else joint,
        assumed=assumed.value,
        maximum=assumed.maximum,
        width=width,
        level=None if test else level,
        expected_width=width_by_formula if isfinite(width_by_formula) else None,
        expected_ci=interval.limits(n) if interval and isfinite(width_by_formula) else None,
        assurance=assurance,
        expected_assurance=interval.share_within(n) if interval and assurance is not None else None,
        power=power,
        null=None if null is None else float(null),
        alternative=alternative if test else None,
        alpha=alpha if test else None,
        variance=variance if test else None,
        expected_power=goal.formula(n) if test else None,
        sd=goal.precision.sd,
        null_sd=test.null_precision.sd if test and test.null_precision else None,
        critical_value=test.threshold(n) if test else None,
        n_raters=table.n_raters,
        n_categories=table.n_categories,
        studies=studies,
        notes=(),
        table=table,
        _data=assumed.data,
    )
    if design is not None:
        plan = replace(
            plan,
            n_clusters=design.clusters_of(n),
            cluster_size=design.size,
            cluster_cv=design.cv,
            icc=design.icc,
            design_effect=design.effect,
            pilot_design_effect=design.pilot_effect,
        )
    return replace(plan, notes=text.notes(plan))


def _require_testable(power: float, alpha: float, null: float, assumed: float, alternative: str) -> None:
    """Require a power above alpha, and an assumed value on the side of the null value that is tested."""
    if power <= alpha:
        raise InvalidOptionError(f"power must be above alpha, {alpha:g}; got {power:g}.")
    if null == assumed:
        raise InvalidOptionError(
            f"null must differ from the assumed value {assumed:g}, since no test can distinguish equal values."
        )
    if alternative != "two-sided" and (alternative == "greater") != (assumed > null):
        side, other = ("above", "less") if alternative == "greater" else ("below", "greater")
        raise InvalidOptionError(
            f"alternative {alternative!r} needs an assumed value {side} null; got {assumed:g} and null {null:g}. "
            f"Use {other!r} or 'two-sided'."
        )


def _require_formula(method: PlanningMethod, assurance: float | None) -> None:
    """Require options that are available for clusters."""
    if isinstance(method, Simulation) or method.n_draws:
        raise NotSupportedError(
            "simulated studies have independent subjects; for clusters use the method 'formula' without n_draws."
        )
    if method.variance == "exact":
        raise NotSupportedError("variance='exact' plans the exact test, which is for independent subjects.")
    if assurance is not None:
        raise NotSupportedError("assurance is for independent subjects; for clusters, width is the expected width.")


def _least_subjects(goal: Goal) -> int | None:
    """Return the number of subjects from which on a goal is reached, which fill their clusters, or None."""
    design = goal.design
    if design is None:
        return least_subjects(goal.reached)
    n_clusters = least_subjects(lambda n_clusters: goal.reached(design.subjects_in(n_clusters)))
    return None if n_clusters is None else design.subjects_in(n_clusters)


def _as_attainable(n: int | None, goal: Goal) -> int:
    """Return a number of subjects, or raise if it is None because it would be too large."""
    if n is None:
        raise InvalidOptionError(f"{goal.description} would need more than {MOST_SUBJECTS:,} subjects.")
    return n
