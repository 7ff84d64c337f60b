"""Write the study of coverage: `python -m benchmarks.interval_study` takes some minutes.

The results are written to docs/intervals-study.md and docs/coverage.svg. `--quick` uses few tables and writes nothing.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
from joblib import Parallel, delayed

from benchmarks import interval_candidates as candidates
from benchmarks.coverage import BOOTSTRAP, BY_FORMULA, BY_TEST, GRID, KAPPAS, MARGINS, Cell, enumerated, simulated
from benchmarks.coverage_picture import picture
from benchmarks.markdown import table as markdown_table

DOCS = Path(__file__).parents[1] / "docs"
COEFFICIENTS = ("fleiss", "gwet", "brennan-prediger", "krippendorff", "percent")


def summary(cells: Sequence[Cell], worst_goal: float) -> str:
    """Return a Markdown table of the intervals: coverage, widths and the worst population."""
    narrowest = min(
        (_mean(own, "width") for own in _by_interval(cells).values() if _covers(own, worst_goal)), default=float("nan")
    )
    rows = []
    for name, own in _by_interval(cells).items():
        worst = min(own, key=lambda cell: cell.coverage)
        width = _mean(own, "width")
        rows.append(
            [
                name,
                f"{100 * _mean(own, 'coverage'):.1f} %",
                f"{100 * worst.coverage:.1f} %" + (f" (error {100 * worst.error:.1f} %)" if worst.error else ""),
                f"{100 * np.mean([cell.coverage < 0.92 for cell in own]):.0f} %",
                f"{width:.3f}",
                f"{width / narrowest:.2f}" if _covers(own, worst_goal) else "",
                f"{len(own):,}",
                worst.name,
            ]
        )
    header = [
        "interval",
        "mean coverage",
        "worst",
        "below 92 %",
        "mean width",
        "of the narrowest",
        "cells",
        "worst cell",
    ]
    return markdown_table(header, rows)


def _covers(own: Sequence[Cell], worst_goal: float) -> bool:
    """Return whether an interval counts as covering: its mean and its worst coverage reach the goals."""
    mean_goal = 0.95 if worst_goal else 0.94
    return _mean(own, "coverage") >= mean_goal and min(cell.coverage for cell in own) >= worst_goal


def _mean(own: Sequence[Cell], name: str) -> float:
    return float(np.mean([getattr(cell, name) for cell in own]))


def _by_interval(cells: Sequence[Cell]) -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        found.setdefault(cell.interval, []).append(cell)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    start = perf_counter()
    sizes = (10, 20) if quick else (10, 20, 30, 50, 100, 200)
    run = Parallel(n_jobs=os.cpu_count())
    small = run(delayed(enumerated)(n, tests=n in (20, 30), bootstrap=n in (20,) and not quick) for n in sizes)
    designs = [
        (r, k, weights, n)
        for r, k in ((3, 2), (5, 2), (2, 3), (3, 3), (5, 3), (2, 5), (3, 5), (5, 5))
        for weights in (("unweighted",) if k == 2 else ("unweighted", "linear", "quadratic", "sqrt"))
        for n in ((10, 20) if quick else (10, 20, 50, 100, 200))
    ]

    def draws(r: int, k: int) -> int:
        return 20 if quick else 2000 if k**r <= 30 else 1000 if k**r <= 300 else 250

    large = run(delayed(simulated)(*design, draws(*design[:2])) for design in designs)
    few = run(
        delayed(simulated)(2, 3, "linear", n, 20 if quick else 500, bootstrap=True)
        for n in ((20,) if quick else (20, 50))
    )
    others = run(
        delayed(simulated)(r, k, weights, n, 20 if quick else 500, coefficient=name)
        for name in COEFFICIENTS
        for r, k in ((2, 2), (2, 5), (3, 3))
        for weights in (("unweighted",) if k == 2 else ("unweighted", "quadratic"))
        for n in ((20,) if quick else (10, 20, 50, 100))
    )
    minutes = (perf_counter() - start) / 60
    flat = [[cell for part in parts for cell in part] for parts in (small, large, few, others)]
    text = _page(*flat, minutes)
    if quick:
        print(text)
        return
    (DOCS / "intervals-study.md").write_text(text, encoding="utf-8")
    rows = _by_interval([cell for cell in flat[0] if cell.n_subjects >= 20])
    drawn = {name: [cell.coverage for cell in own] for name, own in rows.items()}
    (DOCS / "coverage.svg").write_text(picture(drawn), encoding="utf-8")
    print(text)


def _page(small: list[Cell], large: list[Cell], few: list[Cell], others: list[Cell], minutes: float) -> str:
    """Return the page of results."""
    from_20 = [cell for cell in small if cell.n_subjects >= 20]
    both = {cell.n_subjects for cell in small if "exact p" in cell.interval}
    beside = [cell for cell in small if cell.n_subjects in both]
    undefined = max(small, key=lambda cell: cell.undefined)
    by_size = [
        [str(n)]
        + [
            f"{100 * _mean(own, 'coverage'):.1f} % / {100 * min(c.coverage for c in own):.1f} %"
            for own in _by_interval(
                [c for c in small if c.n_subjects == n and c.interval in list(BY_FORMULA)[:2]]
            ).values()
        ]
        for n in sorted({cell.n_subjects for cell in small})
    ]
    names = {}
    for cell in others:
        names.setdefault(cell.interval.split("|")[1], []).append(cell)
    by_name = [
        [
            name,
            *(
                f"{100 * _mean(chosen, 'coverage'):.1f} % / {100 * min(c.coverage for c in chosen):.1f} %"
                for chosen in _by_interval(own).values()
            ),
        ]
        for name, own in names.items()
    ]
    n_populations = len({cell.population for cell in small})
    shares = ", ".join(f"{first:g}/{second:g}" for first, second in MARGINS)

    def sizes(cells: Sequence[Cell]) -> str:
        return ", ".join(map(str, sorted({cell.n_subjects for cell in cells})))

    return f"""# The coverage study

