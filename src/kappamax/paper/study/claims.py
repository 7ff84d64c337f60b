"""Check the claims of the paper about its simulation study against the results of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from time import perf_counter
from typing import Any

import numpy as np

from kappamax._result import Result
from kappamax.annealing.methods import MoveMethod
from kappamax.annealing.schedules import Constant, Geometric, Linear, Logarithmic, Schedule
from kappamax.annealing.simulated_annealing import anneal
from kappamax.display import numbers
from kappamax.paper.study.rows import StudyRow
from kappamax.paper.study.run import Study, run_study
from kappamax.paper.study.scenarios import Scenario
from kappamax.paper.verdict import random_tables

#: largest relative difference that counts as "does not affect" or "very similar"; the paper gives no number
_SIMILAR = 0.1
_SCHEDULES: tuple[Schedule, ...] = (Geometric(), Geometric(5, 0.75), Geometric(1, 0.98), Linear(1, 100), Constant(0))
_SLOW = Logarithmic(1.0)
_SLOW_STEPS = 100_000
_TIMED = ((10, 2), (4, 3), (17, 2), (6, 3))


def check_claims(study: Study, *, n_jobs: int | None = None) -> tuple[Claim, ...]:
    """Check the claims of the paper about its simulation study against the results of a study.

    Parameters
    ----------
    study : Study
        A study of all or some scenarios of the paper. Claims about scenarios that are not in the study are left out,
        and so are rows whose margins the paper does not give.
    n_jobs : int, optional
        Number of processes for the simulations about cooling, which use the seed and the number of tables of the study.
        None, the default, uses the setting of `joblib.parallel_config`, or one process.

    Returns
    -------
    tuple of Claim
        The claims with the verdicts on them.
    """
    cooling = run_study(cooling_scenarios(), n_tables=study.n_tables, rng=study.seed, n_jobs=n_jobs)
    return claims_from(study.rows, cooling.rows, search_seconds())


def claims_from(
    rows: Sequence[StudyRow], cooling: Sequence[StudyRow], seconds: Mapping[int, float]
) -> tuple[Claim, ...]:
    """Check the claims from the rows of a study, the rows of `cooling_scenarios`, and the times of `search_seconds`.

    Rows whose margins the paper does not give are left out.
    """
    known = [row for row in rows if row.determined]
    claims = [
        *(_cooling(cooling), _reaches_maximum(known), _quick(seconds, 100, 1.0), _quick(seconds, 300, 10.0)),
        *(_grows(known, "n_subjects", "N"), _grows(known, "n_categories", "k"), _grows_faster(known)),
        *(_linear_fastest(known), _margins_alike(known)),
    ]
    return tuple(claim for claim in claims if claim is not None)


@dataclass(frozen=True, repr=False)
class Claim(Result):
    """Claim of the paper with the result of checking it.

    Attributes
    ----------
    claim : str
        Claim in the words of the paper, shortened.
    holds : bool
        Whether the measured results support the claim, by the rule stated in `measured`.
    measured : str
        Measured results in words.
    where : str
        Section of the paper.
    """

    claim: str
    holds: bool
    measured: str
    where: str = "Section 6"


def cooling_scenarios() -> tuple[Scenario, ...]:
    """Return scenarios of two designs with three weightings and several schedules, the last of which cools slowly."""
    designs = (Scenario(5, n_subjects=100), Scenario(3, n_raters=3, n_subjects=100))
    made = [
        replace(design, weights=weights, schedule=schedule)
        for schedule, design, weights in product((*_SCHEDULES, _SLOW), designs, ("quadratic", "linear", "sqrt"))
    ]
    return tuple(replace(one, max_steps=_SLOW_STEPS) if one.schedule == _SLOW else one for one in made)


def search_seconds() -> dict[int, float]:
    """Return the time in seconds of the slowest search from a uniform random table, by number of cells."""
    slowest: dict[int, float] = {}
    for k, r in _TIMED:
        (table,) = random_tables(k, r, 100, size=1)
        for weights in ("quadratic", "linear", "sqrt"):
            start = perf_counter()
            anneal(table, weights=weights, method=MoveMethod(moves="minimal"), rng=1)
            slowest[k**r] = max(slowest.get(k**r, 0.0), perf_counter() - start)
    return slowest


def _cooling(study: Sequence[StudyRow]) -> Claim:
    """Check whether the mean stopping time depends on the schedule."""
    spread, unfinished = 0.0, []
    for rows in _by(study, "n_raters", "weights"):
        fast = [row.mean for row in rows if row.scenario.schedule != _SLOW]
        spread = max(spread, max(fast) / min(fast) - 1)
        unfinished += [float((row.steps == row.scenario.limit).mean()) for row in rows if row.scenario.limit]
    below = max(row.below_maximum for row in study if row.scenario.schedule != _SLOW)
    return Claim(
        "the form of the cooling does not affect the performance",
        spread <= _SIMILAR,
        f"among {len(_SCHEDULES)} schedules that cool within some hundred steps, including one at temperature zero, "
        f"mean stopping times differ by at most {numbers.percent(spread)} (the threshold for similar results is "
        f"{numbers.percent(_SIMILAR)}) and at most {numbers.percent(below)} of searches end below the maximum; a "
        f"temperature that falls like 1 / log(b) leaves {numbers.percent(min(unfinished))} to "
        f"{numbers.percent(max(unfinished))} of searches running after {numbers.count(_SLOW_STEPS)} steps",
        "Section 5",
    )


def _reaches_maximum(rows: Sequence[StudyRow]) -> Claim | None:
    """Check whether all searches attain the maximum."""
    if not rows:
        return None
    short = [row for row in rows if row.n_below]
    words = f"in {len(rows) - len(short)} of {len(rows)} rows every search ends at the proven maximum"
    if short:
        worst = max(short, key=lambda row: row.below_maximum)
        words += f"; at most {numbers.percent(worst.below_maximum)} end below it ({worst.n_raters} raters, "
        words += f"{worst.weights} weights, k = {worst.n_categories}, N = {worst.n_subjects})"
    return Claim("the algorithm yields the maximum", not short, words, "Section 5")


def _quick(seconds: Mapping[int, float], cells: int, limit: float) -> Claim:
    """Check whether searches on tables with up to some number of cells take less than a time limit."""
    smaller = max((size for size in (0, 100) if size < cells), default=0)
    found = {size: time for size, time in seconds.items() if smaller < size <= cells}
    slowest = max(found.values())
    return Claim(
        f"a search takes less than {limit:g} s up to {cells} cells",
        slowest < limit,
        f"at most {slowest:.2f} s, including the bound of the exact solver, for tables of "
        f"{' and '.join(str(size) for size in sorted(found))} cells",
        "Section 5",
    )


def _grows(rows: Sequence[StudyRow], name: str, letter: str) -> Claim | None:
    """Check whether the mean stopping time grows with N or k, all else equal."""
    settings = [one for one in ("n_raters", "homogeneous", "weights", "n_categories", "n_subjects") if one != name]
    steps = []
    for group in _by(rows, *settings):
        means = [row.mean for row in sorted(group, key=lambda row: int(getattr(row, name)))]
        steps += [after / before for before, after in pairwise(means)]
    if not steps:
        return None
    words = {"N": "the sample size", "k": "the dimension of the table"}[letter]
    return Claim(
        f"the time to convergence increases with {words}",
        min(steps) > 1,
        f"from one {letter} of the study to the next, all else equal, mean stopping times grow in "
        f"{sum(step > 1 for step in steps)} of {len(steps)} cases, {min(steps):.2f} to {max(steps):.2f} times",
    )


def _grows_faster(rows: Sequence[StudyRow]) -> Claim | None:
    """Compare the growth of the stopping time from k = 3 to k = 5 between two and three raters."""
    growth: dict[int, list[float]] = {}
    for group in _by(rows, "n_raters", "homogeneous", "weights", "n_subjects"):
        means = {row.n_categories: row.mean for row in group}
        if {3, 5} <= set(means):
            growth.setdefault(group[0].n_raters, []).append(means[5] / means[3])
    if set(growth) != {2, 3}:
        return None
    two, three = growth[2], growth[3]
    return Claim(
        "this is particularly relevant in the three-rater case",
        min(three) > max(two),
        f"from k = 3 to k = 5 mean stopping times grow {min(two):.1f} to {max(two):.1f} times with two raters and "
        f"{min(three):.1f} to {max(three):.1f} times with three",
    )


def _linear_fastest(rows: Sequence[StudyRow]) -> Claim | None:
    """Check whether linear weights have the lowest mean stopping time in most designs."""
    designs = _by(rows, "n_raters", "homogeneous", "n_categories", "n_subjects")
    complete = [means for group in designs if len(means := {row.weights: row.mean for row in group}) == 3]
    if not complete:
        return None
    ratios = [min(means["quadratic"], means["sqrt"]) / means["linear"] for means in complete]
    fastest = sum(ratio > 1 for ratio in ratios)
    return Claim(
        "the algorithm is a bit faster with the linear weights",
        fastest > len(ratios) / 2,
        f"in {fastest} of {len(ratios)} designs linear weights have the lowest mean stopping time; the next is "
        f"{min(ratios):.2f} to {max(ratios):.2f} times as long",
    )


def _margins_alike(rows: Sequence[StudyRow]) -> Claim | None:
    """Check whether homogeneous and non-homogeneous margins have similar mean stopping times."""
    ratios, published = [], []
    for group in _by(rows, "n_raters", "weights", "n_categories", "n_subjects"):
        kinds = {row.homogeneous: row for row in group}
        if len(kinds) == 2:
            ratios.append(kinds[False].mean / kinds[True].mean)
            published.append((kinds[False].published_mean or np.nan) / (kinds[True].published_mean or np.nan))
    if not ratios:
        return None
    alike = sum(abs(ratio - 1) <= _SIMILAR for ratio in ratios)
    return Claim(
        "the results for non-homogeneous margins are very similar",
        alike == len(ratios),
        f"mean stopping times are {min(ratios):.2f} to {max(ratios):.2f} times those of homogeneous margins "
        f"(published: {min(published):.2f} to {max(published):.2f}); {alike} of {len(ratios)} differ by at most "
        f"{numbers.percent(_SIMILAR)}, the threshold for similar results",
    )


def _by(rows: Sequence[StudyRow], *names: str) -> list[list[StudyRow]]:
    """Return the groups of rows that share some settings."""
    groups: dict[Any, list[StudyRow]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, name) for name in names), []).append(row)
    return list(groups.values())
