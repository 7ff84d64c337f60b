"""Ratings of subjects and random numbers in, the ratings after many swaps out: the kernel of every walk by subjects.

A swap takes two subjects and exchanges the ratings of some raters between them. It is always possible, costs the same
however many patterns there could be, and all swaps together connect the fiber. Proposed and always accepted, swaps make
all arrangements equally likely.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._jit import kernel
from kappamax.disagreement.objective import Objective
from kappamax.fibers.contact_walk import LARGEST_CONTACTS, contacts_of, contacts_walk
from kappamax.fibers.sampling import subject_rows
from kappamax.fibers.swap_costs import costs_of, held_costs_of
from kappamax.patterns import n_ratings_of
from kappamax.weights import Weights

__all__ = ["Walker"]

Array = npt.NDArray[Any]

_WORTH = 2_000
_SUBSET_RATERS = 50
_UNIFORMS = 1_000
_SINGLE = 7 * 2**8  # of 2^11: sets of raters cost more to judge and help a little


class Walker:
    """Subjects' ratings that swaps rearrange.

    Parameters
    ----------
    objective : Objective
        Fixes the ratings and what swaps are judged by.
    held : Objective, optional
        A score that must stay as it is.
    uniform : bool
        Whether tables, not arrangements, are equally likely; needs a count for every possible pattern.
    excursion : int
        Swaps in a row after which a held score must be back.
    """

    def __init__(
        self, objective: Objective, *, held: Objective | None = None, uniform: bool = False, excursion: int = 1
    ) -> None:
        table = objective.table
        self.objective = objective
        self.codes = subject_rows(table)
        judged = [costs_of(objective)]
        if held is not None:
            judged.append(held_costs_of(held, excursion))
        kind = np.result_type(*(one.pairs for one in judged))
        #: disagreement, in subjects, that a unit of each of the objective's own components stands for
        self.worth = judged[0].worth
        self.costs = np.concatenate([one.pairs for one in judged]).astype(kind, copy=False)
        by_size = np.concatenate([one.factors for one in judged]).astype(kind, copy=False)
        self.factors = by_size[:, n_ratings_of(self.codes)]
        self.moduli = np.concatenate([one.moduli for one in judged]).astype(kind, copy=False)
        self.tilts = np.concatenate([one.worth for one in judged])
        self.slack = judged[0].slack
        self.score = np.zeros(len(self.costs), dtype=kind)
        self.excursion = excursion if held is not None else 1
        self.uniform = uniform
        self.stale = 0
        self.worth_compiling = _WORTH
        self._accepting: np.random.Generator | None = None
        self._uniforms = np.zeros(0)
        self.strides = np.zeros(table.n_raters, dtype=np.int64)
        self.cells = np.zeros(len(self.codes), dtype=np.int64)
        self.counts = np.zeros(0, dtype=np.int64)
        n_contacts = len(self.codes) * table.n_categories * len(self.costs)
        #: whether all pairs of raters share one weighting and nothing but the score counts: a much shorter way
        self.plain = isinstance(objective.weights, Weights) and held is None and n_contacts <= LARGEST_CONTACTS

    @cached_property
    def _contacts(self) -> Array:
        return contacts_of(self.codes, self.costs[:, 0, 1])

    def count_cells(self) -> None:
        """Keep a count for every possible pattern from now on; a missing rating is one more category."""
        table = self.objective.table
        base = table.n_categories + (not table.complete)
        self.strides = base ** np.arange(table.n_raters, dtype=np.int64)[::-1]
        self.cells = (self.codes % base) @ self.strides
        self.counts = np.bincount(self.cells, minlength=int(base**table.n_raters))

    def advance(
        self,
        rng: np.random.Generator,
        coldness: Array,
        *,
        thin: int = 1,
        snapshots: Array | None = None,
        patience: int = 0,
        by_score: bool = True,
    ) -> tuple[Array, int, int]:
        """One step for every entry of `coldness`, by which changes of the score are judged.

        A step that raises disagreement, in subjects, by d is accepted with probability exp(-coldness * d) at most.

        Returns
        -------
        trace : numbers, shape (steps // thin, n_components)
            The change of every component since the start, after every `thin` steps; `worth` says what it stands for.
        n_steps, n_changed : int
            Steps taken, fewer than asked for where `patience` steps in a row left the score (or, unless `by_score`,
            the table) as it was; and those that changed the table.
        """
        steps, r = len(coldness), self.codes.shape[1]
        if self.plain and not self.uniform and not len(self.counts):
            return self._advance_by_contacts(rng, coldness, thin, patience, by_score)
        uniforms = rng.random((steps, 4 * self.excursion + 1))
        trace = np.zeros((steps // thin, len(self.costs)), dtype=self.score.dtype)
        kept = np.zeros((0, 0), dtype=np.int64) if snapshots is None else snapshots
        single = 0.5 if self._sets else 1.0
        run = kernel(_walk, work=steps * r, worth=self.worth_compiling)
        taken, changed, self.stale = run(
            *(self.codes, self.cells, self.strides, self.counts, self.costs, self.factors),
            *(self.tilts, self.moduli, self.slack, self.score, self.uniform, single, self.excursion),
            *(uniforms, np.ascontiguousarray(coldness, dtype=float), patience, by_score),
            *(self.stale, thin, trace, kept),
        )
        return trace[: int(taken) // thin], int(taken), int(changed)

    @property
    def _sets(self) -> bool:
        """Whether sets of raters swap too; of two or three, a set is one rater or all but one, which is the same."""
        return 3 < int(self.codes.shape[1]) <= _SUBSET_RATERS

    def _advance_by_contacts(
        self, rng: np.random.Generator, coldness: Array, thin: int, patience: int, by_score: bool
    ) -> tuple[Array, int, int]:
        """`advance` where one weighting is all that counts."""
        if self._accepting is None:  # so that a walk is the same however its steps are divided into calls
            (self._accepting,) = rng.spawn(1)
            self._uniforms = self._accepting.random(_UNIFORMS)
        steps = len(coldness)
        words = rng.integers(2**64 - 1, size=(steps, 2), dtype=np.uint64, endpoint=True).view(np.int64)
        coldness = np.ascontiguousarray(coldness, dtype=float)
        trace = np.zeros((steps // thin, len(self.costs)), dtype=self.score.dtype)
        costs, single = np.ascontiguousarray(self.costs[:, 0, 1]), _SINGLE if self._sets else 2**11
        run = kernel(contacts_walk, work=steps * self.codes.shape[1], worth=_WORTH)
        taken = changed = 0
        while taken < steps and not (patience and self.stale >= patience):
            done, made, used, self.stale = run(
                *(self.codes, self._contacts, costs, self.factors[0], self.tilts, self.slack, self.score, single),
                *(words[taken:], self._uniforms, coldness[taken:], patience, by_score, self.stale),
                *(taken, thin, trace),
            )
            taken, changed = taken + int(done), changed + int(made)
            self._uniforms = self._uniforms[int(used) :]
            if not len(self._uniforms):
                self._uniforms = self._accepting.random(_UNIFORMS)
        return trace[: taken // thin], taken, changed


def _walk(
    codes: Array,
    cells: Array,
    strides: Array,
    counts: Array,
    costs: Array,
    factors: Array,
    tilts: Array,
    moduli: Array,
    slack: float,
    score: Array,
    uniform: bool,
    single: float,
    excursion: int,
    uniforms: Array,
    coldness: Array,
    patience: int,
    by_score: bool,
    stale: int,
    thin: int,
    trace: Array,
    snapshots: Array,
) -> Any:
    """Steps of one or, where a score is held, up to `excursion` swaps each; compiled by numba for long walks."""
    n_subjects, r = codes.shape
    n_parts = len(costs)
    change = np.zeros_like(score)
    pairs = np.zeros((excursion, 2), dtype=np.int64)
    masks = np.zeros((excursion, r), dtype=np.bool_)
    changed = 0
    taken = 0
    for step in range(len(uniforms)):
        change[:] = 0
        log_ratio = 0.0
        made = 0
        differs, home = False, False
        while made < excursion and not home:
            # two subjects and the raters whose ratings they exchange: one rater, or any set
            a = int(uniforms[step, 4 * made] * n_subjects)
            b = int(uniforms[step, 4 * made + 1] * n_subjects)
            chosen = uniforms[step, 4 * made + 3]
            alone = int(chosen * r) if uniforms[step, 4 * made + 2] < single else -1
            bits = 0 if alone >= 0 else int(chosen * 2.0**r)
            pairs[made, 0], pairs[made, 1] = a, b
            mask = masks[made]
            made += 1
            inside, outside = False, False
            for s in range(r):
                mask[s] = (s == alone or (bits >> s) & 1 == 1) and codes[a, s] >= 0 and codes[b, s] >= 0
                if codes[a, s] != codes[b, s]:
                    inside = inside or mask[s]
                    outside = outside or not mask[s]
            differs = differs or (inside and outside)
            if inside:
                for sign in (-1, 1):  # take the two subjects out, swap, put them back
                    for e in (a, b):
                        if len(counts) > 0:
                            if sign < 0:
                                log_ratio -= math.log(counts[cells[e]])
                            counts[cells[e]] += sign
                            if sign > 0:
                                log_ratio += math.log(counts[cells[e]])
                        for s in range(r):
                            if mask[s]:
                                for t in range(r):
                                    if codes[e, t] >= 0 and t != s and not (mask[t] and t < s):
                                        for c in range(n_parts):
                                            cost = costs[c, s, t, codes[e, s], codes[e, t]]
                                            change[c] += sign * factors[c, e] * cost
                    if sign < 0:
                        for s in range(r):
                            if mask[s]:
                                step_in_cell = (codes[b, s] - codes[a, s]) * strides[s]
                                cells[a] += step_in_cell
                                cells[b] -= step_in_cell
                                codes[a, s], codes[b, s] = codes[b, s], codes[a, s]
            home = True
            for c in range(n_parts):
                home = home and not (moduli[c] != 0 and change[c] % moduli[c] != 0)
        exponent = log_ratio if uniform else 0.0
        for c in range(n_parts):
            if abs(change[c]) <= slack:  # rounding of doubles; integers have no slack
                change[c] = 0
            exponent -= coldness[step] * tilts[c] * change[c]
        accepted = home and (exponent >= 0.0 or uniforms[step, 4 * excursion] < math.exp(exponent))
        moved = False
        if accepted:
            changed += differs
            moved = differs and not by_score
            for c in range(n_parts):
                score[c] += change[c]
                moved = moved or change[c] != 0
        else:
            for swap in range(made - 1, -1, -1):
                a, b = pairs[swap]
                for s in range(r):
                    if masks[swap, s]:
                        step_in_cell = (codes[b, s] - codes[a, s]) * strides[s]
                        if len(counts) > 0:
                            counts[cells[a]] -= 1
                            counts[cells[b]] -= 1
                            counts[cells[a] + step_in_cell] += 1
                            counts[cells[b] - step_in_cell] += 1
                        cells[a] += step_in_cell
                        cells[b] -= step_in_cell
                        codes[a, s], codes[b, s] = codes[b, s], codes[a, s]
        stale = 0 if moved else stale + 1
        taken += 1
        if taken % thin == 0:
            trace[taken // thin - 1] = score
            if len(snapshots) > 0:
                snapshots[taken // thin - 1] = counts
        if patience > 0 and stale >= patience:
            break
    return taken, changed, stale
