"""Test whether raters use the categories equally often.

The margins of raters who use the categories alike differ by chance, and so margins that cap kappa below 1 do not show
by themselves that the raters use the categories differently.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from kappamax._result import Result
from kappamax._semidefinite import regular_part
from kappamax._tolerances import ROUNDING_MARGIN
from kappamax._typing import Array
from kappamax._validate import MOST_DRAWS, as_choice, as_generator, as_whole_number
from kappamax.clustered_margins import cluster_moments
from kappamax.display import numbers, text
from kappamax.errors import NotSupportedError
from kappamax.io import Ratings, as_table
from kappamax.rater_deviations import ComparedRatings, DeviationForm, SameSize, incidence, weighted_product
from kappamax.rating_permutations import permutation_pvalue
from kappamax.table import Label, Table

METHODS = ("auto", "stuart-maxwell", "bhapkar", "hotelling", "permutation")

_ENOUGH_DIFFERENT = 10  # subjects with different ratings for which "auto" relies on the chi-squared distribution
_SPARSE_SPEED = 50  # products of sparse matrices take as long as one addition of whole numbers of any size
_ENOUGH_PER_DF = 50  # subjects per degree of freedom for which "auto" relies on the T2 test of several raters


def marginal_homogeneity(
    *ratings: Ratings,
    method: str = "auto",
    n_draws: int | None = None,
    rng: np.random.Generator | int | None = None,
    cluster: Any = None,
    categories: Sequence[Label] | None = None,
) -> MarginalHomogeneityTest:
    """Test whether the raters use the categories equally often (marginal homogeneity).

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. Subjects with one rating are not used, nor are missing ratings: the ratings of each
        subject are compared with those of the other raters of the same subject.
    method : {"auto", "stuart-maxwell", "bhapkar", "hotelling", "permutation"}
        Test to use, default "auto".

        "stuart-maxwell" compares the differences between the raters' margins with their covariance if the ratings of
        each subject are permuted among its raters. For two raters and two categories it is McNemar's test, and for more
        raters and two categories Cochran's Q.

        "bhapkar" is the Wald test, which estimates the covariance without assuming that the null hypothesis holds. In
        small samples it rejects too often.

        "hotelling" is Hotelling's T2 test, which compares the statistic of "bhapkar", up to a factor, with the F
        distribution instead of the chi-squared distribution. It is the only test for subjects in clusters.

        "permutation" compares the statistic of "stuart-maxwell" with its distribution over all permutations of the
        ratings of each subject among its raters. It is exact for any number of subjects. For two raters and two
        categories it is the exact McNemar test. If there are too many possible margins, the p-value is estimated from
        random permutations.

        "auto" chooses "hotelling" if the subjects are in clusters; for two raters, "stuart-maxwell" if at least 10
        subjects have different ratings; for more raters, "hotelling" if there are at least 50 subjects per degree of
        freedom and its statistic is defined; and "permutation" otherwise.
    n_draws : int, optional
        Number of random permutations where the exact distribution is too large. The default lies between 1,000 and
        100,000, depending on the size of the data.
    rng : int, Generator or None, optional
        Seed or source of randomness of the random permutations. None, the default, draws a fresh seed.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, or an array with one entry per subject. By default,
        the clusters that a Table has.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings. Categories that
        nobody used do not change the result.

    Returns
    -------
    MarginalHomogeneityTest
        Statistic, degrees of freedom and p-value. Where a subject has two ratings but no subject has different ones,
        the p-value is 1.

    Raises
    ------
    NotSupportedError
        If there are too many raters and categories for a covariance matrix, too many random permutations of too many
        ratings are asked for, or the subjects are in clusters and the test assumes that they are independent.

    See Also
    --------
    max_kappa : Find the largest value of kappa that the margins allow.

    Notes
    -----
    The hypotheses differ. "permutation" tests whether the raters are exchangeable given the subject, which implies that
    their margins are equal. "stuart-maxwell" needs no more than equal margins if there are two raters; for more raters
    its covariance holds under exchangeability only. "bhapkar" and "hotelling" need no more than equal margins for any
    number of raters, but many subjects. If ratings are missing, all tests assume that which raters rated a subject does
    not depend on the ratings.

    The p-value of random permutations is (b + 1) / (n_draws + 1), where b is the number of permutations whose statistic
    is at least the observed one. It is never zero and gives a valid test.

    Examples
    --------
    >>> import kappamax as km
    >>> test = km.marginal_homogeneity(km.example("rapallo2022"))
    >>> test.method, round(test.statistic, 4), test.df, round(test.pvalue, 4)
    ('stuart-maxwell', 5.1137, 3, 0.1637)
    """
    table = as_table(*ratings, categories=categories, cluster=cluster)
    method = as_choice("method", method, METHODS)
    if table.clusters is not None and method not in ("auto", "hotelling"):
        raise NotSupportedError(
            f"the test {method!r} assumes independent subjects, but the subjects are in clusters; use 'hotelling'."
        )
    if n_draws is not None:
        n_draws = as_whole_number("n_draws", n_draws, 1, MOST_DRAWS)
    generator = as_generator(rng)
    compared = ComparedRatings.of(table)
    if compared.n_different == 0:
        return _without_differences(table, compared, "stuart-maxwell" if method == "auto" else method)
    form = None
    if table.clusters is not None:
        method = "hotelling"
    elif method not in ("bhapkar", "hotelling"):
        form = DeviationForm.of(compared)
        method = _suited(compared, form.df) if method == "auto" else method
    if form is None or method in ("bhapkar", "hotelling"):
        wald = _wald(table, compared, method)
        if form is None or wald.pvalue is not None:
            return wald
        method = "permutation"  # "auto" does without an undefined statistic
    statistic = float(form.value(compared.deviations()))
    if method == "stuart-maxwell":
        return _result(table, compared, method, statistic, form.df, _chi_squared_tail(statistic, form.df))
    found = permutation_pvalue(compared, form, n_draws, generator)
    return _result(
        table, compared, method, statistic, None, found.pvalue, n_draws=found.n_draws, at_most=found.n_extreme == 0
    )


@dataclass(frozen=True, repr=False)
class MarginalHomogeneityTest(Result):
    """Result of a test of marginal homogeneity.

    Attributes
    ----------
    statistic : float or None
        Test statistic; None where it is undefined, and `reason` says why.
    df : int or None
        Degrees of freedom of the chi-squared distribution, or the first ones of the F distribution, which are the rank
        of the covariance matrix; None for the permutation test and where the statistic is undefined.
    pvalue : float or None
        P-value; None where the statistic is undefined.
    method : {"stuart-maxwell", "bhapkar", "hotelling", "permutation"}
        Method of the test.
    title : str
        Name of the test for display, such as "Stuart-Maxwell test" or "McNemar test".
    n_subjects : int
        Number of subjects with two or more ratings, on which the test is based.
    n_different : int
        Number of these subjects whose ratings are not all equal.
    n_draws : int or None
        Number of random permutations; None if the p-value does not depend on random numbers.
    se : float or None
        Monte Carlo standard error of the p-value; None if it does not depend on random numbers.
    at_most : bool
        Whether the p-value is only an upper bound, because no random permutation had a statistic as large as the
        observed one.
    exchangeability : bool
        Whether the test supposes under the null hypothesis that the raters are exchangeable, and not only that their
        margins are equal: tests of three or more raters other than "bhapkar" and "hotelling".
    reason : str or None
        Reason why the p-value is undefined, or why it is 1 although nothing was compared; None otherwise.
    notes : tuple of str
        Notes on the subjects that were used and on the accuracy of the p-value.
    """

    statistic: float | None
    df: int | None
    pvalue: float | None
    method: str
    title: str
    n_subjects: int
    n_different: int
    n_draws: int | None = None
    se: float | None = None
    at_most: bool = False
    exchangeability: bool = False
    reason: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def pvalue_text(self) -> str:
        """The rounded p-value, or "<= " and a bound if no random permutation was as extreme as the observed ratings."""
        return numbers.pvalue(self.pvalue, at_most=self.at_most)

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            ("test", self.title),
            ("statistic", numbers.decimal(self.statistic)),
            ("df", "" if self.df is None else str(self.df)),
            ("p-value", self.pvalue_text),
            ("permutations", "" if self.n_draws is None else numbers.count(self.n_draws)),
            ("standard error", "" if self.se is None else numbers.small(self.se)),
            ("reason", self.reason or ""),
            *(("note", note) for note in self.notes),
        ]
        size = f"{text.plural(self.n_subjects, 'subject')}, {numbers.count(self.n_different)} with different ratings"
        return [*((name, shown) for name, shown in rows if shown), ("compared", size)]


def _suited(compared: ComparedRatings, df: int) -> str:
    """Return the method that "auto" stands for."""
    if compared.n_raters == 2:
        return "stuart-maxwell" if compared.n_different >= _ENOUGH_DIFFERENT else "permutation"
    return "hotelling" if compared.n_subjects >= _ENOUGH_PER_DF * df else "permutation"


def _wald(table: Table, compared: ComparedRatings, method: str) -> MarginalHomogeneityTest:
    """Return the Wald test of mean deviations of zero: Bhapkar's test or Hotelling's T2 test.

    With the sum z of the deviations of n subjects or clusters and the sum S of their squares, the covariance of z is
    estimated by S - z z' / n, and its form, Bhapkar's statistic, is W = w / (1 - w / n) with w = z' S^- z. Hotelling's
    T2 is (n - 1) / n times W, and (n - q) / (q (n - 1)) T2 has the F distribution with q and n - q degrees of freedom.
    If the rank q is n, then w is n, and W is undefined.
    """
    n: int = compared.n_subjects
    if table.clusters is None:
        total, squares = _moments(compared)
    else:
        total, squares, n = cluster_moments(table, table.clusters)
    part = regular_part(squares)
    if part.rank == 0:  # only with clusters, since some subject has different ratings
        return _result(table, compared, method, 0.0, 0, 1.0, reason="the margins are equal in every cluster")
    below = part.form(total[part.kept][None])
    share = below / n
    if share == 1 if isinstance(share, Fraction) else share > 1 - ROUNDING_MARGIN:
        reason = "the estimated variance of a difference between the raters is zero"
        return _result(table, compared, method, None, None, None, reason=reason)
    statistic, q = float(below / (1 - share)), part.rank
    if method == "bhapkar":
        return _result(table, compared, method, statistic, q, _chi_squared_tail(statistic, q))
    t2 = statistic * (n - 1) / n
    return _result(table, compared, method, t2, q, _f_tail(t2 * (n - q) / (q * (n - 1)), q, n - q))


def _moments(compared: ComparedRatings) -> tuple[Array, Array]:
    """Return the sum of the deviations of the subjects, times their unit, and the sum of their squares.

    If all raters rated all subjects, the differences from the last rater take the place of the deviations. These are
    linear functions of each other, so the form is the same, and the differences have fewer entries. The last rater and
    the last category are left out, since the deviations sum to zero over raters and over categories.
    """
    r, k = compared.n_raters, compared.n_categories
    work = sum(len(one.counts) * _n_entries(one, compared) ** 2 for one in compared.sizes) // _SPARSE_SPEED
    compared.require_feasible((r - 1) * (k - 1), work)
    total, squares = np.zeros(r * k, dtype=object), np.zeros((r * k, r * k), dtype=object)
    for one in compared.sizes:
        values = _signed_uses(one, compared)
        factor = 1 if compared.complete else compared.unit // one.n_ratings
        alone = np.zeros((len(one.counts), 1), dtype=np.int32)
        total += weighted_product(values, incidence(alone, 1), one.counts, one.n_ratings)[:, 0] * factor
        squares += weighted_product(values, values, one.counts, one.n_ratings) * factor**2
    kept = [rater * k + category for rater in range(r - 1) for category in range(k - 1)]
    return total[kept], squares[np.ix_(kept, kept)]


def _n_entries(one: SameSize, compared: ComparedRatings) -> int:
    """Return the largest number of entries of a row of `_signed_uses`."""
    m = one.n_ratings
    return 2 * (m - 1) if compared.complete else m * min(m, compared.n_categories)


def _signed_uses(one: SameSize, compared: ComparedRatings) -> Any:
    """Return the differences from the last rater or, if ratings are missing, m times the deviations of each subject.

    The result is a sparse matrix with one row per pattern and one column per rater and category.
    """
    from scipy.sparse import csr_array

    n, m = one.patterns.shape
    pairs = [(a, b) for a in range(m) for b in ([m - 1] if compared.complete else range(m)) if a != b]
    blocks = one.raters.astype(np.int64) * compared.n_categories
    columns = [blocks[:, a] + one.patterns[:, place] for a, b in pairs for place in (a, b)]
    signs = np.tile(np.repeat([1, -1], n), len(pairs))
    rows = np.tile(np.arange(n), 2 * len(pairs))
    shape = (n, compared.n_raters * compared.n_categories)
    return csr_array((signs, (rows, np.concatenate(columns))), shape=shape)


def _chi_squared_tail(statistic: float, df: int) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(df, statistic))


def _f_tail(statistic: float, df: int, other_df: int) -> float:
    from scipy.special import fdtrc

    return float(fdtrc(df, other_df, statistic))


def _without_differences(table: Table, compared: ComparedRatings, method: str) -> MarginalHomogeneityTest:
    """Return the result for ratings of which no subject has different ones."""
    if compared.n_subjects == 0:
        return _result(table, compared, method, None, None, None, reason="no subject has two or more ratings")
    df = None if method == "permutation" else 0
    reason = "the ratings of every subject are equal, so the margins are equal too"
    return _result(table, compared, method, 0.0, df, 1.0, reason=reason)


def _result(
    table: Table,
    compared: ComparedRatings,
    method: str,
    statistic: float | None,
    df: int | None,
    pvalue: float | None,
    *,
    n_draws: int | None = None,
    at_most: bool = False,
    reason: str | None = None,
) -> MarginalHomogeneityTest:
    se = None if n_draws is None or pvalue is None else (pvalue * (1 - pvalue) / n_draws) ** 0.5
    return MarginalHomogeneityTest(
        statistic,
        df,
        pvalue,
        method,
        _title(method, table.n_raters, compared.n_categories, exact=n_draws is None),
        compared.n_subjects,
        compared.n_different,
        n_draws,
        se,
        at_most,
        exchangeability=table.n_raters > 2 and method not in ("bhapkar", "hotelling"),
        reason=reason,
        notes=tuple(_notes(table, compared, df)),
        _data=table.data,
    )


def _title(method: str, n_raters: int, n_categories: int, *, exact: bool) -> str:
    """Return the usual name of a test."""
    if method == "bhapkar":
        return "Bhapkar test"
    if method == "hotelling":
        return "Hotelling's T2 test"
    if method == "permutation":
        kind = "McNemar" if n_raters == 2 and n_categories == 2 else "permutation"
        return f"exact {kind} test" if exact else "permutation test"
    if n_categories == 2:
        return "McNemar test" if n_raters == 2 else "Cochran's Q test"
    return "Stuart-Maxwell test" if n_raters == 2 else "generalised Stuart-Maxwell test"


def _notes(table: Table, compared: ComparedRatings, df: int | None) -> Iterator[str]:
    """Yield notes on missing ratings and on a covariance matrix of less than full rank."""
    if not table.complete:
        n_single = table.n_subjects - compared.n_subjects
        left_out = f"; {text.plural(n_single, 'subject')} with one rating {'is' if n_single == 1 else 'are'} not used"
        yield (
            "Ratings are missing: each rating is compared with those of the other raters of the same subject"
            f"{left_out if n_single else ''}."
        )
    n_used = int((table.margins.sum(axis=0) > 0).sum())
    full = (table.n_raters - 1) * (n_used - 1)
    if df is not None and compared.n_different and df < full:
        yield (
            f"The covariance matrix has rank {df} instead of {full}, since raters never or hardly differ in some "
            "categories; the rank is used as degrees of freedom."
        )
