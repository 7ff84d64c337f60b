"""Compute how often the intervals of percent, specific and 2 x 2 agreement cover, by enumerating all tables.

`python -m benchmarks.index_coverage` prints the table of docs/coefficients.md. It gives the mean and the smallest
coverage of 95% intervals over the populations, of the interval that kappamax reports and of the usual formula, value
-+ 1.96 standard errors. Tables in which the index is undefined are not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from math import comb, lgamma, nan

import numpy as np

import kappamax as km

Interval = tuple[float, float]
PREVALENCES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
SHARES = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
_ROUNDING = 1e-9


def compositions(total: int, n_parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to distribute subjects over the kinds of patterns."""
    if n_parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, n_parts - 1):
            yield first, *rest


def coverages(
    n: int, populations: Sequence[tuple[Sequence[float], float]], intervals: Callable[..., tuple[Interval, Interval]]
) -> np.ndarray:
    """Coverage in each population of the intervals of kappamax and of the usual formula, shape (populations, 2).

    A population is the probability of each kind of pattern, and the true value of the index.
    """
    n_kinds = len(populations[0][0])
    tables = np.array(list(compositions(n, n_kinds)))
    limits = np.array([intervals(*counts) for counts in tables.tolist()])
    ways = np.array([lgamma(n + 1) - sum(lgamma(count + 1) for count in counts) for counts in tables.tolist()])
    defined = ~np.isnan(limits[:, 0, 0])
    found = []
    for shares, true in populations:
        likely = np.exp(ways + tables @ np.log(np.maximum(shares, 1e-300)))[defined]
        covers = (limits[defined, :, 0] <= true + _ROUNDING) & (limits[defined, :, 1] >= true - _ROUNDING)
        found.append(likely @ covers / likely.sum())
    return np.array(found)


def both(estimate: km.results.IndexEstimate | km.results.Agreement) -> tuple[Interval, Interval]:
    """The reported interval and the usual one; not a number if the index is undefined."""
    if estimate.ci is None or estimate.se is None:
        return (nan, nan), (nan, nan)
    assert estimate.value is not None
    return estimate.ci, (estimate.value - 1.96 * estimate.se, estimate.value + 1.96 * estimate.se)


def specific(n_raters: int, *counts: int) -> tuple[Interval, Interval]:
    """Intervals of the agreement on a category, given the number of subjects whom 0, 1, ... raters put into it."""
    patterns = np.tril(np.ones((n_raters + 1, n_raters), dtype=int), -1)
    used = np.array(counts) > 0
    table = km.Table(patterns[used], np.array(counts)[used], ["no", "yes"], ordered=True)
    return both(km.specific_agreement(table).categories["yes"])


def specific_populations(n_raters: int) -> list[tuple[list[float], float]]:
    """Raters agree on a share of the subjects, and the ratings of the others are independent."""
    found = []
    for prevalence, value in product(PREVALENCES, SHARES):
        if value < prevalence:
            continue
        known = (value - prevalence) / (1 - prevalence)
        guessed = [comb(n_raters, x) * prevalence**x * (1 - prevalence) ** (n_raters - x) for x in range(n_raters + 1)]
        shares = [(1 - known) * one for one in guessed]
        shares[0] += known * (1 - prevalence)
        shares[-1] += known * prevalence
        found.append((shares, value))
    return found


def bias(first: int, second: int, rest: int) -> tuple[Interval, Interval]:
    """Intervals of the bias index, given the subjects that only the first and only the second rater calls positive."""
    return both(km.two_by_two_indices(km.from_counts([[rest, second], [first, 0]])).bias_index)


def bias_populations() -> list[tuple[list[float], float]]:
    """Different shares of subjects with different ratings, and of these subjects that the first calls positive."""
    found = []
    for different, share in product((0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.9), (0.5, 0.6, 0.75, 0.9, 0.97)):
        shares = [different * share, different * (1 - share), 1 - different]
        found.append((shares, shares[0] - shares[1]))
    return found


def percent(n_raters: int, *counts: int) -> tuple[Interval, Interval]:
    """Intervals of percent agreement, given the number of subjects for whom 0, 1, ... raters dissent from the first."""
    n_kinds = len(counts)
    patterns = np.array([[1] * (n_raters - kind) + [2] * kind for kind in range(n_kinds)]) - 1
    used = np.array(counts) > 0
    table = km.Table(patterns[used], np.array(counts)[used], [1, 2], ordered=True)
    return both(km.agreement(table, coefficient="percent"))


def percent_populations(n_raters: int) -> list[tuple[list[float], float]]:
    """One rater dissents for different shares of the subjects, from nobody to everybody."""
    own = 1 - 2 / n_raters  # agreement on a subject for whom one of the raters dissents
    return [([1 - s, s], 1 - s + s * own) for s in (0.002, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99)]


CASES = {
    "positive agreement, 2 raters": (partial(specific, 2), specific_populations(2), (20, 50, 100)),
    "positive agreement, 3 raters": (partial(specific, 3), specific_populations(3), (20, 50)),
    "positive agreement, 5 raters": (partial(specific, 5), specific_populations(5), (20,)),
    "bias and prevalence index": (bias, bias_populations(), (20, 50)),
    "percent agreement, 2 raters": (partial(percent, 2), percent_populations(2), (20, 50, 100)),
    "percent agreement, 3 raters": (partial(percent, 3), percent_populations(3), (20, 50, 100)),
    "percent agreement, 5 raters": (partial(percent, 5), percent_populations(5), (20, 50, 100)),
}


def main() -> None:
    """Print the table in Markdown."""
    print("| index | N | populations | mean coverage | smallest | smallest, usual formula |")
    print("|---|---|---|---|---|---|")
    for name, (intervals, populations, sizes) in CASES.items():
        for n in sizes:
            found = 100 * coverages(n, populations, intervals)
            cells = [f"{number:.1f} %" for number in (found[:, 0].mean(), *found.min(axis=0))]
            print("|", " | ".join([name, str(n), str(len(populations)), *cells]), "|", flush=True)


if __name__ == "__main__":
    main()
