"""Compute kappa and other coefficients of agreement, with their standard errors and confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kappamax._result import Result
from kappamax._tolerances import NO_SPREAD
from kappamax.coefficients import as_objective
from kappamax.confidence_intervals import confidence_interval
from kappamax.display import numbers, text
from kappamax.errors import NotSupportedError
from kappamax.io import Ratings
from kappamax.standard_errors import standard_error
from kappamax.table import Label
from kappamax.weights import WeightsLike


def kappa(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    categories: Sequence[Label] | None = None,
    level: float = 0.95,
    interval: str = "auto",
    cluster: Any = None,
) -> Agreement:
    """Compute weighted kappa, which is Cohen's kappa for two raters and Conger's kappa for more.

    Kappa is (p_o - p_e) / (1 - p_e) = 1 - D_o / D_e, where the observed and expected agreement p_o and p_e, and the
    observed and expected disagreement D_o and D_e, are averaged over the pairs of raters.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject, as for
        scikit-learn's `cohen_kappa_score`.
    weights : str, Weights or mapping
        Disagreement weights, default "unweighted". Names are "unweighted", "linear", "quadratic", "sqrt", "power(1.5)"
        or any other power, "ordinal" (Gwet's ordinal weights), "ratio", "circular" and "bipolar".
        `Weights.from_scheme` lists other names of these weights, such as "squared". Other weights are made by
        `Weights.from_positions` and `Weights.from_matrix`. A mapping ``{(rater, rater): weights}`` gives the weights
        for every pair of raters.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings. Required for
        weights that need ordered categories if the labels are text, because the order of text labels is not known.
    level : float
        Confidence level of the interval, default 0.95.
    interval : {"auto", "adjusted", "exact", "normal"}
        Method for the confidence interval, default "auto"; see `agreement`.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, such as the patient of a lesion, or an array with one
        entry per subject; see `agreement`.

    Returns
    -------
    Agreement
        Value, standard error, confidence interval, and observed and expected agreement.

    Raises
    ------
    UndefinedKappaError
        If all raters used a single category, or only categories between which the weights are zero, so that kappa is
        0/0.
    InvalidWeightsError
        If the weights need an order of the categories that is not known.

    See Also
    --------
    agreement : Compute other coefficients, or the standard error by another method.
    max_kappa : Find the largest kappa that the margins of the raters allow.

    Examples
    --------
    >>> import kappamax as km
    >>> result = km.kappa([1, 2, 3, 3], [1, 2, 3, 2], weights="linear")
    >>> result.exact
    Fraction(5, 7)
    """
    return agreement(*ratings, weights=weights, categories=categories, level=level, interval=interval, cluster=cluster)


def agreement(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    group_size: int = 2,
    categories: Sequence[Label] | None = None,
    level: float = 0.95,
    interval: str = "auto",
    method: str = "auto",
    inference: str = "subjects",
    cluster: Any = None,
) -> Agreement:
    """Compute a coefficient of agreement between raters.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject.
    weights : str, Weights or mapping
        Disagreement weights, default "unweighted"; see `kappa` for the names. For Krippendorff's alpha, the names of
        his metrics have his meaning: "ordinal" is computed from how often each category was used, and "interval" and
        "ratio" use the values of categories that are numbers. Gwet's ordinal weights are "gwet-ordinal".
    coefficient : str
        Name of the coefficient, default "kappa". One of "kappa" (Cohen's for two raters, Conger's for more), "cohen",
        "conger", "fleiss" (or "scott"), "gwet" (AC1 if unweighted, AC2 if weighted), "brennan-prediger",
        "krippendorff" and "percent". Missing ratings are handled by Gwet's method, and for Krippendorff's alpha by
        Krippendorff's definition.
    group_size : int
        Number of raters who must agree at a time (Conger's g), default 2. Larger groups are available for the
        unweighted coefficients "conger" and "percent".
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.
    level : float
        Confidence level of the interval, default 0.95.
    interval : {"auto", "adjusted", "exact", "normal"}
        Method for the confidence interval, default "auto":

        - "adjusted": the normal interval after about two pseudo-subjects (four for two raters and two categories) are
          added to the table, which covers the coefficient of the population close to its level also if agreement is
          high, a category is rare or there are few subjects;
        - "exact": for Cohen's kappa of two raters and two categories, and up to 100 subjects, an interval that is
          proven to cover at least as often as its level says; it is wider and takes up to some seconds;
        - "normal": the value -+ a quantile of the normal or t distribution times the standard error, which then often
          covers too rarely;
        - "auto": "adjusted" up to 10,000 different patterns of ratings or clusters; "normal" for more, or if `method`
          is given or `inference` is not "subjects".
    method : str
        Method for the standard error, default "auto"; see `standard_error`. The method "null" is not accepted because
        it gives no confidence interval.
    inference : {"subjects", "raters", "both"}
        The random sample, default "subjects"; "raters" and "both" are for conclusions about a population of raters. See
        `standard_error`.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, such as the patient of a lesion, or an array with one
        entry per subject. Subjects of a cluster may be alike, so the standard error and the interval are those for a
        sample of clusters; the value is the same. By default, the clusters that a Table has.

    Returns
    -------
    Agreement
        Value, standard error, confidence interval, and observed and expected agreement.

    Raises
    ------
    UndefinedKappaError
        If all raters used a single category, or only categories between which the weights are zero.
    InvalidWeightsError
        If the weights need an order of the categories that is not known.
    NotSupportedError
        If the method is "null", if the interval is "exact" and the ratings are not a complete 2 x 2 table of up to
        100 independent subjects or the coefficient is not Cohen's kappa, or if `standard_error` does not support the
        method.

    Examples
    --------
    >>> import kappamax as km
    >>> km.agreement(km.from_counts([[20, 5], [10, 15]]), coefficient="percent").value
    0.7
    """
    if method == "null":
        raise NotSupportedError(
            "the null standard error holds only if the raters are independent, so it gives no confidence interval; "
            "use method 'auto' or 'jackknife' for an interval, and value_test(..., method='null') to test kappa = 0."
        )
    objective = as_objective(
        *ratings,
        weights=weights,
        coefficient=coefficient,
        group_size=group_size,
        categories=categories,
        cluster=cluster,
    )
    table, score = objective.table, objective.score
    value = objective.value(score)
    error = standard_error(objective, method=method, inference=inference)
    chosen = "normal" if interval == "auto" and method != "auto" else interval
    ci, ci_method = confidence_interval(objective, error, level=level, method=chosen)
    return Agreement(
        coefficient=objective.coefficient.name,
        title=objective.coefficient.title,
        weights=objective.weights.name,
        value=value,
        exact=objective.exact_value(score),
        observed_agreement=1 - float(objective.observed(score)),
        expected_agreement=1 - float(objective.expected),
        se=error.se,
        se_method=error.method,
        ci=ci,
        ci_method=ci_method,
        level=level,
        n_subjects=table.n_subjects,
        n_raters=table.n_raters,
        n_categories=table.n_categories,
        n_clusters=None if table.clusters is None else table.clusters.n_clusters,
        inference=error.inference,
        notes=(*objective.weights.notes, *_notes_about(error.se, ci_method)),
        _data=table.data,
    )


@dataclass(frozen=True, repr=False)
class Agreement(Result):
    """Coefficient of agreement with its standard error and confidence interval, unrounded.

    ``float(result)`` returns the value.

    Attributes
    ----------
    coefficient, title : str
        Short name of the coefficient, and its name as a title.
    weights : str
        Name of the weights.
    value : float
        Observed coefficient.
    exact : Fraction or None
        Observed coefficient as a fraction; None if it is irrational or if the weights are not exact.
    observed_agreement, expected_agreement : float
        Weighted observed agreement p_o and expected agreement p_e.
    se : float or None
        Standard error; None where it cannot be estimated, for example from a single subject.
    se_method : str
        Method by which the standard error was computed.
    ci : tuple of two floats, or None
        Confidence interval, whose upper limit is at most 1; None where `ci_method` is "normal" and the standard error
        cannot be estimated.
    ci_method : {"adjusted", "exact", "normal"}
        Method by which the confidence interval was computed; see `agreement`.
    level : float
        Confidence level of the interval.
    n_subjects, n_raters, n_categories : int
        Numbers of subjects, raters and categories.
    notes : tuple of str
        Notes about the weights, and about a standard error of zero.
    n_clusters : int or None
        Number of clusters of subjects; None if the subjects are independent.
    inference : {"subjects", "raters", "both"}
        The random sample that the standard error and the interval suppose.
    """

    coefficient: str
    title: str
    weights: str
    value: float
    exact: Fraction | None
    observed_agreement: float
    expected_agreement: float
    se: float | None
    se_method: str
    ci: tuple[float, float] | None
    ci_method: str
    level: float
    n_subjects: int
    n_raters: int
    n_categories: int
    notes: tuple[str, ...] = ()
    n_clusters: int | None = None
    inference: str = "subjects"

    def __float__(self) -> float:
        return self.value

    def _rows(self) -> list[tuple[str, str]]:
        clusters = "" if self.n_clusters is None else f" in {text.plural(self.n_clusters, 'cluster')}"
        sampled = {"raters": "a sample of raters", "both": "samples of subjects and raters"}
        rows = [
            (f"{self.title}, {self.weights}", numbers.decimal(self.value)),
            (f"{100 * self.level:g}% interval", numbers.interval(self.ci)),
            ("standard error", numbers.decimal(self.se)),
            *((("inference", f"for {words}"),) if (words := sampled.get(self.inference)) else ()),
            ("observed agreement", numbers.decimal(self.observed_agreement)),
            ("expected agreement", numbers.decimal(self.expected_agreement)),
            *self._size_rows(
                f"{text.plural(self.n_subjects, 'subject')}{clusters}, {text.plural(self.n_raters, 'rater')}, "
                f"{self.n_categories} {'category' if self.n_categories == 1 else 'categories'}"
            ),
        ]
        return rows + [("note", note) for note in self.notes]


def _notes_about(se: float | None, ci_method: str) -> tuple[str, ...]:
    """Return the note attached to results whose standard error is zero, which does not mean certainty."""
    if se is None or se > NO_SPREAD:
        return ()
    rest = "the interval says nothing about other subjects" if ci_method == "normal" else "see the interval"
    return (f"the estimated standard error is 0, which does not mean certainty: {rest}",)
