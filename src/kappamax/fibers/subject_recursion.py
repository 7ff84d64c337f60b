"""Compute the null distribution of a total cost for complete ratings, one subject at a time from both ends.

Subjects are taken in the order of the first rater's categories. The state after t subjects is the number of times that
each of the other raters has used each category. All orders of a rater's ratings are equally likely under the null
hypothesis. Therefore, given the state after t subjects, the rating of the t-th subject is j with probability u_j / t,
where u_j is the number of times that the rater has used category j. This gives a recursion for the distribution of the
total cost of the first t subjects, given the state. A state has one predecessor for each pattern of the other raters.
The same recursion is applied to the last subjects in reverse order. The two halves meet in one layer of states, whose
distribution is a product of multivariate hypergeometric distributions.

Only possible states are stored, and for each of them only the range of total costs that occur. All numbers are
probabilities and nothing is subtracted, which bounds the relative error (see `SubjectRecursion.relative_error`).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise, product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from kappamax._jit import kernel
from kappamax._progress import WorkCallback
from kappamax._typing import Array, Floats
from kappamax.fibers.rater_states import RaterStates
from kappamax.fibers.subject_kernels import extend, extend_ranges, meet

_GROUP = 256  # number of states of the meeting layer whose contributions are added in one array
_ROUNDING = 2.0**-53
_CHUNKS = 16  # number of parts into which a layer is divided
_STATES_PER_CHUNK = 500  # smallest number of states of a part
_PRODUCT = 0.3  # time of one product where the two parts meet, relative to one term of the recursion
_STATE = 10  # time of examining one transition of a state, relative to one term of the recursion
_UNCOMPILED_TERMS = 20_000


class SubjectRecursion:
    """Null distribution of the total cost of the patterns of complete ratings.

    Parameters
    ----------
    margins : integers, shape (r, k)
        Marginal totals of each rater. All rows have the same positive sum.
    costs : integers
        Cost of each pattern of used categories, in the order of the last rater's categories, then of the rater before.
    """

    def __init__(self, margins: Array, costs: Array) -> None:
        used = [row[row > 0] for row in margins]
        first = max(range(len(used)), key=lambda a: prod(n + 1 for n in used[a].tolist()))
        others = [a for a in range(len(used)) if a != first]
        shaped = np.moveaxis(costs.reshape([len(row) for row in used]), first, 0)
        self.raters = [RaterStates(used[a].tolist()) for a in others]
        self.patterns = np.array(list(product(*(range(len(used[a])) for a in others))), dtype=np.int64)
        #: cost of each pattern of the other raters for each subject, in the order of the first rater's categories
        self.costs = shaped.reshape(len(used[first]), -1).astype(np.int64)
        self.categories = np.repeat(np.arange(len(used[first])), used[first])
        self.n_subjects = len(self.categories)
        self.margins = margins
        self._found: _Plan | None = None

    def work(self, most: float = np.inf) -> int:
        """Return the amount of work, measured in additions, or a lower bound on it that exceeds `most`."""
        if (least := least_work(self.margins)) > most:
            return least
        if self._found is None:
            found = self._planned(most)
            if isinstance(found, int):
                return found
            self._found = found
        return self._found.work

    @property
    def n_bytes(self) -> int:
        """Largest number of bytes held at one time."""
        return self._plan.n_bytes

    @property
    def largest(self) -> int:
        """Largest total cost of any table."""
        return self._plan.largest

    @property
    def relative_error(self) -> float:
        """Bound on the relative error of each probability.

        Each rounding multiplies a term by 1 + d with absolute value of d at most 2^-53. For r - 1 = q followed raters
        and m patterns of their categories, one step of the recursion makes at most 2 q + m - 1 roundings: q quotients
        u_j / t, q - 1 products of them, one product with a probability, and m - 1 additions. The hypergeometric
        probability of a state makes at most 2 k + 1 roundings for each rater. At the end, the products of two
        probabilities and the state's probability are added: first the terms of each state, then the states of each
        group, then pairs of groups. If n is the sum of these numbers, the relative error is at most n u / (1 - n u),
        where u = 2^-53, because all terms are positive. Probabilities below 1e-290 may be less accurate, because the
        smallest terms are then outside the range of doubles.
        """
        q, m = len(self.raters), len(self.patterns)
        plan = self._plan
        groups = -(-self._n_states(self.n_subjects // 2) // _GROUP)
        roundings = self.n_subjects * (2 * q + m - 1) + sum(2 * len(one.caps) + 2 for one in self.raters) + 2
        roundings += plan.longest + _GROUP + groups.bit_length()
        return roundings * _ROUNDING / (1 - roundings * _ROUNDING)

    def probabilities(self, progress: WorkCallback | None = None) -> tuple[int, Floats]:
        """Return the smallest total cost and the probability of each total from the smallest to the largest.

        Parameters
        ----------
        progress : callable, optional
            Function that is called with the amount of work done and the total amount of work.

        Returns
        -------
        smallest : int
            Smallest total cost of any table.
        probabilities : floats
            Probabilities of the totals smallest, smallest + 1, and so on.
        """
        plan = self._plan
        with ThreadPoolExecutor(_n_threads()) as pool:
            run = _Runner(pool, compiled=plan.work > _UNCOMPILED_TERMS)
            done = 0
            ends = []
            for categories in self._halves:
                parts = self._parts(categories, run, values=True, progress=progress, done=done)
                ends.append(deque(parts, maxlen=1).pop())
                done += len(categories)
            return plan.smallest, self._joined(run, *ends)

    @property
    def _plan(self) -> _Plan:
        self.work()
        assert self._found is not None
        return self._found

    def _planned(self, most: float) -> _Plan | int:
        """Return the plan of the computation, or a lower bound on the work if it is found to exceed `most`.

        The work and the memory follow from the ranges of total costs in all states.
        """
        ends, sizes = [], []
        work = 0
        with ThreadPoolExecutor(_n_threads()) as pool:
            run = _Runner(pool, compiled=least_work(self.margins) > _UNCOMPILED_TERMS)
            for categories in self._halves:
                held: list[int] = []
                for part in self._parts(categories, run, values=False):
                    held.append(int((part.highs - part.lows + 1).sum()))
                    work += len(self.patterns) * (held[-1] + _STATE * len(part.lows))
                    if work > most:
                        return work
                sizes.append(held)
                ends.append(part)
        first, last = ends
        lengths = first.highs - first.lows + 1, (last.highs - last.lows + 1)[::-1]
        smallest = int((first.lows + last.lows[::-1]).min())
        largest = int((first.highs + last.highs[::-1]).max())
        n_groups = -(-len(first.lows) // _GROUP)
        per_state = 32 * sum(len(one.caps) for one in self.raters) + 120
        n_bytes = per_state * len(first.lows) + 8 * n_groups * (largest - smallest + 1)
        return _Plan(
            work=work + int(_PRODUCT * float(lengths[0].astype(float) @ lengths[1])),
            n_bytes=n_bytes + 8 * max(_most_held(sizes[0]), sizes[0][-1] + _most_held(sizes[1])),
            smallest=smallest,
            largest=largest,
            longest=int(np.minimum(*lengths).max()),
        )

    @cached_property
    def _halves(self) -> tuple[Array, Array]:
        """Categories of the first rater in the first half of the subjects, and in the second half in reverse order."""
        half = self.n_subjects // 2
        return self.categories[:half], self.categories[half:][::-1]

    def _parts(
        self, categories: Array, run: _Runner, *, values: bool, progress: WorkCallback | None = None, done: int = 0
    ) -> Iterator[_Part]:
        """Yield the layers of states after 0, 1, ... subjects with given categories of the first rater."""
        part = _Part(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), np.array([0, 1]), np.ones(1))
        yield part
        for placed, category in enumerate(categories.tolist(), start=1):
            layer = self._layer(placed)
            n = self._n_states(placed)
            lows, highs = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
            run(extend_ranges, n, *layer, self.patterns, self.costs[category], part.lows, part.highs, lows, highs)
            starts, ways = part.starts, part.ways
            if values:
                starts = np.concatenate([[0], np.cumsum(highs - lows + 1)])
                ways = np.empty(int(starts[-1]))
                step = (*layer, placed, self.patterns, self.costs[category])
                run(extend, n, *step, part.lows, part.starts, part.ways, lows, starts, ways)
                if progress is not None:
                    progress(done + placed, self.n_subjects)
            part = _Part(lows, highs, starts, ways)
            yield part

    def _layer(self, placed: int) -> tuple[Array, Array, Array, Array]:
        """Return the numbers of states of each rater now and before, the uses of the categories, and predecessors."""
        before, sizes = np.array([[one.n_states(t) for one in self.raters] for t in (placed - 1, placed)])
        shape = (len(sizes), int(sizes.max()), max(len(one.caps) for one in self.raters))
        uses, sources = np.zeros(shape, dtype=np.int64), np.full(shape, -1, dtype=np.int64)
        for a, one in enumerate(self.raters):
            one.fill_layer(placed, uses[a], sources[a])
        return sizes, before, uses, sources

    def _joined(self, run: _Runner, first: _Part, last: _Part) -> Floats:
        """Return the distribution of the total cost, given that of both parts in the layer where they meet."""
        plan = self._plan
        chances = np.ones(1)
        for one in self.raters:
            chances = np.multiply.outer(chances, one.chances(self.n_subjects // 2)).ravel()
        n_groups = -(-len(chances) // _GROUP)
        found = np.zeros((n_groups, plan.largest - plan.smallest + 1))
        ends = (first.lows, first.starts, first.ways, last.lows, last.starts, last.ways)
        run(meet, n_groups, *ends, chances, plan.smallest, _GROUP, found, least=1)
        while len(found) > 1:
            half = (len(found) + 1) // 2
            found[: len(found) - half] += found[half:]
            found = found[:half]
        return np.asarray(found[0])

    def _n_states(self, placed: int) -> int:
        return prod(one.n_states(placed) for one in self.raters)


def least_work(margins: Array) -> int:
    """Return a lower bound on the work of a `SubjectRecursion`, which takes little time to compute.

    The first rater is the one with the most states. A rater with marginal totals b_j has prod(b_j + 1) states in all
    layers together. The numbers of states in the layers of several raters rise and fall together, so by Chebyshev's sum
    inequality the mean of their product is at least the product of their means.
    """
    used = [[n for n in row if n] for row in margins.tolist()]
    states = sorted(prod(n + 1 for n in row) for row in used)[:-1]
    n_layers = sum(used[0]) + 1
    sizes = [len(row) for row in used]
    n_patterns: int = prod(sizes) // max(sizes)
    n_states: int = prod(states) // n_layers ** (len(states) - 1)
    return (1 + _STATE) * n_patterns * n_states


class _Plan(NamedTuple):
    """Work and memory of a computation, and the range of its totals.

    Attributes
    ----------
    work : int
        Estimated work, measured in additions.
    n_bytes : int
        Largest number of bytes held at one time.
    smallest, largest : int
        Smallest and largest total cost of any table.
    longest : int
        Largest number of terms that a state of the meeting layer contributes to one probability.
    """

    work: int
    n_bytes: int
    smallest: int
    largest: int
    longest: int


class _Part(NamedTuple):
    """Distributions of the total cost of some subjects, given each state of a layer.

    Attributes
    ----------
    lows, highs : integers, shape (n,)
        Smallest and largest total cost in each state.
    starts : integers, shape (n + 1,)
        Index of the first probability of each state.
    ways : floats
        Probabilities of the totals from the smallest to the largest, one state after the other.
    """

    lows: Array
    highs: Array
    starts: Array
    ways: Floats


class _Runner:
    """Runs kernels on ranges of states in several threads."""

    def __init__(self, pool: ThreadPoolExecutor, *, compiled: bool) -> None:
        self.pool = pool
        self.compiled = compiled

    def __call__(self, source: Callable[..., None], n: int, *arguments: Any, least: int = _STATES_PER_CHUNK) -> None:
        run = kernel(source, work=int(self.compiled), worth=0)
        n_chunks = max(1, min(_CHUNKS, n // least))
        ends = np.linspace(0, n, n_chunks + 1).astype(int).tolist()
        if n_chunks == 1:
            run(0, n, *arguments)
            return
        for task in [self.pool.submit(run, start, stop, *arguments) for start, stop in pairwise(ends)]:
            task.result()


def _n_threads() -> int:
    return os.cpu_count() or 1


def _most_held(sizes: list[int]) -> int:
    """Return the largest sum of two consecutive sizes."""
    return max((one + other for one, other in pairwise(sizes)), default=sizes[0])
