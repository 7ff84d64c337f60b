"""Write the study of coverage: `python -m benchmarks.interval_study` takes some ten minutes on two cores.

The results are written to docs/intervals-study.md and docs/coverage.svg. `--quick` uses few tables and writes nothing.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time

from joblib import Parallel, delayed

from benchmarks.coverage import Cell, enumerated, simulated
from benchmarks.coverage_picture import picture
from benchmarks.interval_page import Results, by_interval, page

DOCS = Path(__file__).parents[1] / "docs"
COEFFICIENTS = ("fleiss", "gwet", "brennan-prediger", "krippendorff", "percent")
DESIGNS = ((5, 5), (3, 5), (5, 3), (3, 3), (2, 5), (2, 3), (5, 2), (3, 2))
WEIGHTINGS = ("unweighted", "linear", "quadratic", "sqrt")
BESIDE = ((3, 3, "linear"), (2, 3, "unweighted"), (2, 3, "linear"), (2, 3, "quadratic"), (2, 5, "linear"))
#: further weightings by the number of categories; with three, circular weights are unweighted and bipolar gwet-ordinal
FURTHER = {
    3: ("gwet-ordinal", "ratio", "power(1.5)", "power(3)"),
    5: ("gwet-ordinal", "ratio", "power(1.5)", "power(3)", "circular", "bipolar"),
}


def tasks(*, quick: bool) -> Iterator[tuple[str, Callable[[], list[Cell]]]]:
    """Yield the parts of the study, each with the name of its section, those that take longest first."""
    for n in (30, 20, 200, 100, 50, 10) if not quick else (8, 10):
        yield "small", partial(enumerated, n, tests=n in (20, 30, 8), bootstrap=n in (20, 8))
    for r, k, weights in BESIDE:
        for n in (20, 50) if not quick else (20,):
            yield "beside", partial(simulated, r, k, weights, n, 500 if not quick else 10, beside=True)
    for r, k in DESIGNS:
        for weights in WEIGHTINGS if k > 2 else ("unweighted",):
            for n in (10, 20, 50, 100, 200) if not quick else (10, 20):
                yield "large", partial(simulated, r, k, weights, n, draws(r, k) if not quick else 20)
    for r, k in ((3, 5), (3, 3), (2, 5), (2, 3)):
        for weights in FURTHER[k]:
            for n in (10, 20, 50, 200) if not quick else (10, 20):
                yield "further", partial(simulated, r, k, weights, n, draws(r, k) if not quick else 20)
    for name in COEFFICIENTS:
        for r, k in ((2, 2), (2, 5), (3, 3)):
            ordinal = ("ordinal",) if name == "krippendorff" else ()  # depends on the ratings
            for weights in ("unweighted", "quadratic", *ordinal) if k > 2 else ("unweighted",):
                for n in (10, 20, 50, 100) if not quick else (20,):
                    n_draws = 500 if not quick else 20
                    yield "others", partial(simulated, r, k, weights, n, n_draws, coefficient=name)


def draws(n_raters: int, k: int) -> int:
    """Number of tables that are drawn from each population."""
    return 2000 if k**n_raters <= 30 else 1000 if k**n_raters <= 300 else 250


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    sections, parts = zip(*tasks(quick=quick), strict=True)
    found: dict[str, list[Cell]] = {name: [] for name in sections}
    seconds = 0.0
    for name, (cells, own) in zip(sections, Parallel(n_jobs=os.cpu_count())(map(delayed(_timed), parts)), strict=True):
        found[name] += cells
        seconds += own
    results = Results(**found)
    text = page(results, seconds / 60)
    print(text)
    if not quick:
        (DOCS / "intervals-study.md").write_text(text, encoding="utf-8")
        (DOCS / "coverage.svg").write_text(picture(_drawn(results.small)), encoding="utf-8")


def _drawn(cells: list[Cell]) -> dict[str, list[float]]:
    """Return the coverages by interval, for the numbers of subjects for which all intervals were computed."""
    rows = by_interval(cells)
    sizes = set.intersection(*({cell.n_subjects for cell in own} for own in rows.values()))
    return {name: [cell.coverage for cell in own if cell.n_subjects in sizes] for name, own in rows.items()}


def _timed(part: Callable[[], list[Cell]]) -> tuple[list[Cell], float]:
    """Return the cells of a part of the study and the processor time that it took, in seconds."""
    start = process_time()
    return part(), process_time() - start


if __name__ == "__main__":
    main()
