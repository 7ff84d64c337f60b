"""Give every subject a pattern so that a table with missing ratings has the required margins.

If ratings are missing, there are often as many sets of raters as subjects, and the solution of the linear program
consists of fractions. Every subject is given a pattern of its set, in most cases one whose reduced cost is zero, and a
local search repairs the margins. Each step takes a category that a rater uses too often, changes the pattern of one
subject accordingly, and changes the pattern of a second subject so that the two changes together are best. Two subjects
that share all but one rater can exchange their categories at a change of four totals only, and almost every change of
four totals is possible in this way if there are many subjects. The ratings of raters who do not meet their margins in
the end are rearranged at least cost.
"""

from __future__ import annotations

import numpy as np

from kappamax._jit import STEPS_WITHOUT_COMPILER, CompilationStopped, kernel
from kappamax._tolerances import ROUNDING_MARGIN
from kappamax._typing import Codes, Floats, Integers
from kappamax.maximum.first_table import improved, placed_anew
from kappamax.maximum.linear_program import POSITIVE_AMOUNT, Relaxation
from kappamax.maximum.price_bounds import real_reduced_costs
from kappamax.maximum.problem import Problem, Watch
from kappamax.patterns import group_patterns, margins_of

_MOST_PLACED = 1_000_000  # largest number of subjects that are placed one by one
_MOST_CHOICES = 400_000  # largest number of patterns that are listed as choices
_RUNS = 40  # largest number of runs, each from the rounded solution of the linear program
_STEPS_PER_TOTAL = 50  # steps of a run for each total of a rater and category; then the search starts again
_MOST_OPERATIONS = 10_000_000_000  # largest number of ratings that the search examines
_OPERATIONS_AT_A_TIME = 20_000_000  # ratings that are examined between two checks of the time limit
_SHARE_OF_TIME = 0.7  # share of the remaining time that the search may take
_FIRST_CHANGES = 4  # changes of a first subject that are tried in each step
_SECOND_SUBJECTS = 300  # second subjects that are tried with each of them
_COST = 0.9  # cost of the least reduced cost above zero, in units of the squared excess
_TEMPERATURE = 1.0  # a step that raises the cost by x is made with probability exp(-x / temperature)
_SHARE_OF_OTHERS = 0.3  # share of the first changes to any pattern, and not only to those of reduced cost zero
_SHARE_OF_COSTS = 0.1  # share of the steps that change a subject whose pattern has a positive reduced cost
_FACTOR, _INCREMENT, _MASK = 1_103_515_245, 12_345, 2**31 - 1  # of the linear congruential generator

Table = tuple[Codes, Integers]


def placed_table(
    problem: Problem, patterns: Codes, relaxed: Relaxation, tight: Codes, enough: float, watch: Watch
) -> Table | None:
    """Return the best table that the local search finds, or None if there are too many subjects or the time is over.

    Parameters
    ----------
    problem : Problem
        Problem with missing ratings.
    patterns : array, shape (m, r)
        Patterns of the linear program.
    relaxed : Relaxation
        Solution of the linear program.
    tight : array, shape (t, r)
        Patterns with a reduced cost of about zero.
    enough : float
        The search ends as soon as it finds a table that costs at most this number.
    watch : Watch
        Time limit.
    """
    if problem.n_subjects > _MOST_PLACED:
        return None
    used = relaxed.amounts > POSITIVE_AMOUNT
    choices = _Choices(problem, np.unique(np.concatenate([patterns[used], tight]), axis=0), relaxed.prices)
    start = np.random.default_rng(0).permutation(choices.nearest(patterns[used], relaxed.amounts[used]))
    goal = (enough - relaxed.value) * choices.scale
    shorter = watch if watch.left is None else watch.within(_SHARE_OF_TIME * watch.left)
    try:
        best = _search(choices, start, goal, shorter)
        found = group_patterns(choices.patterns[best], None, n_categories=problem.n_categories)
        for rater in np.flatnonzero(choices.excess(best).any(axis=1)).tolist():
            if watch.over:
                return None
            found = placed_anew(problem, *found, rater, watch)
    except CompilationStopped:
        return None
    return found if float(problem.total(*found)) <= enough else improved(problem, *found, watch)


