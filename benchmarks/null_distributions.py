"""Measure which sizes of studies have an exact test: `python -m benchmarks.null_distributions`.

Each row is a design with equal margins. The recursion over subjects is timed after its loops are compiled. Beside it,
in the same run, stands the counting of arrangements over all states, where it takes at most 3 x 10^9 additions.
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np

import kappamax as km
from benchmarks.markdown import table as markdown_table
from kappamax._typing import Floats
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError
from kappamax.fibers.limits import MEMORY_LIMIT
from kappamax.fibers.null_distribution import EXACT_WORK
from kappamax.fibers.subject_scores import SubjectScores
from kappamax.fibers.table_scores import TableScores

#: number of raters, of categories and of subjects
DESIGNS = (
    *((2, 2, 500), (2, 3, 300), (2, 4, 120), (2, 4, 200), (2, 5, 60), (2, 5, 100), (2, 5, 150)),
    *((2, 6, 60), (2, 7, 42), (2, 10, 30), (3, 2, 200), (3, 3, 45), (3, 3, 75), (3, 4, 24), (4, 2, 60)),
)
WEIGHTS = ("unweighted", "linear", "quadratic")
_MOST_COUNTED = 3e9
_COUNTING_MEMORY = 6e9


def measured(raters: int, categories: int, subjects: int, weights: str) -> list[str]:
    """Return the row of one design: what the recursion takes, what counting takes, and whether "auto" is exact."""
    table = _table(raters, categories, subjects)
    objective = as_objective(table, weights=weights)
    name = [f"{raters}", f"{categories}", f"{table.n_subjects}", weights]
    try:
        space = SubjectScores(objective, 4e9)
        start = perf_counter()
        work = space.work(2 * EXACT_WORK)
        if work > 2 * EXACT_WORK:
            return [*name, f"{work:.1e}", "", "", "", "no"]
        found = space.tally()
        seconds = perf_counter() - start
    except NotSupportedError:
        return [*name, "", "", "", "", "no"]
    n_bytes = space.n_bytes
    exact = work <= EXACT_WORK and n_bytes <= MEMORY_LIMIT
    row = [*name, f"{work:.1e}", f"{seconds:.2f}", f"{n_bytes / 1e6:,.0f} MB"]
    return [*row, _ratio(objective, found.probabilities, seconds), "yes" if exact else "no"]


def _ratio(objective: Objective, probabilities: Floats, seconds: float) -> str:
    """Return how many times longer counting takes, or the reason why it was not run."""
    try:
        counted = TableScores([objective], _COUNTING_MEMORY)
        if counted.work(_MOST_COUNTED) > _MOST_COUNTED:
            return "not run"
        start = perf_counter()
        found = counted.tally().probabilities
    except NotSupportedError:
        return "memory"
    assert np.allclose(found, probabilities, rtol=1e-11, atol=0)
    return f"{(perf_counter() - start) / seconds:.1f}"


def _table(raters: int, categories: int, subjects: int) -> km.Table:
    each = np.repeat(np.arange(categories), subjects // categories)
    rng = np.random.default_rng(1)
    return km.from_ratings(np.stack([rng.permutation(each) for _ in range(raters)], axis=1))


def main() -> None:
    """Print the table."""
    measured(2, 5, 20, "linear")  # compiles the loops
    header = ["raters", "categories", "subjects", "weights", "additions", "seconds", "memory", "counting / recursion"]
    rows = []
    for design in DESIGNS:
        for weights in WEIGHTS:
            rows.append(measured(*design, weights))
            print(*rows[-1], file=sys.stderr, flush=True)
    print(markdown_table([*header, "exact by default"], rows))


if __name__ == "__main__":
    main()
