"""Ratings of subjects and random numbers in, the ratings after many swaps out: the kernel of every walk by subjects.

A swap takes two subjects and exchanges the ratings of some raters between them. It is always possible, costs the same
however many patterns there could be, and all swaps together connect the fiber. Proposed and always accepted, swaps make
all arrangements equally likely.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kappamax._exact import magnitude
from kappamax._jit import kernel
from kappamax.fibers.sample import subject_rows
from kappamax.objective import Objective
from kappamax.table import n_ratings_of

__all__ = ["Costs", "Walker", "costs_of"]

Array = npt.NDArray[Any]

_WORTH = 2_000
_SUBSET_RATERS = 50
_SAFE = 2**60
_SCALE = 2.0**40


class Costs(NamedTuple):
    """What two raters' ratings on one subject cost, in whole units.

    Attributes
    ----------
    pairs : integers, shape (n_components, r, r, k, k)
        For both orders of two raters.
    factors : integers, shape (r + 1,)
        By which a subject's costs count, by its number of ratings.
    roots : floats, shape (n_components,)
        What a unit of each component is worth; their sum is the score of `objective`, up to rounding.
    exact : bool
        Whether the units are the objective's own; weights that are not exact are rounded to some 1e-12.
    """

    pairs: npt.NDArray[np.int64]
    factors: npt.NDArray[np.int64]
    roots: npt.NDArray[np.float64]
    exact: bool


def costs_of(objective: Objective) -> Costs:
    """The costs of an objective, for the kernel."""
    table, k = objective.table, objective.table.n_categories
    r, radicands = table.n_raters, objective.radicands
    factors = np.array([objective.factors.get(size, 0) for size in range(r + 1)], dtype=np.int64)
    found = list(objective.entries())
    bound = max(magnitude(entries) for _, _, entries in found) * r * r * table.n_subjects * int(factors.max())
    exact = objective.weights.exact and bound < _SAFE
    roots = np.sqrt(np.array(radicands, dtype=float))
    if not exact:
        largest = max(magnitude(entries) for _, _, entries in found)
        scale = _SCALE / (r * r * max(1, table.n_subjects.bit_length()))
        roots = np.array([float(largest) / scale])
    pairs = np.zeros((len(roots), r, r, k, k), dtype=np.int64)
    for a, b, entries in found:
        whole = np.moveaxis(entries, 2, 0)
        if not exact:
            whole = np.rint((entries.astype(float) @ np.sqrt(np.array(radicands, dtype=float))) / roots[0])[None]
        pairs[:, a, b] = whole
        pairs[:, b, a] = np.swapaxes(whole, 1, 2)
    return Costs(pairs, factors, roots, exact)


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
        own = costs_of(objective)
        others = [] if held is None else [costs_of(held)]
        self.roots = own.roots
        self.costs = np.concatenate([own.pairs, *(one.pairs for one in others)])
        n_ratings = n_ratings_of(self.codes)
        factors = [np.tile(one.factors[n_ratings], (len(one.pairs), 1)) for one in (own, *others)]
        self.factors = np.concatenate(factors)
        self.held = np.arange(len(self.costs)) >= len(own.pairs)
        self.tilts = np.where(self.held, 0.0, np.concatenate([own.roots, *(one.roots for one in others)]))
        self.score = np.zeros(len(self.costs), dtype=np.int64)
        self.excursion = excursion if held is not None else 1
        self.uniform = uniform
        self.stale = 0
        self.worth_compiling = _WORTH
        self.strides = np.zeros(table.n_raters, dtype=np.int64)
        self.cells = np.zeros(len(self.codes), dtype=np.int64)
        self.counts = np.zeros(0, dtype=np.int64)

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
    ) -> tuple[Array, int, int]:
        """One step for every entry of `coldness`, by which changes of the score are judged.

        A step that raises the score by d is accepted with probability exp(-coldness * d) at most.

        Returns
        -------
        trace : integers, shape (steps // thin, n_components)
            The change of every component since the start, after every `thin` steps.
        n_steps, n_changed : int
            Steps taken, fewer than asked for where `patience` steps in a row left the score as it was; and those that
            changed the table.
        """
        steps, r = len(coldness), self.codes.shape[1]
        uniforms = rng.random((steps, 4 * self.excursion + 1))
        trace = np.zeros((steps // thin, len(self.costs)), dtype=np.int64)
        kept = np.zeros((0, 0), dtype=np.int64) if snapshots is None else snapshots
        single = 1.0 if r == 2 or r > _SUBSET_RATERS else 0.5
        run = kernel(_walk, work=steps * r, worth=self.worth_compiling)
        taken, changed, self.stale = run(
            *(self.codes, self.cells, self.strides, self.counts, self.costs, self.factors),
            *(self.tilts, self.held, self.score, self.uniform, single, self.excursion),
            *(uniforms, np.ascontiguousarray(coldness, dtype=float), patience, self.stale, thin, trace, kept),
        )
        return trace[: int(taken) // thin], int(taken), int(changed)


def _walk(
    codes: Array,
    cells: Array,
    strides: Array,
    counts: Array,
    costs: Array,
    factors: Array,
    tilts: Array,
    held: Array,
    score: Array,
    uniform: bool,
    single: float,
    excursion: int,
    uniforms: Array,
    coldness: Array,
    patience: int,
    stale: int,
    thin: int,
    trace: Array,
    snapshots: Array,
) -> Any:
    """Steps of one or, where a score is held, up to `excursion` swaps each; compiled by numba for long walks."""
    n_subjects, r = codes.shape
    n_parts = len(costs)
    change = np.zeros(n_parts, dtype=np.int64)
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
            bits = 1 << int(chosen * r) if uniforms[step, 4 * made + 2] < single else int(chosen * 2.0**r)
            pairs[made, 0], pairs[made, 1] = a, b
            mask = masks[made]
            made += 1
            inside, outside = False, False
            for s in range(r):
                mask[s] = (bits >> s) & 1 == 1 and codes[a, s] >= 0 and codes[b, s] >= 0
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
                home = home and not (held[c] and change[c] != 0)
        exponent = log_ratio if uniform else 0.0
        for c in range(n_parts):
            exponent -= coldness[step] * tilts[c] * change[c]
        accepted = home and (exponent >= 0.0 or uniforms[step, 4 * excursion] < math.exp(exponent))
        moved = False
        if accepted:
            changed += differs
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
