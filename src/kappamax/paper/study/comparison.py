"""Compare a study with the tables and claims of the simulation study of the paper.

Means, standard deviations and 99th percentiles are three families of comparisons, with one comparison per row whose
settings are known. The cut-off of each family is Sidak's at the level 5 %: if all settings are right, the probability
that any row of the family lies beyond it is 5 %. For the 48 rows of the paper, the cut-off is a z of 3.27.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import log
from typing import Any

import numpy as np

from kappamax.display import numbers
from kappamax.paper.study.claims import Claim
from kappamax.paper.study.rows import StudyRow
from kappamax.paper.study.scenarios import PublishedTimes
from kappamax.paper.verdict import Verdict, holds

FAMILY_LEVEL = 0.05
_NORMAL_KURTOSIS = 3.0
_FEWEST_FOR_KURTOSIS = 4  # the sample kurtosis of two values is always 1, and that of three values is always 1.5
#: claims that are known not to hold as stated
_CORRECTED = ("the algorithm yields the maximum", "the results for non-homogeneous margins are very similar")
_NOT_DETERMINED = "the paper does not give the margins of the third rater, and none of those tried fits"


def compare_design(study: Sequence[StudyRow]) -> Iterator[Verdict]:
    """Check how tables are drawn and when a search stops (section 6)."""
    rules = [row.patience == max(10 * row.n_moves, 1000) for row in study]
    yield holds("Section 6", "the rule c = max(10 #M, 1,000) holds in every row of the study", rules)
    differ = []
    for row in study:
        if row.homogeneous:
            drawn = _drawn_margins(row)
            differ.append(float((drawn != drawn[:, :1]).any(axis=(1, 2)).mean()) > 0.5)
    yield holds("Section 6", "the margins of most tables differ even if their expectations are equal", differ)


def compare_rows(study: Sequence[StudyRow]) -> Iterator[Verdict]:
    """Compare the three figures of every row of tables 1 to 4."""
    compared = [row for row in study if row.determined]
    bound = cutoff(len(compared))
    shape = _mean_kurtosis(compared)
    for row in study:
        yield from _row(row, bound, shape)


def compare_claims(found: Iterable[Claim]) -> Iterator[Verdict]:
    """Yield a verdict for every claim that was checked."""
    for claim in found:
        if claim.holds:
            yield Verdict(claim.where, claim.claim, "holds", claim.measured, "reproduced")
        elif claim.claim in _CORRECTED:
            yield Verdict(claim.where, claim.claim, "holds", "does not hold", "corrected", claim.measured)
        else:
            yield Verdict(claim.where, claim.claim, "holds", claim.measured, "not reproduced")


def cutoff(n_rows: int) -> float:
    """Return the largest |z| of a reproduced row, by Sidak's rule for this number of rows."""
    from scipy.stats import norm

    return float(norm.isf((1 - (1 - FAMILY_LEVEL) ** (1 / max(1, n_rows))) / 2))


def _row(row: StudyRow, bound: float, shape: float) -> Iterator[Verdict]:
    """Compare the three figures of a row."""
    published = row.scenario.published
    assert published is not None
    number = {(2, True): 1, (3, True): 2, (2, False): 3, (3, False): 4}[row.n_raters, row.homogeneous]
    design = f"{row.weights}, k = {row.n_categories}, N = {row.n_subjects}"
    short = f"below the maximum {numbers.percent(row.below_maximum)}"
    figures = (
        ("mean stopping time", f"{published.mean:,.1f}", f"{row.mean:,.1f}", row.z or 0.0, f", {short}"),
        (
            "standard deviation of the stopping time",
            f"{published.sd:,.1f}",
            f"{row.sd:,.1f}",
            _z_of_sd(row, published, shape),
            "",
        ),
        (
            "99th percentile of the stopping time",
            f"{published.q99:,.0f}",
            f"{row.q99:,.0f}",
            _z_of_quantile(row, published),
            "",
        ),
    )
    for what, theirs, value, z, more in figures:
        status = "reproduced" if abs(z) <= bound else "not reproduced"
        ours = f"{value} (z = {z:+.2f}{more})"
        if row.determined:
            why = None if status == "reproduced" else f"|z| is above {bound:.2f}"
            yield Verdict(f"Table {number}", f"{what}, {design}", theirs, ours, status, why)
        else:
            yield Verdict(f"Table {number}", f"{what}, {design}", theirs, ours, "not determined", _NOT_DETERMINED)


def _drawn_margins(row: StudyRow) -> Any:
    """Return the margins of twenty tables with uniform expected margins, shape (20, r, k)."""
    k, r = row.n_categories, row.n_raters
    cells = np.random.default_rng(1).multinomial(row.n_subjects, np.full(k**r, k**-r), size=20).reshape(-1, *(k,) * r)
    others = [tuple(b + 1 for b in range(r) if b != a) for a in range(r)]
    return np.stack([cells.sum(axis=axes) for axes in others], axis=1)


def _mean_kurtosis(rows: Sequence[StudyRow]) -> float:
    """Return the mean kurtosis of the stopping times of the rows, or that of a normal distribution.

    The latter is used if no row has enough tables for an estimate, and if the estimate is 1, the smallest possible
    kurtosis, for which the standard error of a standard deviation would be zero.
    """
    estimates = [_kurtosis(row) for row in rows if row.n_tables >= _FEWEST_FOR_KURTOSIS]
    shape = float(np.mean(estimates)) if estimates else _NORMAL_KURTOSIS
    return shape if shape > 1 else _NORMAL_KURTOSIS


def _kurtosis(row: StudyRow) -> float:
    """Return the kurtosis of the stopping times, which is the fourth central moment over the squared variance."""
    deviations = row.steps - row.steps.mean()
    second = float((deviations**2.0).mean())
    return float((deviations**4.0).mean()) / second**2 if second else _NORMAL_KURTOSIS


def _z_of_sd(row: StudyRow, published: PublishedTimes, shape: float) -> float:
    """Return the log ratio of two standard deviations divided by its standard error.

    Its variance is (kurtosis - 1) / 4 times the sum of 1 / n. The mean kurtosis of all rows is used, because the
    estimate from a single row is imprecise. If all stopping times of the row are equal, the log ratio does not exist,
    and 0 is returned.
    """
    if row.sd == 0:
        return 0.0
    error = ((shape - 1) / 4 * (1 / row.n_tables + 1 / published.n_tables)) ** 0.5
    return float(log(row.sd / published.sd) / error)


def _z_of_quantile(row: StudyRow, published: PublishedTimes) -> float:
    """Return the z for the number of our stopping times beyond the published percentile, with the same p-value.

    The published percentile is the order statistic m of n tables (990 of 1,000). If both samples come from the same
    continuous distribution, the number beyond it is beta-binomial with parameters n - m + 1 and m.
    """
    from scipy.stats import betabinom, norm

    order = int(0.99 * (published.n_tables - 1)) + 1
    law = betabinom(row.n_tables, published.n_tables - order + 1, order)
    beyond = int((row.steps > published.q99).sum())
    above, below = float(law.sf(beyond - 1)), float(law.cdf(beyond))
    sign = 1 if above < below else -1
    return sign * float(norm.isf(min(0.5, above, below)))