This page is written by `python -m benchmarks.interval_study`, which took {minutes:.0f} minutes on {os.cpu_count()}
cores. [Which interval?](intervals.md) explains what to conclude from it.

A 95 % interval should contain the coefficient of the population in 95 % of all studies, whatever the population is. For
every interval, the tables below show the share of studies in which it does, on average over the populations and in the
worst one. Studies in which the coefficient is undefined, because all ratings are in one category, have no interval and
are left out; they are most frequent, {100 * undefined.undefined:.0f} %, with N = {undefined.n_subjects} and
{undefined.population}. "Of the narrowest" compares the mean width with that of the narrowest interval
that reaches the stated coverage.

## Two raters and two categories

All tables of N subjects are enumerated, so there is no Monte Carlo error, except for the intervals by bootstrap. There
are {n_populations} populations: the shares of the first category are {shares} for the two raters, each with those
values of kappa from {KAPPAS[0]:g} to {KAPPAS[-1]:g} that the margins allow. An interval counts as covering if its mean
coverage is at least 95 % and its worst coverage at least 92 %.

N = {sizes(from_20)}; the bootstrap, with {candidates.N_RESAMPLES} resamples, for N = 20 alone:

{summary([cell for cell in from_20 if cell.interval not in BY_TEST], 0.92)}

N = {sizes(beside)}, beside intervals by inversion of tests, whose widths are measured on a grid of {len(GRID)} values
of kappa:

{summary([cell for cell in beside if cell.interval not in BOOTSTRAP.values()], 0.92)}

Mean and worst coverage by the number of subjects:

{markdown_table(["N", *list(BY_FORMULA)[:2]], by_size)}

## More raters or categories

Tables are drawn at random: 2,000 for up to 30 possible patterns, 1,000 for up to 300, and 250 for more. There are 2, 3
and 5 raters, 2, 3 and 5 categories, N = {sizes(large)}, and all weightings. In the populations, raters know the true
category of some subjects and guess the others by the shares of the categories, or report a neighbouring category with
some probability, or use the categories differently. An interval counts as covering if its mean coverage is at least
94 %. The error is the Monte Carlo standard error of the worst cell; among thousands of cells, the smallest coverage is
also the one with the most unlucky draws.

{summary(large, 0.0)}

Beside the bootstrap ({candidates.N_RESAMPLES} resamples): two raters, three categories, linear weights, N =
{sizes(few)}.

{summary(few, 0.0)}

## Other coefficients

Mean and worst coverage for 2 x 2 tables, two raters with five categories, and three raters with three categories,
unweighted and quadratic, N = {sizes(others)}, 500 tables each.

{markdown_table(["coefficient", *list(BY_FORMULA)[:2]], by_name)}
"""


if __name__ == "__main__":
    main()
