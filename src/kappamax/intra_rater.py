"""Compute the agreement of raters with themselves when they rate the same subjects again.

For several raters, the mean of their coefficients, a test of whether these are equal, and the agreement between the
raters on each occasion are computed as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from kappamax._result import Result, TableResult
from kappamax._tolerances import NO_SPREAD
from kappamax._validate import as_choice, as_number_between
from kappamax.category_agreement import IndexEstimate
from kappamax.coefficients import as_objective, coefficient_for
from kappamax.dependent_comparison_result import DependentComparison
from kappamax.dependent_comparisons import compare_dependent
from kappamax.display import numbers, text
from kappamax.errors import InvalidOptionError, InvalidRatingsError, NotSupportedError, UndefinedKappaError
from kappamax.io import Ratings, as_table, from_ratings
from kappamax.kappas import agreement
from kappamax.margin_tests import MarginalHomogeneityTest, marginal_homogeneity
from kappamax.rater_occasions import SEPARATOR, OccasionsLike, as_rater_occasions
from kappamax.standard_errors import StandardError, normal_interval
from kappamax.table import Label, Table
from kappamax.weights import PairWeights, Weights

METHODS = ("delta", "jackknife")


def intra_rater_agreement(
    *ratings: Ratings,
    occasions: OccasionsLike = SEPARATOR,
    weights: str | Weights = "unweighted",
    coefficient: str = "kappa",
    categories: Sequence[Label] | None = None,
    level: float = 0.95,
    interval: str = "auto",
    method: str = "delta",
    cluster: Any = None,
    rng: np.random.Generator | int | None = None,
) -> IntraRaterAgreement:
    """Compute the agreement of the ratings that each rater gave on two or more occasions (test and retest).

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects, with one column per rater and occasion.
    occasions : mapping, sequence of str, or str
        Assignment of the columns to raters. A mapping lists the columns of each rater by name or position:
        ``{"CO": ["val_CO", "val_COR"], "MH": ["val_MH", "val_MHR"]}``. A list gives the endings of the names of the
        columns: ``["1", "2"]`` for "CO_1" and "CO_2", or ``["", "R"]`` for "val_CO" and "val_COR". Text is what
        separates the rater from the occasion: "_" for "CO_1" and "CO_2". The default, ", ", is for names such as
        "CO, 1".
    weights : str or Weights
        Disagreement weights, default "unweighted"; see `kappa` for the names.
    coefficient : str
        Name of the coefficient, default "kappa": Cohen's kappa for two occasions and Conger's kappa for more.
        `agreement` lists the others.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.
    level : float
        Confidence level of the intervals, default 0.95.
    interval : {"auto", "adjusted", "exact", "normal"}
        Method for the confidence interval of each coefficient, default "auto"; see `agreement`. The interval of the
        mean is always the normal one.
    method : {"delta", "jackknife"}
        Method for the covariances of the coefficients, on which the mean's standard error and the test of equal
        coefficients are based, default "delta"; see `compare_dependent`. For few subjects or clusters, "jackknife"
        holds the level of the test better.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, such as the patient of a lesion, or an array with one
        entry per subject; see `agreement`.
    rng : int, Generator or None, optional
        Seed or source of randomness of the tests of a shift, if they need random permutations. None, the default, draws
        a fresh seed.

    Returns
    -------
    IntraRaterAgreement
        Coefficient of each rater over the occasions, with its standard error and confidence interval, and a test of
        whether the rater uses the categories equally often on all occasions. For several raters also the mean of the
        coefficients, the test of whether they are equal, and the agreement between the raters on each occasion.

    Raises
    ------
    InvalidOptionError
        If no rater has two columns, if a column is listed for several raters or does not exist, or if an option is out
        of range.
    NotSupportedError
        If the weights differ between pairs of columns, if there are more than 100 raters, or if `agreement` does not
        support the coefficient or interval.
    InvalidWeightsError
        If the weights need an order of the categories that is not known.

    See Also
    --------
    agreement : Agreement between raters.
    compare_dependent : The test of equal coefficients.
    marginal_homogeneity : The test of a shift.
    max_kappa : Largest coefficient that the use of the categories on both occasions allows.

    Notes
    -----
    The coefficients of several raters are correlated, because they are computed from the same subjects. Their mean has
    the variance 1'V1 / R^2, where V is the joint covariance matrix of the R coefficients, over subjects or, if there
    are clusters, over clusters (Vanbelle 2017). The test of equal coefficients, Hotelling's T2, is that of
    `compare_dependent`, whose result also has the differences between the raters.

    Examples
    --------
    Two raters rated ten subjects twice.

    >>> import kappamax as km
    >>> first = [1, 1, 2, 3, 3, 2, 1, 2, 3, 1], [1, 1, 2, 3, 2, 2, 1, 3, 3, 1]
    >>> again = [1, 2, 2, 3, 3, 2, 1, 2, 3, 1], [1, 1, 2, 3, 3, 2, 2, 3, 2, 1]
    >>> found = km.intra_rater_agreement(*first, *again, occasions={"A": [0, 2], "B": [1, 3]}, weights="linear")
    >>> {rater: round(one.value, 4) for rater, one in found.raters.items()}
    {'A': 0.8864, 'B': 0.6591}
    >>> round(found.mean.value, 4), round(found.equality.pvalue, 4)
    (0.7727, 0.3725)
    >>> {occasion: round(one.value, 4) for occasion, one in found.occasions.items()}
    {'1': 0.7778, '2': 0.5238}
    """
    if isinstance(weights, Mapping | PairWeights):
        raise NotSupportedError(
            "intra-rater agreement uses the same weights for all raters; got one per pair of raters."
        )
    level = as_number_between("level", level, 0, 1)
    method = as_choice("method", method, METHODS)
    table = as_table_with_occasions(ratings, occasions, categories, cluster)
    chosen = as_rater_occasions(occasions, table.raters)
    measure = partial(_estimate, weights=weights, coefficient=coefficient, level=level, interval=interval)
    tables = {rater: table.select(list(own.values())) for rater, own in chosen.columns.items()}
    raters = {rater: measure(own) for rater, own in tables.items()}
    defined = {rater: one.columns for rater, one in raters.items() if one.value is not None}
    equality = None
    if len(defined) > 1:
        equality = compare_dependent(
            table, kappas=defined, weights=weights, coefficient=coefficient, level=level, method=method
        )
    name = coefficient_for(coefficient, next(iter(tables.values())).n_raters)
    names = [as_objective(tables[rater], weights=weights, coefficient=coefficient).weights.name for rater in defined]
    return IntraRaterAgreement(
        coefficient=name.name,
        title=name.title,
        weights=names[0] if names else weights if isinstance(weights, str) else weights.name,
        raters=raters,
        shifts={rater: marginal_homogeneity(own, rng=rng) for rater, own in tables.items()},
        occasions={
            occasion: measure(table.select(list(own.values())))
            for occasion, own in chosen.occasions.items()
            if len(own) > 1
        },
        mean=None if len(raters) == 1 else _mean(equality, level),
        equality=equality,
        level=level,
        n_subjects=table.n_subjects,
        n_clusters=None if table.clusters is None else table.clusters.n_clusters,
        notes=tuple(_notes(raters, chosen.left_out)),
        _library=table.frame_library,
        _data=table.data,
    )


@dataclass(frozen=True, repr=False)
class RetestEstimate(Result):
    """Coefficient of one rater over the occasions, or of the raters on one occasion; ``float(result)`` is the value.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns that are compared.
    n_subjects : int
        Number of subjects with ratings in two or more of these columns.
    value : float or None
        Observed coefficient; None if it is undefined.
    exact : Fraction or None
        Observed coefficient as a fraction; None if it is undefined or irrational, or if the weights are not exact.
    se : float or None
        Standard error; None if it cannot be estimated.
    ci : tuple of two floats, or None
        Confidence interval; None if there is none.
    observed_agreement : float or None
        Weighted observed agreement; None if the coefficient is undefined.
    reason : str or None
        Reason why the coefficient is undefined; None otherwise.
    """

    columns: tuple[str, ...]
    n_subjects: int
    value: float | None
    exact: Fraction | None
    se: float | None
    ci: tuple[float, float] | None
    observed_agreement: float | None
    reason: str | None = None

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value

    @property
    def in_words(self) -> str:
        """The rounded value, the interval and the number of subjects, or why there is no value."""
        if self.value is None:
            return f"undefined: {self.reason}"
        size = text.plural(self.n_subjects, "subject")
        return f"{numbers.decimal(self.value)} ({numbers.interval(self.ci)}), {size}"


@dataclass(frozen=True, repr=False)
class IntraRaterAgreement(TableResult):
    """Agreement of raters with themselves on several occasions.

    Attributes
    ----------
    coefficient, title : str
        Short name of the coefficient, and its name as a title.
    weights : str
        Name of the weights.
    raters : dict
        `RetestEstimate` of each rater: the agreement of the rater's occasions.
    shifts : dict
        `MarginalHomogeneityTest` of each rater: whether the rater uses the categories equally often on all occasions.
    occasions : dict
        `RetestEstimate` of each occasion: the agreement of the raters with each other. Occasions on which only one
        rater rated are left out.
    mean : IndexEstimate or None
        Mean of the raters' coefficients, with its standard error and confidence interval; None for one rater. It is
        undefined if fewer than two coefficients are defined, and has no interval if its standard error is zero.
    equality : DependentComparison or None
        Test of whether the raters' coefficients are equal, with their differences; None if fewer than two raters have a
        defined coefficient.
    level : float
        Confidence level of the intervals.
    n_subjects : int
        Number of subjects with at least one rating.
    n_clusters : int or None
        Number of clusters of subjects; None if the subjects are independent.
    notes : tuple of str
        Notes on columns and raters that are left out, and on a standard error of zero.
    """

    coefficient: str
    title: str
    weights: str
    raters: dict[str, RetestEstimate]
    shifts: dict[str, MarginalHomogeneityTest]
    occasions: dict[str, RetestEstimate]
    mean: IndexEstimate | None
    equality: DependentComparison | None
    level: float
    n_subjects: int
    n_clusters: int | None = None
    notes: tuple[str, ...] = ()
    _library: str | None = field(default=None, repr=False, compare=False)

    @property
    def equality_in_words(self) -> str:
        """The rounded p-value and statistic of the test of equal coefficients, or why there is none."""
        test = self.equality
        if test is None or test.pvalue is None:
            return f"not tested: {self.mean and self.mean.reason if test is None else test.reason}"
        return f"p-value {numbers.pvalue(test.pvalue)}, T2 {numbers.decimal(test.statistic)}"

    def _columns(self) -> dict[str, Iterable[Any]]:
        found = self.raters.values()
        return {
            "rater": list(self.raters),
            "n_subjects": [one.n_subjects for one in found],
            "value": [one.value for one in found],
            "se": [one.se for one in found],
            "low": [None if one.ci is None else one.ci[0] for one in found],
            "high": [None if one.ci is None else one.ci[1] for one in found],
            "shift_pvalue": [self.shifts[rater].pvalue for rater in self.raters],
            "reason": [one.reason for one in found],
        }

    def _frame_library(self) -> str | None:
        return self._library

    def _rows(self) -> list[tuple[str, str]]:
        clusters = "" if self.n_clusters is None else f" in {text.plural(self.n_clusters, 'cluster')}"
        return [
            ("coefficient", f"{self.title}, {self.weights}"),
            *((rater, one.in_words) for rater, one in self.raters.items()),
            *([] if self.mean is None else [("mean", self.mean._shown.replace("  ", " "))]),
            *([] if self.mean is None else [("equal raters", self.equality_in_words)]),
            *((f"shift of {text.rater(rater)}", f"p-value {one.pvalue_text}") for rater, one in self.shifts.items()),
            *((f"between raters, {occasion}", one.in_words) for occasion, one in self.occasions.items()),
            ("intervals", f"{100 * self.level:g}%"),
            *self._size_rows(f"{text.plural(self.n_subjects, 'subject')}{clusters}"),
            *(("note", note) for note in self.notes),
        ]


def table_with_occasions(
    read: Callable[[list[str] | None], Table], occasions: OccasionsLike, *, again: bool = True
) -> Table:
    """Return the table of ratings whose columns are raters on several occasions.

    Reading rejects columns such as A_1, A_2, B_1 and B_2, because they may be about different items. If they are
    occasions of raters, they are read nevertheless.

    Parameters
    ----------
    read : callable
        Returns the table of the columns that are given by name, or of all columns that look like raters if it is called
        with None.
    occasions : mapping, sequence of str, or str
        Assignment of the columns to raters, as for `intra_rater_agreement`.
    again : bool
        Whether `read` can be called twice, default True; standard input can be read only once.
    """
    if isinstance(occasions, Mapping):
        listed = [one for own in occasions.values() if isinstance(own, list | tuple) for one in own]
        if len(listed) > 1 and all(isinstance(one, str) for one in listed):
            return read(list(dict.fromkeys(map(str, listed))))
    try:
        return read(None)
    except InvalidRatingsError as error:
        if error.code != "columns-that-are-not-raters" or not again:
            raise
        names = error.fields["columns"]
        try:
            found = as_rater_occasions(occasions, names)
        except InvalidOptionError:
            raise error from None
        return read([name for name in names if name not in found.left_out])


def as_table_with_occasions(
    ratings: Sequence[Ratings],
    occasions: OccasionsLike,
    categories: Sequence[Label] | None = None,
    cluster: Any = None,
) -> Table:
    """Return the table of ratings; of a frame only the columns of raters are read."""

    def read(columns: list[str] | None) -> Table:
        if columns is None or len(ratings) != 1 or isinstance(ratings[0], Table):
            return as_table(*ratings, categories=categories, cluster=cluster)
        return from_ratings(ratings[0], raters=columns, categories=categories, cluster=cluster)

    return table_with_occasions(read, occasions)


def _estimate(table: Table, *, weights: str | Weights, coefficient: str, level: float, interval: str) -> RetestEstimate:
    """Return the coefficient of some columns, or the reason why it is undefined."""
    n = int(table.rows.counts[table.rows.n_ratings > 1].sum())
    undefined = partial(RetestEstimate, table.raters, n, None, None, None, None, None)
    if n == 0:
        return undefined("no subject has two ratings to compare")
    try:
        found = agreement(table, weights=weights, coefficient=coefficient, level=level, interval=interval)
    except UndefinedKappaError as error:
        used = [category for category, n in zip(table.categories, table.margins.sum(axis=0), strict=True) if n]
        return undefined(f"all ratings are {used[0]!r}" if len(used) == 1 else error.reason)
    return RetestEstimate(table.raters, n, found.value, found.exact, found.se, found.ci, found.observed_agreement)


def _mean(joint: DependentComparison | None, level: float) -> IndexEstimate:
    """Return the mean of the coefficients with its normal interval."""
    if joint is None:
        return IndexEstimate(None, None, None, None, "fewer than two raters have a defined coefficient")
    value = sum(one.value for one in joint.coefficients) / len(joint.coefficients)
    if joint.covariance is None:
        return IndexEstimate(value, None, None, None)
    se = sqrt(max(0.0, float(joint.covariance.mean())))
    if se <= NO_SPREAD:
        return IndexEstimate(value, None, 0.0, None)
    error = StandardError(se, joint.method, joint.n_units - 1)
    return IndexEstimate(value, None, se, normal_interval(value, error, level))


def _notes(raters: Mapping[str, RetestEstimate], left_out: Sequence[str]) -> Iterable[str]:
    """Yield notes on what is left out, and on a standard error of zero."""
    if left_out:
        verbs = ("belongs", "is") if len(left_out) == 1 else ("belong", "are")
        yield f"{text.listing(left_out)} {verbs[0]} to no rater with two occasions and {verbs[1]} not used"
    undefined = [rater for rater, one in raters.items() if one.value is None]
    if 0 < len(undefined) < len(raters):
        without = text.conjunction(undefined)
        yield f"the mean and the test of equality are without {without}, whose agreement is undefined"
    if any(one.se is not None and one.se <= NO_SPREAD for one in raters.values()):
        yield "an estimated standard error of 0 does not mean certainty: see the intervals of the raters"
