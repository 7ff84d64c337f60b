"""Write the page of the coverage study from its results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from benchmarks import interval_candidates as candidates
from benchmarks.coverage import COARSE_GRID, GRID, KAPPAS, LEAST_DEFINED, MARGINS, Cell
from benchmarks.interval_candidates import ADJUSTED, NORMAL
from benchmarks.interval_descriptions import DESCRIPTIONS
from benchmarks.markdown import table as markdown_table

_MEAN_GOAL, _WORST_GOAL = 0.95, 0.92  # for 2 x 2 tables
_MEAN_GOAL_BEYOND = 0.94


@dataclass(frozen=True)
class Results:
    """The cells of the study by sections of the page.

    Attributes
    ----------
    small : list of Cell
        2 x 2 tables.
    large, further : list of Cell
        More raters or categories with the main weightings and with further ones.
    beside : list of Cell
        Designs for which the bootstrap and the test with the standard error at the null value are computed too.
    others : list of Cell
        Other coefficients.
    """

    small: list[Cell]
    large: list[Cell]
    further: list[Cell]
    beside: list[Cell]
    others: list[Cell]


def by_interval(cells: Sequence[Cell]) -> dict[str, list[Cell]]:
    """Return the cells of each interval, in the order of the descriptions."""
    found: dict[str, list[Cell]] = {name: [] for name in DESCRIPTIONS}
    for cell in cells:
        found[cell.interval].append(cell)
    return {name: own for name, own in found.items() if own}


def summary(cells: Sequence[Cell], mean_goal: float, worst_goal: float = 0.0) -> str:
    """Return a Markdown table of the intervals: coverage, widths and the worst population."""
    rows = []
    ratios = width_ratios(cells, mean_goal, worst_goal)
    for name, own in by_interval(cells).items():
        worst = min(own, key=lambda cell: cell.coverage)
        rows.append(
            [
                name,
                f"{100 * _mean(own, 'coverage'):.1f} %",
                f"{100 * worst.coverage:.1f} %" + (f" (error {100 * worst.error:.1f} %)" if worst.error else ""),
                f"{100 * np.mean([cell.coverage < _WORST_GOAL for cell in own]):.0f} %",
                f"{_mean(own, 'width'):.3f}",
                f"{ratios[name]:.2f}" if name in ratios else "",
                f"{len(own):,}",
                worst.place,
            ]
        )
    widths = ("mean width", "of the narrowest")
    return markdown_table(["interval", "mean coverage", "worst", "below 92 %", *widths, "cells", "worst cell"], rows)


def width_ratios(cells: Sequence[Cell], mean_goal: float, worst_goal: float) -> dict[str, float]:
    """Return, for the intervals that reach the goals, their mean width divided by that of the narrowest of them.

    The narrowest one is chosen among the intervals that were computed in all cells. An interval that was computed in
    some of them is compared in these.
    """
    own = by_interval(cells)
    covering = {
        name: some
        for name, some in own.items()
        if _mean(some, "coverage") >= mean_goal and min(cell.coverage for cell in some) >= worst_goal
    }
    n_places = max(map(len, own.values()))
    everywhere = [some for some in covering.values() if len(some) == n_places]
    if not everywhere:
        return {}
    narrowest = {cell.place: cell.width for cell in min(everywhere, key=lambda some: _mean(some, "width"))}
    return {
        name: _mean(some, "width") / float(np.mean([narrowest[cell.place] for cell in some]))
        for name, some in covering.items()
    }


def _mean(own: Sequence[Cell], name: str) -> float:
    return float(np.mean([getattr(cell, name) for cell in own]))


def _mean_and_worst(cells: Sequence[Cell], interval: str) -> str:
    own = [cell.coverage for cell in cells if cell.interval == interval]
    return f"{100 * np.mean(own):.1f} % / {100 * min(own):.1f} %"


def _grouped(cells: Sequence[Cell], title: str, group: Callable[[Cell], str]) -> str:
    """Return mean and worst coverage of the adjusted and the normal interval, and undefined samples, by group."""
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(group(cell), []).append(cell)
    rows = [
        [
            name,
            _mean_and_worst(own, ADJUSTED),
            _mean_and_worst(own, NORMAL),
            f"{100 * _mean(own, 'undefined'):.1f} % / {100 * max(cell.undefined for cell in own):.1f} %",
        ]
        for name, own in groups.items()
    ]
    return markdown_table([title, ADJUSTED, NORMAL, "undefined, mean / largest"], rows)


def _listed(values: set[int]) -> str:
    *some, last = map(str, sorted(values))
    return f"{', '.join(some)} and {last}" if some else last


def _sizes(cells: Sequence[Cell]) -> str:
    return _listed({cell.n_subjects for cell in cells})


def _left_out(results: Results) -> str:
    """Return how many populations were left out because nearly all samples are undefined."""
    missing = 0
    for field in fields(results):
        if field.name == "small":
            continue
        own = [cell for cell in getattr(results, field.name) if cell.interval == ADJUSTED]
        designs = {(c.n_raters, c.n_categories, c.weights, c.n_subjects, c.coefficient) for c in own}
        missing += len(designs) * len({cell.population for cell in own}) - len(own)
    rule = f"A population in which fewer than {100 * LEAST_DEFINED:.0f} % of the samples are defined is left out"
    return f"{rule}; there is {'none' if missing == 0 else missing}."


def page(results: Results, minutes: float) -> str:
    """Return the page of results, which took some minutes of processor time."""
    small, large, further, beside = results.small, results.large, results.further, results.beside
    from_20 = [cell for cell in small if cell.n_subjects >= 20] or small
    tested = {cell.n_subjects for cell in small if cell.kind == "test"}
    resampled = {cell.n_subjects for cell in small if cell.kind == "bootstrap"}
    used = by_interval([*small, *large, *beside])
    shares = ", ".join(f"{first:g}/{second:g}" for first, second in MARGINS)
    described = [[name, *DESCRIPTIONS[name]] for name in used]
    return f"""# The coverage study

