"""Find a table of whole counts near the solution of a linear program.

If no ratings are missing, the amounts of the linear program are rounded down, the ratings that are left over are
matched at random, and the table is improved rater by rater. If ratings are missing, every subject is placed by
`kappamax.maximum.placement`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kappamax._typing import Codes, Floats, Integers
from kappamax.maximum.first_table import improved
from kappamax.maximum.linear_program import POSITIVE_AMOUNT, Relaxation
from kappamax.maximum.placement import placed_table
from kappamax.maximum.problem import CompleteProblem, Problem, Watch
from kappamax.patterns import group_patterns, margins_of

_ATTEMPTS = 12  # attempts to round the solution of a linear program
_MOST_MATCHED = 1_000_000  # largest number of subjects whose ratings are matched

Table = tuple[Codes, Integers]


def rounded_table(
    problem: Problem, patterns: Codes, relaxed: Relaxation, tight: Codes, enough: float, watch: Watch
) -> Table | None:
    """Return the table of least cost found in a few attempts, or None if there is none.

    There is none if the amounts have other margins, or if too many subjects are left over or must be placed.

    Parameters
    ----------
    problem : Problem
        Problem that the linear program belongs to.
    patterns : array, shape (m, r)
        Patterns of the linear program.
    relaxed : Relaxation
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
    if not isinstance(problem, CompleteProblem):
        return placed_table(problem, patterns, relaxed, tight, enough, watch)
    best: Table | None = None
    least = np.inf
    for table in _matched(problem, patterns, relaxed.amounts, watch):
        cost = float(problem.total(*table))
        if cost < least:
            best, least = table, cost
        if watch.over or least <= enough:
            break
    return best


def _matched(problem: Problem, patterns: Codes, amounts: Floats, watch: Watch) -> Iterator[Table]:
    """Yield tables in which the ratings that are left over are matched at random and rearranged rater by rater."""
    rng = np.random.default_rng(0)
    counts = np.floor(amounts + POSITIVE_AMOUNT).astype(np.int64)
    left = problem.margins - margins_of(patterns, counts, problem.n_categories)
    if (left < 0).any() or left[0].sum() > _MOST_MATCHED:
        return
    for _ in range(_ATTEMPTS):
        rest = np.stack([rng.permutation(np.repeat(np.arange(len(own)), own)) for own in left], axis=1)
        whole = np.concatenate([patterns, rest.astype(np.int32)])
        totals = np.concatenate([counts, np.ones(len(rest), dtype=np.int64)])
        start = group_patterns(whole[totals > 0], totals[totals > 0], n_categories=problem.n_categories)
        yield improved(problem, *start, watch)
