"""Compute intraclass correlations from the table of ratings that kappa is computed from.

Each of the six coefficients of Shrout and Fleiss is (S - E) / (S + D) with the mean square S of the subjects, a mean
square E of the error, and the rest D of the denominator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, isinf
from typing import Any

from kappamax._result import Result, TableResult
from kappamax._validate import as_choice, as_number_between
from kappamax.analysis_of_variance import Scale, SumsOfSquares, scale_of
from kappamax.display import numbers, text
from kappamax.errors import Advice, NotSupportedError
from kappamax.io import Ratings, as_table
from kappamax.table import Label, Table
from kappamax.variance_ratios import VarianceRatio, as_double

#: names of the coefficients by Shrout and Fleiss, and those by McGraw and Wong
NAMES = {
    "ICC(1,1)": "ICC(1)",
    "ICC(2,1)": "ICC(A,1)",
    "ICC(3,1)": "ICC(C,1)",
    "ICC(1,k)": "ICC(k)",
    "ICC(2,k)": "ICC(A,k)",
    "ICC(3,k)": "ICC(C,k)",
}
SCALES = ("values", "ranks", "positions")


def icc(
    *ratings: Ratings,
    positions: Sequence[float | Fraction] | None = None,
    level: float = 0.95,
    categories: Sequence[Label] | None = None,
) -> IntraclassCorrelations:
    """Compute the intraclass correlations of Shrout and Fleiss, with F tests and confidence intervals.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects, without missing ones. A frame has one column per rater; arrays have one entry per
        subject.
    positions : sequence of numbers, optional
        Position of each category on the scale, in the order of the categories. By default, the values of categories
        that are numbers, and the ranks 1, 2, ... of ordered text.
    level : float
        Confidence level of the intervals, default 0.95.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings. Required for text
        labels if there are no positions, because the order of text labels is not known.

    Returns
    -------
    IntraclassCorrelations
        The six coefficients, the mean squares, and quadratic kappa and Krippendorff's alpha over the same positions.

    Raises
    ------
    NotSupportedError
        If ratings are missing.
    InvalidWeightsError
        If the positions are not one finite number per category, all different.
    InvalidOptionError
        If there are three or more categories that are neither numbers nor ordered and no positions, or the level does
        not lie between 0 and 1.

    See Also
    --------
    kappa : Kappa with quadratic weights, of which ICC(2,1) is a function.
    agreement : Krippendorff's alpha, of which with interval weights ICC(1,1) is a function.

    Notes
    -----
    N subjects are rated by r raters (k in the names of the coefficients). With the mean squares MSR of the subjects,
    MSC of the raters, MSE of the error and MSW within subjects, the coefficients of one rating are::

        ICC(1,1) = (MSR - MSW) / (MSR + (r - 1) MSW)
        ICC(2,1) = (MSR - MSE) / (MSR + (r - 1) MSE + r (MSC - MSE) / N)
        ICC(3,1) = (MSR - MSE) / (MSR + (r - 1) MSE)

    ICC(1,k), ICC(2,k) and ICC(3,k) are those of the mean of the r ratings of a subject, k c / (1 + (k - 1) c) with the
    coefficient c of one rating. ICC(1,1) and ICC(2,1) measure absolute agreement. ICC(3,1) measures consistency:
    differences between the means of the raters do not lower it.

    The p-value is that of the test of a coefficient of zero against a positive one by F = MSR / MSW or MSR / MSE. The
    intervals are those of Shrout and Fleiss (1979) and, for ICC(2,1) and ICC(2,k), of McGraw and Wong (1996). They
    assume normally distributed ratings.

    With complete ratings, ICC(2,1) = N q / (N - 1 + q) with quadratic kappa q over the same positions, exactly and for
    any number of raters.

    Examples
    --------
    >>> import kappamax as km
    >>> found = km.icc(km.example("shrout-fleiss"))
    >>> for one in found.coefficients:
    ...     print(one.name, round(one.value, 2), [round(limit, 2) for limit in one.ci])
    ICC(1,1) 0.17 [-0.13, 0.72]
    ICC(2,1) 0.29 [0.02, 0.76]
    ICC(3,1) 0.71 [0.34, 0.95]
    ICC(1,k) 0.44 [-0.88, 0.91]
    ICC(2,k) 0.62 [0.07, 0.93]
    ICC(3,k) 0.91 [0.68, 0.99]
    >>> found["ICC(2,1)"].exact
    Fraction(184, 635)
    """
    table = as_table(*ratings, categories=categories)
    level = as_number_between("level", level, 0, 1)
    scale = scale_of(table, positions)
    if not table.complete:
        raise NotSupportedError(
            "intraclass correlations by analysis of variance need complete ratings; "
            f"{text.plural(table.n_incomplete, 'subject')} of {numbers.count(table.n_subjects)} "
            f"{'lacks' if table.n_incomplete == 1 else 'lack'} ratings.",
            advice=[Advice({"complete_only": True}, "to leave these out", "km.from_ratings(ratings, ...)")],
        )
    return _result(table, scale, SumsOfSquares.of(table, scale), level)


@dataclass(frozen=True, repr=False)
class IntraclassCorrelation(Result):
    """One intraclass correlation with its F test and confidence interval.

    ``float(result)`` returns the value.

    Attributes
    ----------
    name : str
        Name by Shrout and Fleiss, such as "ICC(2,1)".
    mcgraw_wong : str
        Name by McGraw and Wong, such as "ICC(A,1)".
    value : float or None
        Value, at most 1 and possibly negative; None where it is undefined.
    exact : Fraction or None
        Value as a fraction; None if it is undefined or the positions are floats that are not close to simple fractions.
    ci : tuple of two floats, or None
        Confidence interval, whose lower limit may be minus infinity; None where there is none.
    statistic : float or None
        F statistic, which is infinite if the error mean square is zero; None if it is 0/0 or there is one subject.
    df1, df2 : int
        Degrees of freedom of the F statistic.
    pvalue : float or None
        P-value of the test of zero against a positive coefficient; None if the statistic is infinite or undefined.
    reason : str or None
        Reason why there is no value, no p-value, no interval or no lower limit; None if there are all of them.
    """

    name: str
    mcgraw_wong: str
    value: float | None
    exact: Fraction | None
    ci: tuple[float, float] | None
    statistic: float | None
    df1: int
    df2: int
    pvalue: float | None
    reason: str | None = None

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data for JSON, in which infinite numbers are null."""
        ends = None if self.ci is None else [_finite(end) for end in self.ci]
        return {name: _finite(value) for name, value in super().to_dict().items()} | {"ci": ends}