def _search(choices: _Choices, start: Integers, goal: float, watch: Watch) -> Integers:
    """Return the choice of patterns without excess that costs least, or else the one with the least excess.

    The search ends at the goal, at the time limit, or when it has examined a given number of ratings. It starts again
    several times, because a run that has not ended soon often does not end at all.
    """
    operations = choices.operations_per_step(len(start))
    left = _MOST_OPERATIONS // operations
    n_steps = min(left, _STEPS_PER_TOTAL * choices.n_totals)
    at_a_time = max(1, min(n_steps, _OPERATIONS_AT_A_TIME // operations))
    run = kernel(_repair, work=left, worth=0, stopped=lambda: watch.over)
    if run is _repair:  # numba is absent
        left = min(left, STEPS_WITHOUT_COMPILER // operations + 1)
    arrays = choices.set_of[start], choices.first, choices.n_tight, choices.codes, choices.raters, choices.costs
    rng = np.random.default_rng(0)
    best, least = start.copy(), np.array([np.inf])
    nearest, least_excess = start, np.inf
    for _ in range(_RUNS):
        if left <= 0 or watch.over or least[0] <= goal:
            break
        now, excess = start.copy(), choices.excess(start)
        for _ in range(0, n_steps, at_a_time):
            run(now, excess, best, least, *arrays, goal, at_a_time, int(rng.integers(0, 2**31)))
            left -= at_a_time
            if watch.over or least[0] <= goal:
                break
        if np.abs(excess).sum() < least_excess:
            nearest, least_excess = now, float(np.abs(excess).sum())
    return best if np.isfinite(least[0]) else nearest


class _Choices:
    """Patterns that a subject of each set of raters may be given.

    Attributes
    ----------
    patterns : array, shape (m, r)
        Patterns, ordered by their set of raters; those of reduced cost zero are the first of each set.
    set_of, costs : arrays, shape (m,)
        Set of raters of each pattern, and its reduced cost in units of the squared excess.
    scale : float
        Factor between the reduced costs and `costs`.
    first, n_tight : arrays
        Position of the first pattern of every set, and the number of its patterns of reduced cost zero.
    raters, codes : arrays, shapes (number of sets, s) and (m, s)
        Raters of every set, filled up with -1, and their ratings in every pattern.
    """

    def __init__(self, problem: Problem, tight: Codes, prices: Floats) -> None:
        n_sets = len(problem.sets)
        sizes = problem.sets.sum(axis=1)
        self.problem = problem
        self.raters = np.full((n_sets, int(sizes.max())), -1, dtype=np.int64)
        for index, members in enumerate(problem.sets):
            self.raters[index, : sizes[index]] = np.flatnonzero(members)
        every = self._candidates(tight)
        reduced = real_reduced_costs(problem, prices, every)
        reduced[reduced <= ROUNDING_MARGIN * (1 + float(np.abs(prices).max()))] = 0.0
        least = reduced[reduced > 0].min(initial=np.inf)
        self.scale = _COST / least if np.isfinite(least) else 1.0
        order = np.lexsort([reduced > 0, every[:, -1]])
        self.patterns = every[order]
        self.costs = reduced[order] * self.scale
        self.set_of = self.patterns[:, -1].astype(np.int64)
        self.first = np.searchsorted(self.set_of, np.arange(n_sets + 1))
        self.n_tight = np.bincount(self.set_of[self.costs == 0], minlength=n_sets)
        own = self.raters[self.set_of]
        self.codes = np.where(own >= 0, np.take_along_axis(self.patterns, own, axis=1), 0).astype(np.int64)

    def _candidates(self, tight: Codes) -> Codes:
        """Return all patterns if they are not too many, else given ones and those that differ in one rating."""
        problem, k = self.problem, self.problem.n_labels
        if problem.n_cells <= _MOST_CHOICES:
            return np.concatenate(list(problem.all_patterns()))
        if int(problem.sets.sum(axis=1)[tight[:, -1]].sum()) * (k - 1) > _MOST_CHOICES:
            return tight
        found = [tight]
        for rater in range(problem.n_raters - 1):
            rated = tight[tight[:, rater] < k]
            changed = np.repeat(rated, k, axis=0)
            changed[:, rater] = np.tile(np.arange(k), len(rated))
            found.append(changed)
        return np.unique(np.concatenate(found), axis=0)

    def nearest(self, patterns: Codes, amounts: Floats) -> Integers:
        """Return the position of a pattern for every subject, each as often as its amount, rounded up or down."""
        at = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(self.patterns))}
        used = np.zeros(len(self.patterns))
        for row, amount in zip(np.ascontiguousarray(patterns), amounts, strict=True):
            used[at[row.tobytes()]] = amount
        choices = []
        for index, n_subjects in enumerate(self.problem.set_sizes):
            own = np.arange(self.first[index], self.first[index] + max(1, self.n_tight[index]))
            whole = np.floor(used[own] + POSITIVE_AMOUNT).astype(np.int64)
            order = np.argsort(whole - used[own], kind="stable")
            extra = order[np.arange(max(0, n_subjects - int(whole.sum()))) % len(own)]
            choices.append(np.concatenate([np.repeat(own, whole), own[extra]])[:n_subjects])
        return np.concatenate(choices)

    def excess(self, chosen: Integers) -> Integers:
        """Return the number of ratings of every rater in every category beyond the required number."""
        counts = np.bincount(chosen, minlength=len(self.patterns))
        excess = margins_of(self.patterns, counts, self.problem.n_categories) - self.problem.margins
        return np.ascontiguousarray(excess[:-1, : self.problem.n_labels])

    @property
    def n_totals(self) -> int:
        """Number of totals of raters and categories."""
        return int((self.raters.max() + 1) * self.problem.n_labels)

    def operations_per_step(self, n_subjects: int) -> int:
        """Return about how many ratings a step of the search examines."""
        second = min(n_subjects, _SECOND_SUBJECTS) * self.raters.shape[1] * (1 + int(self.n_tight.mean()))
        return _FIRST_CHANGES * second + n_subjects


def _repair(  # type: ignore[no-untyped-def]  # compiled by numba
    now, excess, best, least, sets, first, n_tight, codes, raters, costs, goal, n_steps, state
):
    """Change the patterns of one or two subjects in each step, and prefer changes that lower the cost.

    The cost of a choice of patterns is the sum of the squared excess and of the costs of the patterns. `now` and
    `excess` are changed in place; `best` is the choice of least cost without excess so far, and `least[0]` its cost.
    The search ends early if that is at most the goal. Random numbers come from a linear congruential generator, because
    numba takes seconds to compile its own.
    """
    n, size = len(now), raters.shape[1]
    n_raters, k = excess.shape
    window = min(n, _SECOND_SUBJECTS)
    cost = 0.0
    for subject in range(n):
        cost += costs[now[subject]]
    first_subjects = np.empty(_FIRST_CHANGES, dtype=np.int64)
    first_patterns = np.empty(_FIRST_CHANGES, dtype=np.int64)
    uneven = np.zeros(n_raters, dtype=np.int64)  # number of categories in excess per rater
    for _ in range(n_steps):
        # A rater and two categories, of which the rater uses the first too often and the second too seldom, or none.
        rater, long, short, n_over, n_under = -1, -1, -1, 0, 0
        for a in range(n_raters):
            uneven[a] = 0
            for c in range(k):
                if excess[a, c] > 0:
                    uneven[a] += 1
                    n_over += 1
                    state = (state * _FACTOR + _INCREMENT) & _MASK
                    if state * n_over <= _MASK:
                        rater, long = a, c
        if n_over == 0 and cost < least[0] - 1e-9:
            least[0] = cost
            best[:] = now
            if cost <= goal:
                break
        state = (state * _FACTOR + _INCREMENT) & _MASK
        if rater >= 0 and cost > goal and state / _MASK < _SHARE_OF_COSTS:
            rater = -1
        if rater >= 0:
            for c in range(k):
                if excess[rater, c] < 0:
                    n_under += 1
                    state = (state * _FACTOR + _INCREMENT) & _MASK
                    if state * n_under <= _MASK:
                        short = c
        # First changes: subjects whose rating by this rater changes accordingly, or whose pattern has a positive cost.
        n_changes = 0
        state = (state * _FACTOR + _INCREMENT) & _MASK
        subject = state * n >> 31
        for _ in range(n):
            subject += 1
            if subject == n:
                subject = 0
            one, here, there = sets[subject], now[subject], -1
            if rater == -1:
                if costs[here] > 0 and n_tight[one] > 0:
                    state = (state * _FACTOR + _INCREMENT) & _MASK
                    there = first[one] + (state * n_tight[one] >> 31)
            else:
                for x in range(size):
                    if raters[one, x] == rater and codes[here, x] == long:
                        end = first[one] + n_tight[one]
                        state = (state * _FACTOR + _INCREMENT) & _MASK
                        if state / _MASK < _SHARE_OF_OTHERS:
                            end = first[one + 1]
                        n_fitting = 0
                        for pattern in range(first[one], end):
                            if codes[pattern, x] == short:
                                n_fitting += 1
                                state = (state * _FACTOR + _INCREMENT) & _MASK
                                if state * n_fitting <= _MASK:
                                    there = pattern
            if there != -1:
                first_subjects[n_changes] = subject
                first_patterns[n_changes] = there
                n_changes += 1
                if n_changes == _FIRST_CHANGES:
                    break
        # The best of these changes, alone or with the change of a second subject to a pattern of reduced cost zero.
        least_rise, n_least = np.inf, 0
        chosen, second, second_pattern = -1, -1, -1
        state = (state * _FACTOR + _INCREMENT) & _MASK
        offset = state * n >> 31
        for change in range(n_changes):
            subject, there = first_subjects[change], first_patterns[change]
            here, one = now[subject], sets[subject]
            first_rise = costs[there] - costs[here]
            for x in range(size):
                a = raters[one, x]
                if a >= 0 and codes[here, x] != codes[there, x]:
                    first_rise += 2 - 2 * excess[a, codes[here, x]] + 2 * excess[a, codes[there, x]]
                    excess[a, codes[here, x]] -= 1
                    excess[a, codes[there, x]] += 1
                    uneven[a] += 1
            if first_rise < least_rise - 1e-9:
                least_rise, n_least, chosen, second = first_rise, 1, change, -1
            for place in range(window):
                other = offset + place
                if other >= n:
                    other -= n
                two, old = sets[other], now[other]
                n_even, n_own = 0, 0
                for x in range(size):
                    a = raters[two, x]
                    if a >= 0:
                        n_own += 1
                        if uneven[a] == 0:
                            n_even += 1
                if other == subject or 2 * n_even > n_own:  # most of the changes would raise the excess
                    continue
                for new in range(first[two], first[two] + n_tight[two]):
                    rise = first_rise - costs[old]
                    for x in range(size):
                        a = raters[two, x]
                        if a >= 0 and codes[old, x] != codes[new, x]:
                            rise += 2 - 2 * excess[a, codes[old, x]] + 2 * excess[a, codes[new, x]]
                    if new == old or rise > least_rise + 1e-9:
                        continue
                    if rise < least_rise - 1e-9:
                        least_rise, n_least = rise, 0
                    n_least += 1  # each of several best changes is chosen with equal probability
                    state = (state * _FACTOR + _INCREMENT) & _MASK
                    if state * n_least <= _MASK:
                        chosen, second, second_pattern = change, other, new
            for x in range(size):
                a = raters[one, x]
                if a >= 0 and codes[here, x] != codes[there, x]:
                    excess[a, codes[here, x]] += 1
                    excess[a, codes[there, x]] -= 1
                    uneven[a] -= 1
        state = (state * _FACTOR + _INCREMENT) & _MASK
        if chosen == -1 or state / _MASK >= np.exp(-least_rise / _TEMPERATURE):
            continue
        for turn in range(1 if second == -1 else 2):
            subject = first_subjects[chosen] if turn == 0 else second
            there = first_patterns[chosen] if turn == 0 else second_pattern
            here = now[subject]
            for x in range(size):
                a = raters[sets[subject], x]
                if a >= 0:
                    excess[a, codes[here, x]] -= 1
                    excess[a, codes[there, x]] += 1
            now[subject] = there
            cost += costs[there] - costs[here]
