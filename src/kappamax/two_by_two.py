"""Compute the indices that describe the table of two raters and two categories besides kappa.

With a and d the numbers of subjects that both raters call positive and negative, and b and c those that only the first
and only the second rater calls positive, kappa is determined by three of them (Byrt, Bishop and Carlin 1993):

    kappa = (PABAK - PI^2 + BI^2) / (1 - PI^2 + BI^2),

where PABAK is 2 p_o - 1, PI is the prevalence index (a - d) / N and BI is the bias index (b - c) / N.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt
from typing import Any

from kappamax._result import TableResult
from kappamax._validate import as_number_between
from kappamax.category_agreement import IndexEstimate, frame_columns, specific_agreement
from kappamax.display import numbers, text
from kappamax.errors import InvalidOptionError, InvalidRatingsError, NotSupportedError, UndefinedKappaError
from kappamax.io import Ratings, as_table
from kappamax.kappas import Agreement, agreement
from kappamax.standard_errors import quantile_of
from kappamax.table import Label, Table


def two_by_two_indices(
    *ratings: Ratings,
    positive: Label | None = None,
    categories: Sequence[Label] | None = None,
    level: float = 0.95,
) -> TwoByTwoIndices:
    """Compute PABAK, the prevalence and bias indices, and positive and negative agreement of a 2 x 2 table.

    The first rater is the one of the rows of a table of counts, or of the first column. With a and d the numbers of
    subjects that both raters call positive and negative, b and c those that only the first and only the second rater
    calls positive, and N their sum:

    ===================  =================  =============================================================
    observed agreement   (a + d) / N        share of the subjects on whom the raters agree
    kappa                                   Cohen's kappa
    PABAK                2 (a + d) / N - 1  prevalence-adjusted bias-adjusted kappa
    prevalence index     (a - d) / N        how much more often "positive" is agreed on than "negative"
    bias index           (b - c) / N        how much more often the first rater says "positive"
    positive agreement   2a / (2a + b + c)  share of the "positive" ratings that the other rater confirms
    negative agreement   2d / (2d + b + c)  share of the "negative" ratings that the other rater confirms
    ===================  =================  =============================================================

    Parameters
    ----------
    *ratings : Table, frame, or two arrays of labels
        Ratings of the subjects by two raters. Subjects whom only one of them rated are not used.
    positive : label, optional
        Positive category. By default it is the last category, such as 1 of 0 and 1, or "yes" of "no" and "yes".
    categories : sequence of labels, optional
        Both categories. By default they are taken from the ratings; required if only one of them occurs.
    level : float
        Confidence level of the intervals, default 0.95.

    Returns
    -------
    TwoByTwoIndices
        Every index with its standard error and confidence interval, or the reason why it is undefined.

    Raises
    ------
    NotSupportedError
        If there are more than two raters or categories.
    InvalidRatingsError
        If there is only one category, or if no subject was rated by both raters.
    InvalidOptionError
        If `positive` is not one of the categories.

    See Also
    --------
    specific_agreement : Agreement on each category, for any number of raters and categories.
    category_kappas : Kappa of each category against all others.
    marginal_homogeneity : Test whether the bias index is zero (McNemar's test).

    Notes
    -----
    PABAK (Byrt, Bishop and Carlin 1993) is Brennan and Prediger's coefficient of two categories; it and the observed
    agreement are those of `agreement`. Positive and negative agreement (Cicchetti and Feinstein 1990) are those of
    `specific_agreement`. The intervals of the prevalence and bias indices are those of Bonett and Price (2012) for a
    difference of paired proportions: about one subject is added to each of the two cells before the usual formula is
    applied.

    Examples
    --------
    >>> import kappamax as km
    >>> found = km.two_by_two_indices(km.from_counts([[256, 6], [10, 19]], categories=["negative", "positive"]))
    >>> found.pabak.exact, round(found.pabak.value, 2), round(found.kappa.value, 2)
    (Fraction(259, 291), 0.89, 0.67)
    >>> round(found.positive_agreement.value, 2), round(found.negative_agreement.value, 2)
    (0.7, 0.97)
    """
    table = as_table(*ratings, categories=categories)
    level = as_number_between("level", level, 0, 1)
    _require_two_by_two(table)
    if positive is not None and positive not in table.categories:
        raise InvalidOptionError(f"positive must be one of {text.listing(table.categories)}; got {positive!r}.")
    yes = 1 if positive is None else table.categories.index(positive)
    complete = _rated_by_both(table)
    counts = complete.pair(0, 1).tolist()
    a, b, c, d = (counts[i][j] for i in (yes, 1 - yes) for j in (yes, 1 - yes))
    specific = specific_agreement(complete, level=level).categories
    return TwoByTwoIndices(
        positive=table.categories[yes],
        negative=table.categories[1 - yes],
        both_positive=a,
        first_positive=b,
        second_positive=c,
        both_negative=d,
        observed_agreement=_coefficient(complete, "percent", level),
        kappa=_coefficient(complete, "cohen", level),
        pabak=_coefficient(complete, "brennan-prediger", level),
        prevalence_index=_difference(a, d, complete.n_subjects, level),
        bias_index=_difference(b, c, complete.n_subjects, level),
        positive_agreement=specific[table.categories[yes]],
        negative_agreement=specific[table.categories[1 - yes]],
        level=level,
        n_subjects=complete.n_subjects,
        raters=table.raters,
        notes=_notes(table, complete),
        _library=table.frame_library,
        _data=table.data,
    )


_INDICES = (
    *("observed_agreement", "kappa", "pabak", "prevalence_index", "bias_index"),
    *("positive_agreement", "negative_agreement"),
)


@dataclass(frozen=True, repr=False)
class TwoByTwoIndices(TableResult):
    """Indices of agreement of two raters and two categories; see `two_by_two_indices` for their formulas.

    Attributes
    ----------
    positive, negative : label
        Categories that count as positive and as negative.
    both_positive, first_positive, second_positive, both_negative : int
        Numbers of subjects that both raters, only the first, only the second and neither of them calls positive.
    observed_agreement : IndexEstimate
        Share of the subjects on whom the raters agree.
    kappa : IndexEstimate
        Cohen's kappa.
    pabak : IndexEstimate
        Prevalence-adjusted bias-adjusted kappa, which is Brennan and Prediger's coefficient.
    prevalence_index : IndexEstimate
        Share of subjects whom both call positive minus the share whom both call negative.
    bias_index : IndexEstimate
        Share of subjects whom the first rater calls positive minus the share whom the second one calls positive.
    positive_agreement, negative_agreement : IndexEstimate
        Share of the positive (negative) ratings that the other rater confirms.
    level : float
        Confidence level of the intervals.
    n_subjects : int
        Number of subjects whom both raters rated.
    raters : tuple of str
        Names of the two raters.
    notes : tuple of str
        Note on subjects whom only one rater rated.
    """

    positive: Label
    negative: Label
    both_positive: int
    first_positive: int
    second_positive: int
    both_negative: int
    observed_agreement: IndexEstimate
    kappa: IndexEstimate
    pabak: IndexEstimate
    prevalence_index: IndexEstimate
    bias_index: IndexEstimate
    positive_agreement: IndexEstimate
    negative_agreement: IndexEstimate
    level: float
    n_subjects: int
    raters: tuple[str, ...]
    notes: tuple[str, ...] = ()
    _library: str | None = field(default=None, repr=False, compare=False)

    @property
    def _indices(self) -> dict[str, IndexEstimate]:
        return {name: getattr(self, name) for name in _INDICES}

    def _columns(self) -> dict[str, Iterable[Any]]:
        return frame_columns("index", self._indices)

    def _frame_library(self) -> str | None:
        return self._library

    def _rows(self) -> list[tuple[str, str]]:
        shown = {name: estimate._shown for name, estimate in self._indices.items()}
        named = [("PABAK" if name == "pabak" else name.replace("_", " "), words) for name, words in shown.items()]
        first, second = map(text.rater, self.raters)
        cells = (self.both_positive, self.first_positive, self.second_positive, self.both_negative)
        a, b, c, d = map(numbers.count, cells)
        return [
            *named,
            ("intervals", f"{100 * self.level:g}%"),
            ("positive", repr(self.positive)),
            ("subjects", f"both positive {a}, only {first} {b}, only {second} {c}, both negative {d}"),
            *(("note", note) for note in self.notes),
        ]


def _require_two_by_two(table: Table) -> None:
    """Require two raters and two categories; the errors name the functions for other tables."""
    if table.n_raters != 2:
        raise NotSupportedError(
            f"these indices are for two raters; got {table.n_raters}. Table.select chooses two of them, and "
            "specific_agreement gives the agreement on each category of any number of raters."
        )
    if table.n_categories == 1:
        raise InvalidRatingsError(
            f"these indices need two categories, but all ratings are {table.categories[0]!r}. Pass "
            "categories=[NEGATIVE, POSITIVE]."
        )
    if table.n_categories > 2:
        raise NotSupportedError(
            f"these indices are for two categories; got {table.n_categories}: {text.listing(table.categories)}. "
            "Table.collapse combines all categories but one; specific_agreement and category_kappas give the agreement "
            "on each category."
        )


def _rated_by_both(table: Table) -> Table:
    """Return the table of the subjects whom both raters rated."""
    if table.complete:
        return table
    both = table.n_ratings == 2
    if not both.any():
        raise InvalidRatingsError("no subject was rated by both raters.")
    return table.like(table.patterns[both], table.counts[both])


def _coefficient(table: Table, name: str, level: float) -> IndexEstimate:
    """Return a coefficient of `agreement`, or the reason why it is undefined."""
    try:
        found: Agreement = agreement(table, coefficient=name, level=level)
    except UndefinedKappaError as error:
        return IndexEstimate(None, None, None, None, error.reason)
    return IndexEstimate(found.value, found.exact, found.se, found.ci)


def _difference(more: int, fewer: int, n: int, level: float) -> IndexEstimate:
    """Return the difference of two cells, divided by the number of subjects, with the interval of Bonett and Price.

    They add one subject to each of both cells, for a level of 95%; half a squared normal quantile in all is added here.
    """
    value = Fraction(more - fewer, n)
    se = None if n < 2 else sqrt((Fraction(more + fewer, n) - value**2) / (n - 1))
    quantile = quantile_of((1 + level) / 2, None)
    n_all = n + quantile**2 / 2
    center = (more - fewer) / n_all
    reach = quantile * sqrt(((more + fewer + quantile**2 / 2) / n_all - center**2) / n_all)
    low, high = max(center - reach, -1.0), min(center + reach, 1.0)
    return IndexEstimate(float(value), value, se, (min(low, float(value)), max(high, float(value))))


def _notes(table: Table, complete: Table) -> tuple[str, ...]:
    n_left_out = table.n_subjects - complete.n_subjects
    if n_left_out == 0:
        return ()
    were = "was" if n_left_out == 1 else "were"
    return (f"{text.plural(n_left_out, 'subject')} whom only one rater rated {were} not used",)
