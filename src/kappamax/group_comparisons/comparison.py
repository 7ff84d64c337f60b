"""Compare the agreement of independent groups of subjects.

The default test simulates studies in which all groups have the same coefficient, because the usual chi-square test
rejects far too often if groups are small, agreement is high or a category is rare. Simulated levels are in the
documentation, under "Groups and time".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kappamax._typing import Floats
from kappamax._validate import as_choice, as_finite_number, as_generator, as_number_between, as_whole_number
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.errors import (
    InvalidOptionError,
    InvalidRatingsError,
    KappamaxError,
    NotSupportedError,
    UndefinedKappaError,
)
from kappamax.group_comparisons.comparison_results import GroupAgreement, GroupComparison
from kappamax.group_comparisons.group_estimates import DefinedGroups
from kappamax.group_comparisons.group_tables import Groups, as_group_tables
from kappamax.group_comparisons.inference import POOLINGS, differences, homogeneity, null_value, pooled, slope
from kappamax.group_comparisons.null_studies import null_studies, null_studies_obstacle
from kappamax.kappas import Agreement, agreement
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike

METHODS = ("auto", "simulation", "welch", "chi2")
_MOST_SIMULATED_SUBJECTS = 1_000
_MOST_SIMULATED_GROUPS = 500
_MOST_DRAWS, _LEAST_DRAWS = 10_000, 1_000
_MOST_DRAWN_TABLES, _MOST_DRAWN_COUNTS = 50_000, 5_000_000  # by default


def compare_groups(
    groups: Groups,
    *,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    level: float = 0.95,
    trend: bool | Sequence[float] | None = None,
    method: str = "auto",
    pooling: str = "stratified",
    n_draws: int | None = None,
    rng: np.random.Generator | int | None = 0,
    categories: Sequence[Label] | None = None,
) -> GroupComparison:
    """Compare the agreement of independent groups of subjects, such as sites or weeks.

    The groups have different subjects; their raters may be the same or different ones. Use `compare` for two
    coefficients of the same subjects.

    Parameters
    ----------
    groups : mapping from names to ratings, or sequence of (name, ratings)
        At least two groups. The ratings of a group are a Table, or a frame with one column per rater. The groups are
        given the same categories: numbers in increasing order, and text in the order of the group with the most
        categories.
    weights : str, Weights or mapping
        Disagreement weights, default "unweighted"; see `kappa` for the names.
    coefficient : str
        Name of the coefficient, default "kappa"; `agreement` lists the others.
    level : float
        Confidence level of all intervals, default 0.95.
    trend : bool or sequence of numbers, optional
        Whether a linear trend over the groups is tested, by default not. True uses the order of the groups, and a
        sequence of numbers, such as weeks, gives the score of each group.
    method : {"auto", "simulation", "welch", "chi2"}
        Method of the tests, default "auto":

        - "simulation": the statistics are compared with studies that are drawn from populations in which all groups
          have the same coefficient, with the numbers of subjects and the margins of the groups. It needs complete
          ratings, at most 1,000 possible patterns, and subjects that are not in clusters;
        - "welch": Welch's test of the values and standard errors of the tables with the pseudo-subjects of the adjusted
          interval; differences and trends have the degrees of freedom of Welch and Satterthwaite;
        - "chi2": the chi-square test of Fleiss (1981), which is the test for equal kappas of PROC FREQ of SAS. It
          rejects too often unless all groups are large. Differences and trends are tested as by "welch";
        - "auto": "simulation" if this is available, some group has at most 1,000 subjects, and there are at most 500
          groups; otherwise "welch".
    pooling : {"stratified", "subjects", "inverse-variance"}
        Weights of the groups in the pooled coefficient, default "stratified":

        - "stratified": number of subjects times expected disagreement, so that the pooled coefficient is 1 minus the
          ratio of the observed to the expected disagreement, both summed over the groups;
        - "subjects": number of subjects (Barlow, Lai and Azen 1991);
        - "inverse-variance": reciprocal of the squared standard error (Fleiss 1981, PROC FREQ of SAS). The weights
          depend on the values, so that the pooled coefficient is biased and its interval covers too rarely.
    n_draws : int, optional
        Number of simulated studies, at least 100. By default 10,000 for up to five groups, and fewer for more groups or
        for many possible patterns, down to 1,000.
    rng : Generator, int or None
        Random generator of the simulated studies, or its seed, default 0, so that the same ratings have the same
        p-values. None draws a new seed.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are combined from the groups.

    Returns
    -------
    GroupComparison
        Coefficient of each group with its interval, test of homogeneity, pooled coefficient, differences of all pairs
        of groups, and trend. Groups in which the coefficient is undefined have the reason, and are left out of the
        tests.

    Raises
    ------
    InvalidOptionError
        If there are fewer than two groups, names occur twice, the categories of the groups cannot be combined, or an
        option is out of range.
    InvalidRatingsError
        If no group has ratings that can be read.
    NotSupportedError
        If the method is "simulation" and this is not available.

    See Also
    --------
    compare : Compare two coefficients of the same subjects.
    report_groups : Report the groups as one table, with maxima and tests against chance.

    Examples
    --------
    >>> import kappamax as km
    >>> winnipeg = km.from_counts([[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]])
    >>> new_orleans = km.from_counts([[5, 3, 0, 0], [3, 11, 4, 0], [2, 13, 3, 4], [1, 2, 4, 14]])
    >>> sites = {"Winnipeg": winnipeg, "New Orleans": new_orleans}
    >>> found = km.compare_groups(sites)
    >>> [round(group.value, 4) for group in found.groups], round(found.homogeneity.pvalue, 2)
    ([0.2079, 0.2965], 0.35)
    >>> found = km.compare_groups(sites, method="chi2", pooling="inverse-variance")
    >>> round(found.homogeneity.statistic, 4), round(found.pooled.value, 4)
    (0.9009, 0.2338)
    """
    level = as_number_between("level", level, 0, 1)
    method, pooling = as_choice("method", method, METHODS), as_choice("pooling", pooling, POOLINGS)
    if n_draws is not None:
        n_draws = as_whole_number("n_draws", n_draws, 100, 10_000_000)
    generator = as_generator(rng)
    tables = as_group_tables(groups, categories)
    scores = _as_scores(trend, len(tables))
    measured = [_measured(name, found, weights, coefficient, level) for name, found in tables.items()]
    defined = _defined(measured)
    chosen, reason = _chosen_method(method, defined)
    studies = None
    if chosen == "simulation" and reason is None:
        n_studies = n_draws or _default_draws(defined.objectives)
        studies = null_studies(defined.objectives, null_value(defined), n_studies, generator)
    objectives = [one.objective for one in measured if one.objective is not None]
    names = {one.coefficient.name for one in objectives}
    return GroupComparison(
        coefficient=names.pop() if len(names) == 1 else coefficient,
        weights=objectives[0].weights.name if objectives else str(weights),
        level=level,
        groups=tuple(one.row for one in measured),
        homogeneity=homogeneity(chosen, defined, studies, reason),
        pooled=pooled(pooling, defined, level),
        differences=differences(defined, studies, level),
        trend=None if scores is None else slope(scores, defined, studies, level),
        _library=next((one.frame_library for one in tables.values() if isinstance(one, Table)), None),
    )


class _Measured(NamedTuple):
    """A group with its objective and its coefficient, where these exist."""

    row: GroupAgreement
    objective: Objective | None
    agreement: Agreement | None


def _measured(
    name: str, found: Table | KappamaxError, weights: WeightsLike, coefficient: str, level: float
) -> _Measured:
    """Return the coefficient of a group, or the reason why it is undefined."""
    if isinstance(found, KappamaxError):
        return _Measured(GroupAgreement(name, None, None, None, None, str(found)), None, None)
    objective = None
    try:
        objective = as_objective(found, weights=weights, coefficient=coefficient)
        result = agreement(objective, level=level)
    except (UndefinedKappaError, InvalidRatingsError) as error:
        reason = error.reason if isinstance(error, UndefinedKappaError) else str(error)
        return _Measured(GroupAgreement(name, found.n_subjects, None, None, None, reason), objective, None)
    return _Measured(GroupAgreement(name, found.n_subjects, result.value, result.se, result.ci), objective, result)


def _defined(measured: Sequence[_Measured]) -> DefinedGroups:
    """Return the groups in which the coefficient is defined."""
    objectives, values, errors, places = [], [], [], []
    for place, one in enumerate(measured):
        if one.objective is not None and one.agreement is not None:
            objectives.append(one.objective)
            values.append(one.agreement.value)
            errors.append(np.nan if one.agreement.se is None else one.agreement.se)
            places.append(place)
    names = [one.row.name for one in measured if one.agreement is not None]
    return DefinedGroups(names, objectives, np.array(values), np.array(errors), np.array(places, int), len(measured))


def _as_scores(trend: bool | Sequence[float] | None, n_groups: int) -> Floats | None:
    """Return the score of each group, or None if no trend is tested."""
    if trend is None or trend is False:
        return None
    if trend is True:
        return np.arange(1.0, n_groups + 1)
    if isinstance(trend, str) or not hasattr(trend, "__len__") or len(trend) != n_groups:
        raise InvalidOptionError(f"trend must be True, or one number for each of the {n_groups} groups; got {trend!r}.")
    return np.array([as_finite_number("trend", score) for score in trend])


def _default_draws(objectives: Sequence[Objective]) -> int:
    """Return the number of studies that are simulated by default, so that this takes a few seconds at most."""
    n_patterns = sum(int(one.table.n_categories**one.table.n_raters) for one in objectives)
    affordable = min(_MOST_DRAWN_TABLES // len(objectives), _MOST_DRAWN_COUNTS // n_patterns)
    return max(_LEAST_DRAWS, min(_MOST_DRAWS, affordable))


def _chosen_method(method: str, defined: DefinedGroups) -> tuple[str, str | None]:
    """Return the method of the tests, and why there is no test or why the method is not the simulation."""
    if len(defined.names) < 2:
        where = "in no group" if not defined.names else "in one group only"
        return "simulation" if method == "auto" else method, f"the coefficient is defined {where}"
    if method not in ("auto", "simulation"):
        return method, None
    obstacle = null_studies_obstacle(defined.names, defined.objectives)
    if method == "simulation" and obstacle is not None:
        raise NotSupportedError(f"method 'simulation' is not available: {obstacle}. Use method 'welch'.")
    if method == "auto" and obstacle is None and defined.sizes.min() > _MOST_SIMULATED_SUBJECTS:
        obstacle = f"every group has more than {_MOST_SIMULATED_SUBJECTS:,} subjects"
    if method == "auto" and obstacle is None and len(defined.names) > _MOST_SIMULATED_GROUPS:
        obstacle = f"there are more than {_MOST_SIMULATED_GROUPS} groups"
    return ("simulation", None) if obstacle is None else ("welch", obstacle)