@dataclass(frozen=True, repr=False)
class IntraclassCorrelations(TableResult):
    """The six intraclass correlations of Shrout and Fleiss, with quadratic kappa and alpha over the same positions.

    ``result["ICC(2,1)"]`` returns one coefficient; the names of McGraw and Wong, such as "ICC(A,1)", are accepted too.

    Attributes
    ----------
    coefficients : tuple of IntraclassCorrelation
        ICC(1,1), ICC(2,1), ICC(3,1), ICC(1,k), ICC(2,k) and ICC(3,k).
    level : float
        Confidence level of the intervals.
    scale : {"values", "ranks", "positions"}
        Numbers that the categories stand for: the values of their labels, the ranks of ordered text, or the positions
        that were passed.
    ms_subjects, ms_raters, ms_error, ms_within : float or None
        Mean squares of the subjects (MSR), the raters (MSC), the error (MSE) and within subjects (MSW); MSR and MSE are
        None if there is one subject.
    quadratic_kappa : float or None
        Kappa with quadratic weights over the same positions; None if all ratings are equal.
    interval_alpha : float or None
        Krippendorff's alpha with the interval metric over the same positions; None if all ratings are equal.
    n_subjects, n_raters : int
        Numbers of subjects and raters.
    """

    coefficients: tuple[IntraclassCorrelation, ...]
    level: float
    scale: str
    ms_subjects: float | None
    ms_raters: float
    ms_error: float | None
    ms_within: float
    quadratic_kappa: float | None
    interval_alpha: float | None
    n_subjects: int
    n_raters: int
    _library: str | None = field(default=None, repr=False, compare=False)

    def __getitem__(self, name: str) -> IntraclassCorrelation:
        """Return the coefficient with a name by Shrout and Fleiss or by McGraw and Wong."""
        places = {known.lower(): i for i, pair in enumerate(NAMES.items()) for known in pair}
        return self.coefficients[places[as_choice("name", str(name).replace(" ", ""), places)]]

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data for JSON, in which infinite numbers are null."""
        return {name: value if name == "coefficients" else _finite(value) for name, value in super().to_dict().items()}

    def _columns(self) -> dict[str, Iterable[Any]]:
        ends = [(None, None) if one.ci is None else one.ci for one in self.coefficients]
        fields = ("name", "value", "statistic", "df1", "df2", "pvalue", "reason")
        columns = {name: [getattr(one, name) for one in self.coefficients] for name in fields}
        limits = {"lower": [low for low, _ in ends], "upper": [high for _, high in ends]}
        return {"coefficient": columns.pop("name"), "value": columns.pop("value"), **limits, **columns}

    def _frame_library(self) -> str | None:
        return self._library

    def _rows(self) -> list[tuple[str, str]]:
        header, *rows = self.shown()
        widths = [max(map(len, column)) for column in zip(header[1:], *(row[1:] for row in rows), strict=True)]
        lines = [
            (line[0], "  ".join(f"{cell:>{width}}" for cell, width in zip(line[1:], widths, strict=True)))
            for line in [["", *header[1:]], *rows]
        ]
        return [
            *lines,
            ("scale", self.scale),
            ("quadratic kappa", numbers.decimal(self.quadratic_kappa)),
            ("interval alpha", numbers.decimal(self.interval_alpha)),
            *self._size_rows(f"{text.plural(self.n_subjects, 'subject')}, {text.plural(self.n_raters, 'rater')}"),
            *(("note", f"{note}.") for note in self.reasons()),
        ]

    def shown(self) -> list[list[str]]:
        """Return the header and the rows of a table for readers.

        Returns
        -------
        list of lists of str
            The header, and one row per coefficient.
        """
        rows = [
            [
                one.name,
                numbers.decimal(one.value),
                numbers.interval(one.ci),
                numbers.decimal(one.statistic),
                f"{numbers.count(one.df1)}, {numbers.count(one.df2)}",
                numbers.pvalue(one.pvalue),
            ]
            for one in self.coefficients
        ]
        return [["coefficient", "value", f"{100 * self.level:g}% interval", "F", "df", "p-value"], *rows]

    def reasons(self) -> list[str]:
        """Return the reasons why numbers are undefined, each with the coefficients that it applies to.

        Returns
        -------
        list of str
            Sentences without a full stop.
        """
        named: dict[str, list[str]] = {}
        for one in self.coefficients:
            if one.reason is not None:
                named.setdefault(one.reason, []).append(one.name)
        return [f"{text.conjunction(names)}: {reason}" for reason, names in named.items()]


def _result(table: Table, scale: Scale, squares: SumsOfSquares, level: float) -> IntraclassCorrelations:
    n, r = squares.n_subjects, squares.n_raters
    raters, within = squares.raters / (r - 1), squares.within / (n * (r - 1))
    subjects = error = kappa = alpha = None
    if n > 1:
        subjects, error = squares.subjects / (n - 1), squares.error / ((n - 1) * (r - 1))
    if squares.total:
        expected = (r - 1) * (squares.subjects + squares.error) + r * squares.raters
        kappa = float(1 - r * squares.within / expected)
        alpha = float(1 - (r * n - 1) * within / squares.total)
    if subjects is None or error is None or not squares.total:
        found = _undefined(n, r, "there is one subject" if squares.total else "all ratings are equal")
    else:
        ratios = zip(NAMES.items(), _ratios(n, r, subjects, raters, error, within), strict=True)
        found = [_coefficient(*names, one, level, exact=scale.exact, agreed=not within) for names, one in ratios]
    return IntraclassCorrelations(
        tuple(found),
        level,
        scale.source,
        None if subjects is None else as_double(subjects),
        as_double(raters),
        None if error is None else as_double(error),
        as_double(within),
        kappa,
        alpha,
        n,
        r,
        table.frame_library,
        _data=table.data,
    )


def _undefined(n: int, r: int, cause: str) -> list[IntraclassCorrelation]:
    """Return the six coefficients of ratings for which none is defined."""
    reason = f"{cause}, so the coefficient is undefined"
    df2 = [(n if name.startswith("ICC(1") else n - 1) * (r - 1) for name in NAMES]
    return [
        IntraclassCorrelation(*names, None, None, None, None, n - 1, df, None, reason)
        for names, df in zip(NAMES.items(), df2, strict=True)
    ]


def _ratios(
    n: int, r: int, subjects: Fraction, raters: Fraction, error: Fraction, within: Fraction
) -> Iterator[VarianceRatio]:
    """Yield the six coefficients in the order of `NAMES`."""
    rater_variance, df = (raters - error) / n, (n - 1) * (r - 1)
    interval_df = _satterthwaite(n, r, subjects, raters, error, within)
    for others, share in ((r - 1, r), (0, 1)):  # of one rating, and of the mean of r ratings
        yield VarianceRatio(subjects, within, others * within, n - 1, n * (r - 1), n * (r - 1))
        yield VarianceRatio(subjects, error, others * error + share * rater_variance, n - 1, df, interval_df)
        yield VarianceRatio(subjects, error, others * error, n - 1, df, df)


def _satterthwaite(
    n: int, r: int, subjects: Fraction, raters: Fraction, error: Fraction, within: Fraction
) -> Fraction | None:
    """Return the degrees of freedom of a MSC + b MSE with the a and b of McGraw and Wong (1996), or None if 0/0.

    Their a = r c / (N (1 - c)) with c = ICC(2,1) is (MSR - MSE) / (N MSW), and a MSC + b MSE is MSR. If c is negative,
    so is a, and the degrees of freedom can be less than one.
    """
    if not (within and subjects):
        return None
    a = (subjects - error) / (n * within)
    b = 1 + (n - 1) * a
    return subjects**2 / ((a * raters) ** 2 / (r - 1) + (b * error) ** 2 / ((n - 1) * (r - 1)))


def _coefficient(
    name: str, other: str, ratio: VarianceRatio, level: float, *, exact: bool, agreed: bool
) -> IntraclassCorrelation:
    """Return a coefficient with its test and interval, or the reason why it does not have them."""
    value, ci = ratio.value, ratio.interval(level)
    return IntraclassCorrelation(
        name,
        other,
        None if value is None else as_double(value),
        value if exact else None,
        ci,
        ratio.statistic,
        ratio.df1,
        ratio.df2,
        ratio.pvalue,
        _reason(ratio, ci, agreed=agreed),
    )


def _reason(ratio: VarianceRatio, ci: tuple[float, float] | None, *, agreed: bool) -> str | None:
    """Return why a coefficient has no value, no p-value, no interval or no lower limit; None if it has all of them."""
    undefined, endless = ratio.value is None, ci is not None and ci[0] == -inf and ratio.rest < 0
    if not ratio.subjects:
        same = "subjects have the same mean rating" if ratio.error else "subjects have the same rating by each rater"
        cause = f"all {same}"
    elif not ratio.error:
        cause = f"all raters {'agree' if agreed else 'differ by the same amounts'} on every subject"
    elif undefined or endless:
        cause = "the estimated variance of the raters is negative"
    elif ci is None:
        cause = "the coefficient is negative and leaves the interval less than one degree of freedom"
    else:
        return None
    effects = [
        ("the coefficient is undefined", undefined),
        ("F is undefined", not ratio.error and not ratio.subjects),
        ("F is infinite", not ratio.error and ratio.subjects),
        ("there is no p-value", not ratio.error),
        ("there is no interval", not undefined and ci is None),
        ("the interval has no lower limit", endless),
    ]
    return f"{cause}, so {text.conjunction([words for words, applies in effects if applies])}"


def _finite(number: Any) -> Any:
    return None if isinstance(number, float) and isinf(number) else number
