"""A study in; what the paper says about it in words, each sentence with what was measured, out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np

from kappamax._result import Result
from kappamax.annealing.schedules import Constant, Geometric, Linear, Logarithmic, Schedule
from kappamax.annealing.search import anneal
from kappamax.display import numbers
from kappamax.study.rows import StudyRow
from kappamax.study.run import Study, run_study
from kappamax.study.scenarios import Scenario
from kappamax.table import Table

__all__ = ["Claim", "check_claims", "cooling_scenarios"]

_SIMILAR = 0.1
_SCHEDULES: tuple[Schedule, ...] = (Geometric(), Geometric(5, 0.75), Geometric(1, 0.98), Linear(1, 100), Constant(0))
_SLOW = Logarithmic(1.0)
_SLOW_STEPS = 100_000
_TIMED = ((10, 2, 1.0), (4, 3, 1.0), (17, 2, 10.0), (6, 3, 10.0))


def check_claims(study: Study, *, n_jobs: int | None = None) -> tuple[Claim, ...]:
    """Set the paper's sentences about its study beside what was measured.

    Parameters
    ----------
    study : Study
        Of the paper's scenarios, or some of them; sentences about rows that are not in it are left out.
    n_jobs : int, optional
        Processes for the simulations about cooling, which are run with the study's seed and number of tables.
    """
    cooling = run_study(cooling_scenarios(), n_tables=study.n_tables, seed=study.seed, n_jobs=n_jobs)
    claims = [_cooling(cooling), _linear_fastest(study.rows), _margins_alike(study.rows), *_times()]
    return tuple(claim for claim in claims if claim is not None)


@dataclass(frozen=True, repr=False)
class Claim(Result):
    """A sentence of the paper and what was found.

    Attributes
    ----------
    claim : str
        The sentence, shortened.
    holds : bool
        Whether `measured` bears it out, by the rule that `measured` states.
    measured : str
        What was found, in words and numbers.
    """

    claim: str
    holds: bool
    measured: str


def cooling_scenarios() -> tuple[Scenario, ...]:
    """Two designs and three weightings, each with every form of cooling; last the one that cools too slowly to stop."""
    designs = (Scenario(5, n_subjects=100), Scenario(3, n_raters=3, n_subjects=100))
    made = [
        replace(design, weights=weights, schedule=schedule)
        for schedule, design, weights in product((*_SCHEDULES, _SLOW), designs, ("quadratic", "linear", "sqrt"))
    ]
    return tuple(replace(one, max_steps=_SLOW_STEPS) if one.schedule == _SLOW else one for one in made)


def _cooling(study: Study) -> Claim:
    groups: dict[Any, list[StudyRow]] = {}
    for row in study:
        groups.setdefault((row.n_raters, row.weights), []).append(row)
    spread, unfinished = 0.0, []
    for rows in groups.values():
        fast = [row.mean for row in rows if row.scenario.schedule != _SLOW]
        spread = max(spread, max(fast) / min(fast) - 1)
        unfinished += [float((row.steps == row.scenario.limit).mean()) for row in rows if row.scenario.limit]
    below = max(row.below_maximum for row in study if row.scenario.schedule != _SLOW)
    return Claim(
        "the form of the cooling does not affect the performance",
        spread <= _SIMILAR,
        f"among {len(_SCHEDULES)} schedules that cool within some hundred steps, one without any temperature included, "
        f"mean stopping times differ by at most {numbers.percent(spread)} (similar: up to "
        f"{numbers.percent(_SIMILAR)}) and at most {numbers.percent(below)} of searches end below the maximum; a "
        f"temperature that falls like 1 / log(b) leaves {numbers.percent(min(unfinished))} to "
        f"{numbers.percent(max(unfinished))} of searches running after {numbers.count(_SLOW_STEPS)} steps",
    )


def _linear_fastest(rows: Sequence[StudyRow]) -> Claim | None:
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
    pairs = _by(rows, "n_raters", "weights", "n_categories", "n_subjects")
    ratios = []
    for group in pairs:
        means = {row.homogeneous: row.mean for row in group}
        if len(means) == 2:
            ratios.append(means[False] / means[True])
    if not ratios:
        return None
    alike = sum(abs(ratio - 1) <= _SIMILAR for ratio in ratios)
    return Claim(
        "the results for non-homogeneous margins are very similar",
        alike == len(ratios),
        f"mean stopping times are {min(ratios):.2f} to {max(ratios):.2f} times those of homogeneous margins; "
        f"{alike} of {len(ratios)} differ by at most {numbers.percent(_SIMILAR)}",
    )


def _times() -> list[Claim]:
    """Seconds of single searches from uniform random tables, after compiling."""
    slowest: dict[float, list[tuple[int, float]]] = {}
    for k, r, limit in _TIMED:
        codes = np.random.default_rng(1).integers(k, size=(100, r))
        table = Table(codes, np.ones(100, dtype=np.int64), list(range(k)), ordered=True)
        for weights in ("quadratic", "linear", "sqrt"):
            start = perf_counter()
            anneal(table, weights=weights, moves="minimal", rng=1)
            slowest.setdefault(limit, []).append((k**r, perf_counter() - start))
    return [
        Claim(
            f"a search takes less than {limit:g} s up to {cells} cells",
            max(seconds for _, seconds in found) < limit,
            f"at most {max(seconds for _, seconds in found):.2f} s, the exact solver's bound included, for tables of "
            f"{' and '.join(str(size) for size in sorted({size for size, _ in found}))} cells",
        )
        for (limit, found), cells in zip(slowest.items(), (100, 300), strict=True)
    ]


def _by(rows: Sequence[StudyRow], *names: str) -> list[list[StudyRow]]:
    """Rows that share some settings."""
    groups: dict[Any, list[StudyRow]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, name) for name in names), []).append(row)
    return list(groups.values())