This page is written by `python -m benchmarks.interval_study`, which took {minutes:.0f} minutes of processor time.
[Which interval?](intervals.md) explains what to conclude from it.

A 95 % interval should contain the coefficient of the population in 95 % of all studies, whatever the population is. For
every interval, the tables below show the share of studies in which it does, on average over the populations and in the
worst one. A cell is one population with one design, one weighting and one number N of subjects. "Of the narrowest"
compares the mean width with that of the narrowest interval that reaches the stated coverage. Widths are measured
between 1 and the smallest value that the coefficient can have, or -1 if this is not known, because some intervals
extend beyond.

## The candidates

If all ratings of a sample are in one category, kappa is undefined. Such samples have no interval. They are left out
for all candidates alike, and counted: the tables of mean and worst coverage below say how many they are. If they
counted as failures, the coverage of all candidates in a population would be multiplied by the share of the defined
samples.
{_left_out(results)}
Samples in which kappa is defined are never left out. The last column says what happens if another quantity that the
interval needs is zero or undefined.

{markdown_table(["interval", "how it is computed", "rule for special samples"], described)}

## Two raters and two categories

All tables of N subjects are enumerated, so there is no Monte Carlo error, except for the intervals by bootstrap. There
are {len({cell.population for cell in small})} populations: the shares of the first category are {shares} for the two
raters, each with those values of kappa from {KAPPAS[0]:g} to {KAPPAS[-1]:g} that the margins allow. An interval counts
as covering if its mean coverage is at least 95 % and its worst coverage at least 92 %.

N = {_sizes(from_20)}; the bootstrap, with {candidates.N_RESAMPLES} resamples, for N = {_listed(resampled)} alone:

{summary([cell for cell in from_20 if cell.kind != "test"], _MEAN_GOAL, _WORST_GOAL)}

N = {_listed(tested)}, beside the exact interval and intervals by inversion of tests. The widths of the latter are the
share of accepted values on a grid of {len(GRID)} values of kappa, times the length of the grid:

{summary([c for c in small if c.n_subjects in tested and c.kind != "bootstrap"], _MEAN_GOAL, _WORST_GOAL)}

Mean and worst coverage by the number of subjects, and the share of undefined samples:

{_grouped(sorted(small, key=lambda cell: cell.n_subjects), "N", lambda cell: str(cell.n_subjects))}

## More raters or categories

Tables are drawn at random: 2,000 for up to 30 possible patterns, 1,000 for up to 300, and 250 for more. There are 2, 3
and 5 raters, 2, 3 and 5 categories, N = {_sizes(large)}, and unweighted, linear, quadratic and square-root weights. In
the populations, raters know the true category of some subjects and guess the others by the shares of the categories, or
report a neighbouring category with some probability, or use the categories differently. An interval counts as covering
if its mean coverage is at least 94 %. The error is the Monte Carlo standard error of the worst cell; among thousands of
cells, the smallest coverage is also the one with the most unlucky draws.

{summary(large, _MEAN_GOAL_BEYOND)}

By the number of subjects:

{_grouped(sorted(large, key=lambda cell: cell.n_subjects), "N", lambda cell: str(cell.n_subjects))}

Beside the bootstrap, with {candidates.N_RESAMPLES} resamples, and the test with the standard error at the null value,
whose width is measured on a grid of {len(COARSE_GRID)} values of kappa: two raters and three categories, unweighted,
linear and quadratic; two raters and five categories, linear; three raters and three categories, linear. N =
{_sizes(beside)}, with 500 tables from each population.

{summary(beside, _MEAN_GOAL_BEYOND)}

## Other weightings

These are the other weightings that have a name, and two powers of the distance. To limit the time, there are fewer
designs: 2 and 3 raters, 3 and 5 categories, and N = {_sizes(further)}. As many tables are drawn as above. Circular and
bipolar weights are for 5 categories alone: for 3, the former are equal to no weights and the latter to Gwet's ordinal
weights.

{summary(further, _MEAN_GOAL_BEYOND)}

Mean and worst coverage by weighting; the first four are those above in the same designs:

{_grouped(_comparable(large, further) + further, "weighting", lambda cell: cell.weights)}

## Other coefficients

Mean and worst coverage for 2 x 2 tables, two raters with five categories, and three raters with three categories,
unweighted and quadratic, N = {_sizes(results.others)}, 500 tables each. For more than two categories, Krippendorff's
alpha has ordinal weights too, which depend on the ratings.

{_grouped(results.others, "coefficient", _coefficient)}
"""


def _comparable(large: Sequence[Cell], further: Sequence[Cell]) -> list[Cell]:
    """Return the cells with the main weightings that have a design and a number of subjects of the further ones."""
    designs = {(cell.n_raters, cell.n_categories, cell.n_subjects) for cell in further}
    return [cell for cell in large if (cell.n_raters, cell.n_categories, cell.n_subjects) in designs]


def _coefficient(cell: Cell) -> str:
    return f"{cell.coefficient}, ordinal" if cell.weights == "ordinal" else cell.coefficient
