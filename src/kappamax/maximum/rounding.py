"""Find a table of whole counts near the solution of a linear program.

If no ratings are missing, the amounts of the linear program are rounded down, the ratings that are left over are
matched at random, and the table is improved rater by rater.

If ratings are missing, there are often as many sets of raters as subjects, and the amounts of most patterns are
fractions. Every subject is then given one of the patterns of its set that have a reduced cost of about zero, and
simulated annealing changes the patterns until every rater uses every category as often as required, or nearly so. The
ratings of the raters who do not are rearranged at least cost.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kappamax._jit import kernel
from kappamax._typing import Codes, Floats, Integers
from kappamax.maximum.first_table import improved, placed_anew
from kappamax.maximum.problem import CompleteProblem, Problem, Watch
from kappamax.patterns import group_patterns, margins_of

_ATTEMPTS = 12  # attempts to round the solution of a linear program
_WHOLE = 1e-6  # amounts this close below a whole number are whole up to the tolerance of the solver
_STEPS = 2_000_000  # steps of one run of simulated annealing, at least
_STEPS_PER_SUBJECT = 500
_STEPS_AT_A_TIME = 200_000  # steps between two checks of the time limit
_HOT, _COLD = 1.0, 0.4  # first and last temperature
_RUNS = 3  # runs of simulated annealing

Table = tuple[Codes, Integers]


def rounded_table(
    problem: Problem, patterns: Codes, amounts: Floats, tight: Codes, enough: float, watch: Watch
) -> Table | None:
    """Return the table of least cost found in a few attempts, or None if the amounts have other margins.

    Parameters
    ----------
    problem : Problem
        Problem that the linear program belongs to.
    patterns, amounts : arrays
        Solution of the linear program.
    tight : array, shape (m, r)
        Patterns with a reduced cost of about zero, which are used if ratings are missing.
    enough : float
        The search ends as soon as the cost is at most this number.
    watch : Watch
        Time limit.

    Returns
    -------
    tuple of arrays or None
        Patterns and counts of the table.
    """
    counts = np.floor(amounts + _WHOLE).astype(np.int64)
    left = problem.margins - margins_of(patterns, counts, problem.n_categories)
    if (left < 0).any():
        return None
    best: Table | None = None
    least = np.inf
    attempts = _matched if isinstance(problem, CompleteProblem) else _annealed
    for table in attempts(problem, patterns, amounts, tight, watch):
        cost = float(problem.total(*table))
        if cost < least:
            best, least = table, cost
        if watch.over or least <= enough:
            break
    return best


def _matched(problem: Problem, patterns: Codes, amounts: Floats, tight: Codes, watch: Watch) -> Iterator[Table]:
    """Yield tables in which the ratings that are left over are matched at random and rearranged rater by rater."""
    rng = np.random.default_rng(0)
    counts = np.floor(amounts + _WHOLE).astype(np.int64)
    left = problem.margins - margins_of(patterns, counts, problem.n_categories)
    for _ in range(_ATTEMPTS):
        rest = np.stack([rng.permutation(np.repeat(np.arange(len(own)), own)) for own in left], axis=1)
        whole = np.concatenate([patterns, rest.astype(np.int32)])
        totals = np.concatenate([counts, np.ones(len(rest), dtype=np.int64)])
        start = group_patterns(whole[totals > 0], totals[totals > 0], n_categories=problem.n_categories)
        yield improved(problem, *start, watch)


def _annealed(problem: Problem, patterns: Codes, amounts: Floats, tight: Codes, watch: Watch) -> Iterator[Table]:
    """Yield tables in which every subject has a tight pattern, apart from a few."""
    support = patterns[amounts > _WHOLE]
    candidates = np.unique(np.concatenate([support, tight]), axis=0)
    candidates = candidates[np.argsort(candidates[:, -1], kind="stable")]
    n_sets, k = len(problem.sets), problem.n_labels
    first = np.searchsorted(candidates[:, -1], np.arange(n_sets + 1))
    size = int(problem.sets.sum(axis=1).max())
    raters = np.full((n_sets, size), -1, dtype=np.int64)
    for index, members in enumerate(problem.sets):
        raters[index, : members.sum()] = np.flatnonzero(members)
    codes = np.where(
        raters[candidates[:, -1]] >= 0, np.take_along_axis(candidates, raters[candidates[:, -1]], axis=1), 0
    )
    start = _first_choices(problem, candidates, patterns, amounts)
    sets = candidates[start, -1].astype(np.int64)
    n_steps = max(_STEPS, _STEPS_PER_SUBJECT * len(start))
    run = kernel(_anneal, work=n_steps, worth=10_000)
    for seed in range(_RUNS):
        choice = start.copy()
        excess = margins_of(candidates, np.bincount(choice, minlength=len(candidates)), problem.n_categories)
        excess = (excess - problem.margins)[:-1, :k].copy()
        rng = np.random.default_rng(seed)
        done = 0
        while done < n_steps and excess.any() and not watch.over:
            warm, cool = (_HOT * (_COLD / _HOT) ** (at / n_steps) for at in (done, done + _STEPS_AT_A_TIME))
            seeds = rng.integers(0, 2**31)
            run(choice, sets, first, codes.astype(np.int64), raters, excess, warm, cool, _STEPS_AT_A_TIME, seeds)
            done += _STEPS_AT_A_TIME
        found = group_patterns(candidates[choice], None, n_categories=problem.n_categories)
        for rater in np.flatnonzero(excess.any(axis=1)).tolist():
            if watch.over:
                return
            found = placed_anew(problem, *found, rater)
        yield improved(problem, *found, watch) if excess.any() else found


def _first_choices(problem: Problem, candidates: Codes, patterns: Codes, amounts: Floats) -> Integers:
    """Return the position of a candidate for every subject, as often as the linear program uses it, up to one."""
    at = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(candidates))}
    used = np.zeros(len(candidates))
    for row, amount in zip(np.ascontiguousarray(patterns), amounts, strict=True):
        if amount > _WHOLE:
            used[at[row.tobytes()]] = amount
    choices = []
    for index, n_subjects in enumerate(problem.set_sizes):
        own = np.flatnonzero(candidates[:, -1] == index)
        whole = np.floor(used[own] + _WHOLE).astype(np.int64)
        order = np.argsort(whole - used[own], kind="stable")
        extra = order[np.arange(max(0, n_subjects - int(whole.sum()))) % len(own)]
        choices.append(np.concatenate([np.repeat(own, whole), own[extra]]))
    return np.concatenate(choices)


def _anneal(choice, sets, first, codes, raters, excess, hot, cold, n_steps, seed):  # type: ignore[no-untyped-def]  # compiled by numba
    """Change the patterns of subjects by simulated annealing, which minimises the sum of the squared excess.

    `excess[a, j]` is the number of ratings j of rater a beyond the required number. `choice` and `excess` are changed
    in place. The search ends early if there is no excess.
    """
    np.random.seed(seed)  # noqa: NPY002  # numba supports no other generator by seed
    total = (excess * excess).sum()
    for step in range(n_steps):
        if total == 0:
            break
        temperature = hot + (cold - hot) * step / n_steps
        subject = np.random.randint(len(choice))  # noqa: NPY002
        one = sets[subject]
        here = choice[subject]
        there = first[one] + np.random.randint(first[one + 1] - first[one])  # noqa: NPY002
        change = 0
        for x in range(raters.shape[1]):
            a = raters[one, x]
            if a >= 0 and codes[here, x] != codes[there, x]:
                change += 2 - 2 * excess[a, codes[here, x]] + 2 * excess[a, codes[there, x]]
        if change <= 0 or np.random.random() < np.exp(-change / temperature):  # noqa: NPY002
            for x in range(raters.shape[1]):
                a = raters[one, x]
                if a >= 0:
                    excess[a, codes[here, x]] -= 1
                    excess[a, codes[there, x]] += 1
            choice[subject] = there
            total += change
