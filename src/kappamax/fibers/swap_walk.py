"""Walk through a fiber by swaps of ratings between two subjects.

A swap exchanges the ratings of some raters between two subjects. Swaps are always possible, their cost does not depend
on the number of possible patterns, and together they connect the fiber. If random swaps are always accepted, the walk
has the uniform distribution over arrangements as its stationary distribution.

The change of disagreement is computed from contacts: G[e, p] is the cost of a rating in slot p together with all
ratings of subject e (`SwapCosts` defines slots). If the ratings of a subject in each slot change by d, its disagreement
changes by d'G + d'Ud / 2, where U is the matrix of the costs of pairs of slots.
"""

from __future__ import annotations

import numpy as np

from kappamax._jit import kernel
from kappamax._typing import Array, Integers
from kappamax.disagreement.objective import Objective
from kappamax.fibers.limits import require_subjects_in_memory
from kappamax.fibers.sampling import subject_rows
from kappamax.fibers.swap_costs import swap_costs
from kappamax.fibers.swap_kernel import PatternCounts, SwapRules, SwapState, swap_steps
from kappamax.patterns import n_ratings_of

LARGEST_CONTACTS = 100_000_000
_WORTH_COMPILING = 2_000
_SUBJECTS_PER_CHUNK = 65_536
# 64-bit numbers held for each rating and for each subject, including those by which the final table is grouped
_NUMBERS_PER_RATING, _NUMBERS_PER_SUBJECT = 3, 3
_SUBSET_RATERS = 50
STEPS_PER_BLOCK = 50_000  # steps of a walk between two checks for Ctrl-C
UNIFORMS_AT_ONCE = 1_000  # number of random numbers for acceptance that are drawn at a time
_SINGLE = 7 * 2**8  # out of 2^11; swaps of several raters take more time and improve mixing only a little


class SwapWalk:
    """Random walk that rearranges the ratings of subjects by swaps.

    Parameters
    ----------
    objective : Objective
        Objective that gives the initial ratings and the score.
    rng : Generator
        Source of randomness. Acceptance is drawn from a generator spawned from it, so the walk does not depend on how
        its steps are divided into calls.
    held : Objective, optional
        Objective whose score is held fixed. By default no score is held.
    uniform : bool, optional
        Whether the target distribution is uniform over tables instead of arrangements, default False.
    excursion : int, optional
        Maximum number of swaps before a held score must return to its value, default 1.
    counted : bool, optional
        Whether to keep the count of every possible pattern, default False. Walks with a uniform target always do.
    memory_limit : float, optional
        Number of bytes that the ratings of single subjects may use, default 1e9.

    Raises
    ------
    NotSupportedError
        If they would use more.
    """

    def __init__(
        self,
        objective: Objective,
        rng: np.random.Generator,
        *,
        held: Objective | None = None,
        uniform: bool = False,
        excursion: int = 1,
        counted: bool = False,
        memory_limit: float | None = None,
    ) -> None:
        found = swap_costs(objective, held, excursion=excursion)
        table, n_components = objective.table, found.costs.shape[2]
        # storing contacts is faster if a swap changes few of them; an excursion would have to restore them
        kept = held is None and not found.slots.any() and table.n_subjects * found.costs[0].size <= LARGEST_CONTACTS
        contacts = found.costs[0].size if kept else 0
        n_numbers = _NUMBERS_PER_RATING * table.n_raters + contacts + n_components + _NUMBERS_PER_SUBJECT
        require_subjects_in_memory(table, n_numbers, memory_limit)
        codes = subject_rows(table)
        factors, score = found.factors[n_ratings_of(codes)], np.zeros(n_components, dtype=found.costs.dtype)
        self.objective = objective
        self.state = SwapState(codes, found.slots, found.costs, factors, found.worth, score)
        self.contacts = _contacts(codes, found.costs) if kept else None
        self.pattern_counts = PatternCounts.of(codes, objective.table.n_categories) if counted or uniform else None
        self.stale = 0
        self._moduli = None if held is None else found.moduli
        self._excursion = excursion if held is not None else 1
        self._uniform, self._slack = uniform, found.slack
        self._drawing, (self._accepting,) = rng, rng.spawn(1)
        self._uniforms = np.zeros(0)

    @property
    def codes(self) -> Integers:
        """Current ratings, one row for each subject; -1 is a missing rating."""
        return self.state.codes

    def advance(
        self,
        coldness: Array,
        *,
        thin: int = 1,
        snapshots: Array | None = None,
        patience: int = 0,
        by_score: bool = True,
    ) -> tuple[Array, int, int]:
        """Take one step for every entry of `coldness`.

        A step that raises disagreement by d, in subjects, is accepted with probability at most exp(-coldness * d).

        Parameters
        ----------
        coldness : floats, shape (n_steps,)
            Inverse temperature of each step.
        thin : int, optional
            Number of steps between entries of the trace, default 1.
        snapshots : integers, shape (n_steps // thin, number of patterns), optional
            Array that receives the counts of all patterns at each entry of the trace. By default the counts are not
            recorded.
        patience : int, optional
            Number of consecutive steps without a change after which the walk stops. With 0, the default, the walk takes
            all steps.
        by_score : bool, optional
            Whether `patience` refers to changes of the score (True, the default) or of the table (False).

        Returns
        -------
        trace : numbers, shape (n_steps // thin, n_components)
            Change of every component since the start of the walk, in units of `state.worth`.
        n_taken : int
            Number of steps taken, which is smaller than requested if `patience` ran out.
        n_changed : int
            Number of steps that changed the table.
        """
        steps, r = len(coldness), self.codes.shape[1]
        size = (steps, self._excursion, 2)
        words = self._drawing.integers(2**64 - 1, size=size, dtype=np.uint64, endpoint=True).view(np.int64)
        coldness = np.ascontiguousarray(coldness, dtype=float)
        trace = np.zeros((steps // thin, len(self.state.score)), dtype=self.state.score.dtype)
        kept = np.zeros((0, 0), dtype=np.int64) if snapshots is None else snapshots
        # with two or three raters, swapping a set of raters is equivalent to swapping its complement, a single rater
        single = _SINGLE if 3 < r <= _SUBSET_RATERS else 2**11
        rules = SwapRules(single, self._uniform, self._slack, patience, by_score, thin)
        run = kernel(swap_steps, work=steps * r, worth=_WORTH_COMPILING)
        taken = changed = 0
        while taken < steps and not (patience and self.stale >= patience):
            if not len(self._uniforms):
                self._uniforms = self._accepting.random(UNIFORMS_AT_ONCE)
            done, made, used, self.stale = run(
                *(self.state, self.contacts, self.pattern_counts, self._moduli, rules),
                *(words[taken:], self._uniforms, coldness[taken:], self.stale, taken, trace, kept),
            )
            taken, changed = taken + int(done), changed + int(made)
            self._uniforms = self._uniforms[int(used) :]
        return trace[: taken // thin], taken, changed


def _contacts(codes: Array, costs: Array) -> Array:
    """Return the cost of a rating in each category together with the ratings of each subject."""
    padded = np.concatenate([costs, np.zeros_like(costs[:1])])  # a missing rating, -1, costs nothing
    contacts = np.zeros((len(codes), *costs[0].shape), dtype=costs.dtype)
    for start in range(0, len(codes), _SUBJECTS_PER_CHUNK):
        for column in codes[start : start + _SUBJECTS_PER_CHUNK].T:
            contacts[start : start + _SUBJECTS_PER_CHUNK] += padded[column]
    return contacts
