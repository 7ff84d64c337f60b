"""Find the number of subjects that a comparison of two coefficients needs.

The two coefficients belong to independent groups of subjects, or to the same subjects, as if two raters are compared
with the same reference. Their large-sample standard deviations come from assumed tables or from pilot ratings, and the
goals use normal quantiles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from kappamax._tolerances import NO_SPREAD
from kappamax._typing import Array
from kappamax._validate import as_choice, as_finite_number, as_number_between
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.io import Ratings, as_table
from kappamax.joint_coefficients import ALTERNATIVES
from kappamax.planning import comparison_text
from kappamax.planning.comparison_result import ComparisonSampleSize
from kappamax.planning.formula import MOST_SUBJECTS, least_subjects, precision_of
from kappamax.planning.population import from_margins
from kappamax.reading import DataSummary
from kappamax.standard_errors import slopes
from kappamax.table import Label
from kappamax.weights import WeightsLike

_PILOT_KEYS = ("raters", "weights", "coefficient", "group_size")
_ASSUMED_KEYS = ("margins", "kappa", "n_raters", "weights", "coefficient")
_MOST_UNEQUAL = 1000.0


def compare_sample_size(
    *ratings: Ratings,
    first: Mapping[str, Any] | Sequence[str | int],
    second: Mapping[str, Any] | Sequence[str | int],
    correlation: float | None = None,
    ratio: float | None = None,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    width: float | None = None,
    level: float = 0.95,
    power: float | None = None,
    alternative: str = "two-sided",
    margin: float | None = None,
    difference: float | None = None,
    alpha: float = 0.05,
    categories: Sequence[Label] | None = None,
) -> ComparisonSampleSize:
    """Find how many subjects are needed to compare two coefficients.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Pilot ratings of the same subjects by the raters of both coefficients. Without pilot ratings, `first` and
        `second` describe what is assumed.
    first, second : mapping, or sequence of raters
        The two coefficients. With pilot ratings: the raters of each, or a mapping, as in `compare`. Without them: a
        mapping with `margins` and `kappa`, and optionally `n_raters`, `weights` and `coefficient`, as for
        `sample_size`.
    correlation : float, optional
        Correlation of the two estimates if both coefficients will be computed from the same subjects. By default the
        coefficients are those of independent groups of subjects. It must not be given with pilot ratings, which
        determine it.
    ratio : float, optional
        Number of subjects of the second group divided by that of the first, for independent groups; default 1.
    weights : str, Weights or mapping
        Disagreement weights of both coefficients, default "unweighted"; `kappa` lists the names.
    coefficient : str
        Name of both coefficients, default "kappa".
    width : float, optional
        Full width of the confidence interval for the difference. Give either `width` or `power`.
    level : float
        Confidence level of the interval, default 0.95.
    power : float, optional
        Probability that the test rejects its null hypothesis.
    alternative : {"two-sided", "non-inferiority", "equivalence"}
        Alternative hypothesis about the difference ``first - second``, default "two-sided": it is not 0. The other two
        need `margin`. "non-inferiority": the difference is above -margin. "equivalence": it lies between -margin and
        margin.
    margin : float, optional
        Smallest difference that matters, between 0 and 2.
    difference : float, optional
        Assumed difference ``first - second`` for the power, such as 0 for an equivalence test. By default it is that of
        the two assumed values or of the pilot ratings. It does not change the standard deviations.
    alpha : float
        Significance level of the test, default 0.05.
    categories : sequence of labels, optional
        All categories in order. By default they are taken from the pilot ratings or, without them, they are 1, 2, ...

    Returns
    -------
    ComparisonSampleSize
        The number of subjects and the assumptions.

    Raises
    ------
    InvalidOptionError
        If an option is missing, is out of range or contradicts another one; if the margins do not allow an assumed
        value; or if the alternative hypothesis is not true for the assumed difference.
    NotSupportedError
        If the pilot ratings are in clusters, or the weights depend on the ratings of the study.
    UndefinedKappaError
        If one of the coefficients is undefined.

    See Also
    --------
    kappamax.compare : Compare two coefficients of the same subjects.

    Examples
    --------
    Trained raters are expected to reach a kappa of 0.7 and untrained ones 0.5, with 30% of the subjects positive. The
    following computes how many subjects each of two groups needs to show a difference with a probability of 80%.

    >>> import kappamax as km
    >>> assumed = {"first": {"margins": [0.7, 0.3], "kappa": 0.7}, "second": {"margins": [0.7, 0.3], "kappa": 0.5}}
    >>> plan = km.planning.compare_sample_size(**assumed, power=0.8)
    >>> plan.n_first, plan.n_second
    (296, 296)

    If both pairs rate the same subjects, and their estimates have a correlation of 0.4, fewer subjects are needed.

    >>> km.planning.compare_sample_size(**assumed, power=0.8, correlation=0.4).n_subjects
    180

    Pilot ratings determine the correlation.

    >>> pilot = km.example("diagnoses")
    >>> pairs = {"first": ["rater1", "rater3"], "second": ["rater2", "rater3"]}
    >>> plan = km.planning.compare_sample_size(pilot, **pairs, width=0.2)
    >>> plan.n_subjects, round(plan.correlation, 2)
    (75, 0.64)
    """
    if (width is None) == (power is None):
        raise InvalidOptionError("either the width of an interval or the power of a test must be given, not both.")
    alternative = as_choice("alternative", alternative, ALTERNATIVES)
    if (margin is None) != (alternative == "two-sided"):
        raise InvalidOptionError(
            "margin, the smallest difference that matters, must be given with alternative 'non-inferiority' or "
            f"'equivalence', and only then; got alternative {alternative!r} and margin {margin!r}."
        )
    if width is not None and (margin is not None or difference is not None):
        raise InvalidOptionError("margin and difference must be given with power; the width does not depend on them.")
    width = None if width is None else as_number_between("width", width, 0, 4)
    level = as_number_between("level", level, 0, 1)
    power = None if power is None else as_number_between("power", power, 0, 1)
    margin = None if margin is None else as_number_between("margin", margin, 0, 2)
    alpha = as_number_between("alpha", alpha, 0, 1)
    if correlation is not None and (ratings or ratio is not None):
        other = "pilot ratings, which determine it" if ratings else "ratio, which is for independent groups"
        raise InvalidOptionError(f"correlation must not be given with {other}.")
    if ratio is not None and ratings:
        raise InvalidOptionError("ratio must not be given with pilot ratings of the same subjects.")
    chosen = {"weights": weights, "coefficient": coefficient}
    if ratings:
        assumed = _from_pilot(ratings, (first, second), chosen, categories)
    else:
        assumed = _from_margins((first, second), chosen, categories, correlation, ratio)
    if assumed.se(1) <= NO_SPREAD:
        raise InvalidOptionError(
            "with these assumptions every study has the same difference and a standard error of zero, so the number of "
            "subjects is not determined."
        )
    true = assumed.values[0] - assumed.values[1] if difference is None else as_finite_number("difference", difference)
    if power is not None:
        if power <= alpha:
            raise InvalidOptionError(f"power must be above alpha, {alpha:g}; got {power:g}.")
        _require_alternative(true, alternative, margin)
    test = partial(_power, difference=true, alternative=alternative, margin=margin, alpha=alpha)

    def expected_width(n: int) -> float:
        return 2 * NormalDist().inv_cdf((1 + level) / 2) * assumed.se(n)

    def reached(n: int) -> bool:
        return expected_width(n) <= width if width is not None else test(assumed.se(n)) >= (power or 0)

    n_first = least_subjects(reached)
    if n_first is None:
        raise InvalidOptionError(f"the goal would need more than {MOST_SUBJECTS:,} subjects.")
    n_second = assumed.second_size(n_first)
    plan = ComparisonSampleSize(
        coefficients=(assumed.objectives[0].coefficient.name, assumed.objectives[1].coefficient.name),
        titles=(assumed.objectives[0].coefficient.title, assumed.objectives[1].coefficient.title),
        weights=(assumed.objectives[0].weights.name, assumed.objectives[1].weights.name),
        n_subjects=n_first if assumed.paired else n_first + n_second,
        n_first=n_first,
        n_second=n_second,
        paired=assumed.paired,
        source="pilot" if ratings else "assumed",
        first=assumed.values[0],
        second=assumed.values[1],
        difference=true,
        first_sd=assumed.sds[0],
        second_sd=assumed.sds[1],
        correlation=assumed.correlation,
        expected_se=assumed.se(n_first),
        width=width,
        level=level if width is not None else None,
        expected_width=expected_width(n_first) if width is not None else None,
        power=power,
        alternative=alternative if power is not None else None,
        margin=margin,
        alpha=alpha if power is not None else None,
        expected_power=test(assumed.se(n_first)) if power is not None else None,
        notes=(),
        _data=assumed.data,
    )
    return replace(plan, notes=comparison_text.notes(plan))


@dataclass(frozen=True)
class _Assumed:
    """The two assumed coefficients, with sqrt(N) times their large-sample standard errors."""

    objectives: tuple[Objective, Objective]
    values: tuple[float, float]
    sds: tuple[float, float]
    correlation: float | None
    ratio: float = 1.0
    paired_sd: float | None = None
    data: DataSummary | None = None

    @property
    def paired(self) -> bool:
        """Whether both coefficients are those of the same subjects."""
        return self.paired_sd is not None

    def second_size(self, n: int) -> int:
        """Return the number of subjects of the second coefficient if the first has n."""
        return n if self.paired else max(2, ceil(self.ratio * n - 1e-9))

    def se(self, n: int) -> float:
        """Return the standard error of the difference if the first coefficient has n subjects."""
        if self.paired_sd is not None:
            return self.paired_sd / sqrt(n)
        return sqrt(self.sds[0] ** 2 / n + self.sds[1] ** 2 / self.second_size(n))


def _from_margins(
    given: tuple[Any, Any],
    chosen: dict[str, Any],
    categories: Sequence[Label] | None,
    correlation: float | None,
    ratio: float | None,
) -> _Assumed:
    """Return two coefficients that are described by margins and values."""
    correlation = None if correlation is None else as_number_between("correlation", correlation, -1, 1)
    ratio = 1.0 if ratio is None else as_number_between("ratio", ratio, 1 / _MOST_UNEQUAL, _MOST_UNEQUAL)
    objectives = []
    for name, one in zip(("first", "second"), given, strict=True):
        if not isinstance(one, Mapping) or "margins" not in one or "kappa" not in one:
            raise InvalidOptionError(
                f"{name} must be a mapping such as {{'margins': [0.7, 0.3], 'kappa': 0.6}} if there are no pilot "
                f"ratings; got {one!r}."
            )
        for key in one:
            as_choice(name, key, _ASSUMED_KEYS)
        own = {key: one.get(key, default) for key, default in chosen.items()}
        objectives.append(from_margins(one["margins"], one["kappa"], one.get("n_raters"), categories, own).objective)
    found = [precision_of(one) for one in objectives]
    sds = (found[0].sd, found[1].sd)
    paired_sd = None
    if correlation is not None:
        paired_sd = sqrt(max(0.0, sds[0] ** 2 + sds[1] ** 2 - 2 * correlation * sds[0] * sds[1]))
    values = (found[0].value, found[1].value)
    return _Assumed((objectives[0], objectives[1]), values, sds, correlation, ratio, paired_sd)


def _from_pilot(
    ratings: Sequence[Ratings], given: tuple[Any, Any], chosen: dict[str, Any], categories: Sequence[Label] | None
) -> _Assumed:
    """Return two coefficients of the subjects of pilot ratings, with the correlation by the joint delta method."""
    table = as_table(*ratings, categories=categories)
    if table.clusters is not None:
        raise NotSupportedError("comparisons are planned for independent subjects; these pilot ratings have clusters.")
    objectives, gradients = [], []
    for one in given:
        if isinstance(one, str) or not isinstance(one, Mapping | Sequence):
            raise InvalidOptionError(
                "first and second must be lists of raters such as ['a', 'b'], or mappings such as "
                f"{{'weights': 'linear'}}; got {one!r}."
            )
        spec = dict(one) if isinstance(one, Mapping) else {"raters": one}
        for key in spec:
            as_choice("first and second", key, _PILOT_KEYS)
        columns = [table.rater_index(rater) for rater in spec.pop("raters", table.raters)]
        objective = as_objective(table.select(columns), **chosen | spec)
        if objective.varying_weights:
            raise NotSupportedError(
                f"the number of subjects is not available for {objective.weights.name} weights, which depend on the "
                "ratings of the study."
            )
        objectives.append(objective)
        gradients.append(slopes(objective, table.patterns[:, columns]) * table.n_subjects)
    shares = table.counts / table.n_subjects
    sds = (_spread(shares, gradients[0]), _spread(shares, gradients[1]))
    paired_sd = _spread(shares, gradients[0] - gradients[1])
    product = 2 * sds[0] * sds[1]
    correlation = None if product == 0 else float(np.clip((sds[0] ** 2 + sds[1] ** 2 - paired_sd**2) / product, -1, 1))
    values = (objectives[0].value(objectives[0].score), objectives[1].value(objectives[1].score))
    both = (objectives[0], objectives[1])
    return _Assumed(both, values, sds, correlation, paired_sd=paired_sd, data=table.data)


def _spread(shares: Array, gradient: Array) -> float:
    """Return the standard deviation of the contributions of a subject."""
    return sqrt(max(0.0, float(shares @ (gradient - shares @ gradient) ** 2)))


def _require_alternative(difference: float, alternative: str, margin: float | None) -> None:
    """Require an assumed difference for which the alternative hypothesis is true."""
    true = {
        "two-sided": difference != 0,
        "non-inferiority": margin is not None and difference > -margin,
        "equivalence": margin is not None and abs(difference) < margin,
    }[alternative]
    if not true:
        rule = {
            "two-sided": "differ from 0",
            "non-inferiority": f"be above -margin, {-(margin or 0):g}",
            "equivalence": f"lie between -margin and margin, {-(margin or 0):g} and {margin or 0:g}",
        }[alternative]
        raise InvalidOptionError(f"the assumed difference must {rule}, or no study can show it; got {difference:g}.")


def _power(se: float, *, difference: float, alternative: str, margin: float | None, alpha: float) -> float:
    """Return the power of a test of a difference with a known standard error."""
    normal = NormalDist()
    if alternative == "two-sided":
        return normal.cdf(abs(difference) / se - normal.inv_cdf(1 - alpha / 2))
    assert margin is not None
    critical = normal.inv_cdf(1 - alpha)
    above = normal.cdf((difference + margin) / se - critical)
    if alternative == "non-inferiority":
        return above
    return max(0.0, above + normal.cdf((margin - difference) / se - critical) - 1)
