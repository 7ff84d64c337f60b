"""Compute the agreement on each category, and the agreement without each rater.

A coefficient that is undefined for some category or rater is reported with the reason, and the others are still
computed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kappamax._result import TableResult
from kappamax._validate import as_choice, as_number_between
from kappamax.coefficients import as_objective, coefficient_for
from kappamax.confidence_intervals import INTERVALS
from kappamax.display import numbers, text
from kappamax.errors import NotSupportedError
from kappamax.estimates import Estimate, estimate_rows, estimated, fields_of, limit_columns
from kappamax.io import Ratings, as_table
from kappamax.paired_errors import paired_error, paired_interval, subject_slopes
from kappamax.table import Label
from kappamax.weights import WeightsLike

_LONGEST_NAME = 24
_MOST_WORK = 5_000_000_000  # units of `_work`, which take some minutes
_PATTERNS_OF_OVERHEAD = 4_000  # patterns that are scored in the time that a rater takes for other reasons
_SCORES_PER_STEP = 5  # ratings that are scored in the time in which a derivative takes one rating into account


def category_kappas(
    *ratings: Ratings,
    coefficient: str = "kappa",
    categories: Sequence[Label] | None = None,
    level: float = 0.95,
    interval: str = "auto",
    cluster: Any = None,
) -> CategoryKappas:
    """Compute the agreement on each category, with all other categories combined into one.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject.
    coefficient : str
        Name of the coefficient, default "kappa": Cohen's kappa for two raters and Conger's kappa for more. `agreement`
        lists the others.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.
    level : float
        Confidence level of the intervals, default 0.95.
    interval : {"auto", "adjusted", "exact", "normal"}
        Method for the confidence intervals, default "auto"; see `agreement`.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, such as the patient of a lesion, or an array with one
        entry per subject; see `agreement`.

    Returns
    -------
    CategoryKappas
        Coefficient of every category with its standard error and confidence interval, or None and the reason where it
        is undefined.

    Raises
    ------
    NotSupportedError
        If the interval is "exact" and the ratings are not those of two raters without missing ratings on up to 100
        independent subjects.

    See Also
    --------
    specific_agreement : Agreement on each category, not corrected for chance.

    Notes
    -----
    The standard error and the interval of a category are those of `agreement` for the table in which all other
    categories are combined.

    Examples
    --------
    >>> import kappamax as km
    >>> found = km.category_kappas(km.example("cohen1968"))
    >>> {category: round(value, 2) for category, value in found.values.items()}
    {'personality disorder': 0.56, 'neurosis': 0.52, 'psychosis': 0.31}
    >>> low, high = found.ci["psychosis"]
    >>> round(low, 2), round(high, 2)
    (0.15, 0.47)
    """
    table = as_table(*ratings, categories=categories, cluster=cluster)
    level = as_number_between("level", level, 0, 1)
    interval = as_choice("interval", interval, INTERVALS)
    name = coefficient_for(coefficient, table.n_raters).name
    found = {c: estimated(table.collapse(c), level, interval, coefficient=name) for c in table.categories}
    return CategoryKappas(name, *fields_of(found), level, interval, table.frame_library, _data=table.data)


def leave_one_out(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    categories: Sequence[Label] | None = None,
    level: float = 0.95,
    interval: str = "auto",
    cluster: Any = None,
) -> LeaveOneOut:
    """Compute the coefficient without each rater in turn, for three or more raters.

    The effect of a rater is the coefficient of all raters minus the coefficient without this rater. It is negative if
    the others agree better without the rater.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject.
    weights : str, Weights or mapping
        Disagreement weights: a name such as "linear" or "quadratic", a `Weights` object, or a mapping from pairs of
        raters to weights. Default "unweighted".
    coefficient : str
        Name of the coefficient, default "kappa": Cohen's kappa for two raters and Conger's kappa for more. `agreement`
        lists the others.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.
    level : float
        Confidence level of the intervals, default 0.95.
    interval : {"auto", "adjusted", "exact", "normal"}
        Method for the confidence intervals of the coefficients, default "auto"; see `agreement`. The interval of an
        effect is the effect -+ a quantile of Student's t distribution times its standard error.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, such as the patient of a lesion, or an array with one
        entry per subject; see `agreement`.

    Returns
    -------
    LeaveOneOut
        Coefficient of all raters, and coefficient without each of them, with standard errors and confidence intervals
        of the latter and of the effects.

    Raises
    ------
    NotSupportedError
        If there are fewer than three raters, or so many raters and patterns that leaving out each rater would take many
        minutes; or if the interval is "exact", unless there are three raters, two categories, no missing ratings and up
        to 100 independent subjects.
    UndefinedKappaError
        If the coefficient of all raters is undefined.

    See Also
    --------
    compare : Compare any two coefficients of the same subjects, with a test.

    Notes
    -----
    The coefficients with and without a rater are computed from the same subjects and are highly correlated. The
    standard error of an effect is therefore that of the paired difference, by the delta method, as in `compare`: the
    derivatives of both coefficients with respect to the count of each pattern are subtracted. The intervals of the
    two coefficients may overlap although the interval of the effect does not contain 0.

    Examples
    --------
    >>> import kappamax as km
    >>> found = km.leave_one_out([1, 2, 2, 1], [1, 2, 1, 1], [2, 2, 1, 1])
    >>> found.without
    {'1': 0.5, '2': 0.0, '3': 0.5}

    The other five raters of this example agree better without the first one: the interval of the effect is below 0.

    >>> found = km.leave_one_out(km.example("diagnoses"))
    >>> low, high = found.effect_ci["rater1"]
    >>> round(found.effects["rater1"], 3), round(low, 3), round(high, 3)
    (-0.08, -0.133, -0.027)
    """
    table = as_table(*ratings, categories=categories, cluster=cluster)
    level = as_number_between("level", level, 0, 1)
    interval = as_choice("interval", interval, INTERVALS)
    if table.n_raters < 3:
        raise NotSupportedError(f"leaving one rater out needs at least three raters; got {table.n_raters}.")
    by_rater = coefficient_for(coefficient, table.n_raters).use == "raters"
    m, k = len(table.counts), table.n_categories
    most = bisect_right(range(table.n_raters + 1), _MOST_WORK, key=lambda r: _work(r, m, k, by_rater)) - 1
    if table.n_raters > most:
        raise NotSupportedError(
            f"leave_one_out is limited to {most:,} raters for ratings with {len(table.counts):,} different patterns; "
            f"got {table.n_raters:,} raters. Table.select chooses some of them."
        )
    whole = as_objective(table, weights=weights, coefficient=coefficient)
    value = whole.value(whole.score)
    everyone = subject_slopes(table, whole, range(table.n_raters))
    found: dict[str, Estimate] = {}
    effect_se: dict[str, float | None] = {}
    effect_ci: dict[str, tuple[float, float] | None] = {}
    for left_out, rater in enumerate(table.raters):
        rest = [other for other in range(table.n_raters) if other != left_out]
        weights_of_rest = whole.weights.for_raters(rest)
        one = estimated(table.select(rest), level, interval, weights=weights_of_rest, coefficient=coefficient)
        found[rater], effect_se[rater], effect_ci[rater] = one, None, None
        if one.value is not None and one.objective is not None:
            error = paired_error(table, everyone, subject_slopes(table, one.objective, rest))
            effect_se[rater], effect_ci[rater] = error.se, paired_interval(value - one.value, error, level)
    name = coefficient_for(coefficient, table.n_raters).name
    return LeaveOneOut(
        name,
        whole.weights.name,
        value,
        *fields_of(found),
        effect_se,
        effect_ci,
        level,
        interval,
        table.frame_library,
        _data=table.data,
    )


@dataclass(frozen=True, repr=False)
class CategoryKappas(TableResult):
    """Agreement on each category, with all other categories combined into one.

    Attributes
    ----------
    coefficient : str
        Short name of the coefficient.
    values : dict
        Coefficient by category; None where it is undefined.
    n_subjects : dict
        Number of subjects with two or more ratings, by category.
    se : dict
        Standard error by category; None where the coefficient is undefined or its standard error cannot be estimated.
    ci : dict
        Confidence interval by category, a tuple of two floats; None where there is none.
    reasons : dict
        Reason by category, for every coefficient that is undefined.
    level : float
        Confidence level of the intervals.
    interval : str
        Method for the intervals that was asked for; `agreement` says what "auto" stands for.
    """

    coefficient: str
    values: dict[Label, float | None]
    n_subjects: dict[Label, int]
    se: dict[Label, float | None]
    ci: dict[Label, tuple[float, float] | None]
    reasons: dict[Label, str]
    level: float
    interval: str
    _library: str | None = field(default=None, repr=False, compare=False)

    def _columns(self) -> dict[str, Iterable[Any]]:
        return {
            "category": self.values.keys(),
            "value": self.values.values(),
            "n_subjects": self.n_subjects.values(),
            "se": self.se.values(),
            **limit_columns(self.ci.values()),
            "reason": [self.reasons.get(category) for category in self.values],
        }

    def _frame_library(self) -> str | None:
        return self._library

    def _rows(self) -> list[tuple[str, str]]:
        header = ["value", f"{100 * self.level:g}% interval", "subjects"]
        cells = [
            [numbers.decimal(self.values[c]), numbers.interval(self.ci[c]), numbers.count(n)]
            for c, n in self.n_subjects.items()
        ]
        names = text.labels(self.values, _LONGEST_NAME)
        return estimate_rows(names, header, cells, [self.reasons.get(category) for category in self.values])


@dataclass(frozen=True, repr=False)
class LeaveOneOut(TableResult):
    """Coefficient of all raters, and coefficient without each of them.

    Attributes
    ----------
    coefficient : str
        Short name of the coefficient.
    weights : str
        Name of the weights.
    value : float
        Coefficient of all raters.
    without : dict
        Coefficient without each rater, by rater; None where it is undefined.
    n_subjects : dict
        Number of subjects with two or more ratings without those of the rater, by rater.
    se : dict
        Standard error of the coefficient without each rater; None where the coefficient is undefined or its standard
        error cannot be estimated.
    ci : dict
        Confidence interval of the coefficient without each rater, a tuple of two floats; None where there is none.
    reasons : dict
        Reason by rater, for every coefficient that is undefined.
    effect_se : dict
        Standard error of the effect of each rater; None where it cannot be estimated.
    effect_ci : dict
        Confidence interval of the effect of each rater, a tuple of two floats; None where there is none. A standard
        error of zero, for example if all raters agree, gives an interval without width, which does not mean certainty.
    level : float
        Confidence level of the intervals.
    interval : str
        Method for the intervals `ci` that was asked for; `agreement` says what "auto" stands for.
    """

    coefficient: str
    weights: str
    value: float
    without: dict[str, float | None]
    n_subjects: dict[str, int]
    se: dict[str, float | None]
    ci: dict[str, tuple[float, float] | None]
    reasons: dict[str, str]
    effect_se: dict[str, float | None]
    effect_ci: dict[str, tuple[float, float] | None]
    level: float
    interval: str
    _library: str | None = field(default=None, repr=False, compare=False)

    @property
    def effects(self) -> dict[str, float | None]:
        """Value with all raters minus the value without each rater; None where the latter is undefined."""
        return {rater: None if rest is None else self.value - rest for rater, rest in self.without.items()}

    def _columns(self) -> dict[str, Iterable[Any]]:
        effect_limits = limit_columns(self.effect_ci.values())
        return {
            "rater": self.without.keys(),
            "without": self.without.values(),
            "n_subjects": self.n_subjects.values(),
            "se": self.se.values(),
            **limit_columns(self.ci.values()),
            "effect": self.effects.values(),
            "effect_se": self.effect_se.values(),
            **{f"effect_{name}": limits for name, limits in effect_limits.items()},
            "reason": [self.reasons.get(rater) for rater in self.without],
        }

    def _frame_library(self) -> str | None:
        return self._library

    def _rows(self) -> list[tuple[str, str]]:
        header = ["without", "effect", f"{100 * self.level:g}% interval of effect", "subjects"]
        cells = [
            [
                *numbers.decimals(self.without[rater], effect),
                numbers.interval(self.effect_ci[rater]),
                numbers.count(self.n_subjects[rater]),
            ]
            for rater, effect in self.effects.items()
        ]
        names = text.labels(self.without, _LONGEST_NAME)
        return [
            ("coefficient", self.coefficient),
            ("weights", self.weights),
            ("all raters", numbers.decimal(self.value)),
            *estimate_rows(names, header, cells, [self.reasons.get(rater) for rater in self.without]),
        ]


def _work(n_raters: int, n_patterns: int, n_categories: int, by_rater: bool) -> int:
    """Return the work of leaving out each rater, in ratings that are scored.

    Standard errors need the derivatives of a coefficient by the use of each category, by each rater or by all together,
    and each derivative takes as many steps as there are such uses.
    """
    uses = n_categories * (n_raters if by_rater else 1)
    return n_raters * (n_raters * (n_patterns + _PATTERNS_OF_OVERHEAD) + _SCORES_PER_STEP * uses**2)
