"""Search for the number of subjects whose simulated studies reach a goal."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, sqrt

import numpy as np

from kappamax.planning.formula import MOST_SUBJECTS
from kappamax.planning.goals import Goal, SimulatedStudies
from kappamax.planning.simulation import Simulator

_FIRST_RATIO = 1.2  # ratio of the first sizes that are tried
_RESOLUTION = 0.01  # relative width of the bracket below which bisection stops and a line is fitted
_FITTED_SHARE = 0.7
_SMALL_STUDY = 30
_EXPECTED_TRIALS = 12
_MOST_CORRECTIONS = 40


def search(goal: Goal, simulator: Simulator, start: int) -> tuple[int | None, float | None, SimulatedStudies]:
    """Return the smallest N whose simulated studies reach a goal, its Monte Carlo error, and those studies.

    Sizes around `start` are tried until one of them falls short of the goal and another one reaches it. This bracket is
    bisected until its relative width is at most 0.01. Because single trials are too noisy, N is then obtained from a
    line that is fitted to all trials near the bracket.

    Parameters
    ----------
    goal : WidthGoal or PowerGoal
        The goal to reach.
    simulator : Simulator
        Simulator of studies.
    start : int
        First number of subjects to try.

    Returns
    -------
    n_subjects : int or None
        Number of subjects; None if it would exceed `MOST_SUBJECTS`.
    error : float or None
        Monte Carlo standard error of the number of subjects; None if it could not be estimated.
    studies : SimulatedStudies
        Results of the studies with this number of subjects.
    """
    simulator.planned = _EXPECTED_TRIALS * simulator.n_draws
    trials: dict[int, float] = {}

    def reached(n: int) -> bool:
        trials[n] = goal.scaled(goal.studies(simulator, n))[0]
        return trials[n] >= goal.target

    low, high = _bracket(reached, max(2, start))
    if high > MOST_SUBJECTS:
        return None, None, goal.studies(simulator, low)
    while high - low > max(1, _RESOLUTION * high):
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    fitted, slope = _fitted(trials, goal.target, low, high)
    # the relation is not linear for few subjects, so N is found by bisection
    n = high if high <= _SMALL_STUDY else fitted
    for _ in range(_MOST_CORRECTIONS):
        studies = goal.studies(simulator, n, whole=True)
        found, error = goal.scaled(studies)
        if found >= goal.target - 2 * error:
            break
        n = max(n + 1, ceil(n * (1 + _RESOLUTION)))
    return n, None if slope is None else 2 * sqrt(n) * error / slope, studies


def _bracket(reached: Callable[[int], bool], start: int) -> tuple[int, int]:
    """Return a number of subjects that falls short of the goal (or 1), and a larger number that reaches it."""
    low = high = start
    step = _FIRST_RATIO
    if reached(start):
        while low > 1:
            high, low = low, max(1, int(low / step))
            if low == 1 or not reached(low):
                return low, high
            step *= step
        return 1, high
    while high <= MOST_SUBJECTS:
        low, high = high, ceil(high * step)
        if reached(high):
            break
        step *= step
    return low, high


def _fitted(trials: dict[int, float], target: float, low: int, high: int) -> tuple[int, float | None]:
    """Return the N at which a line fitted to the trials near a bracket meets the target, and its slope in sqrt(N)."""
    near = [n for n in trials if _FITTED_SHARE * low <= n <= high / _FITTED_SHARE]
    if len(near) < 2:
        return high, None
    x, y = np.sqrt(near), np.array([trials[n] for n in near])
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
    if slope <= 0:
        return high, None
    root = (target - float(y.mean())) / slope + float(x.mean())
    fitted = max(2, ceil(root * root)) if root > 0 else high
    return min(max(fitted, int(_FITTED_SHARE * low)), ceil(high / _FITTED_SHARE)), slope
