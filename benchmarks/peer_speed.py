"""Time the packages that the other benchmarks do not, R's among them.

Both sides take turns. R's calls are timed inside R, without the start of its process; a time includes making the table
or the triples that a package asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import krippendorff
import numpy as np
import pycm
from nltk.metrics.agreement import AnnotationTask
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

import kappamax as km
from benchmarks import r
from benchmarks.speed import Comparison, Run, codes, compare, timed

__all__ = ["comparisons"]

TIMED_IN_R = ("psych", "vcd", "irr")


def comparisons(*, cut: int = 1) -> list[Comparison]:
    """Every case; `cut` divides the sizes."""
    return [*_ten_raters(100_000 // cut), *_slow(10_000 // cut), *_in_r(1_000_000 // cut)]


def _ten_raters(n: int) -> Iterator[Comparison]:
    ratings = np.ascontiguousarray(codes(n, 10).T)
    case = f"10 raters, {n:,} subjects"
    theirs = timed(lambda: fleiss_kappa(aggregate_raters(ratings)[0]))
    yield compare(f"{case}, Fleiss' kappa", _ours(ratings, "fleiss"), "statsmodels (aggregate_raters)", theirs)
    columns = ratings.T.astype(float)
    for level, weights in (("nominal", "unweighted"), ("interval", "quadratic")):
        theirs = timed(lambda level=level: krippendorff.alpha(columns, level_of_measurement=level))
        yield compare(f"{case}, alpha, {level}", _ours(ratings, "krippendorff", weights), "krippendorff", theirs)


def _slow(n: int) -> Iterator[Comparison]:
    both = codes(n, 2)
    first, second = both.tolist()
    triples = [(rater, subject, label) for rater, row in enumerate(both.tolist()) for subject, label in enumerate(row)]
    case = f"two raters, {n:,} subjects"
    ours = timed(lambda: km.kappa(*both), lambda result: result.value)
    yield compare(case, ours, "nltk", timed(lambda: AnnotationTask(triples).kappa()), repetitions=15)
    theirs = timed(lambda: pycm.ConfusionMatrix(first, second), lambda result: float(result.Kappa))
    yield compare(case, ours, "PyCM (all its statistics)", theirs, repetitions=15)


def _in_r(n: int) -> Iterator[Comparison]:
    """Quadratic kappa; nothing where R is absent."""
    present = [package for package in TIMED_IN_R if package in r.versions()]
    if not present:
        return
    both = codes(n, 2)
    ours = timed(lambda: km.kappa(*both, weights="quadratic"), lambda result: result.value)
    with r.timer(both.T) as call:
        for package in present:
            peer = f"R {package}" + (" (table)" if package == "vcd" else "")
            yield compare(f"two raters, {n:,} subjects, quadratic", ours, peer, call(package), repetitions=7)


def _ours(ratings: Any, coefficient: str, weights: str = "unweighted") -> Run:
    return timed(
        lambda: km.agreement(km.from_ratings(ratings), coefficient=coefficient, weights=weights),
        lambda result: result.value,
    )
