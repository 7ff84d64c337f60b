"""Search for the table of largest agreement by simulated annealing, and say how far its end may be from the maximum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from kappamax._parallel import run_tasks
from kappamax._result import Result, plain
from kappamax._rootsum import RootSum
from kappamax._validate import as_choice, as_generator, as_whole_number, require_time_limit
from kappamax.annealing.diagonal_sweep import SWEEPS
from kappamax.annealing.move_walk import require_listable
from kappamax.annealing.schedules import Geometric, Schedule, StaleAgreement, Stopping, require_end, require_settings
from kappamax.annealing.search import Search, SearchEnd, run_search
from kappamax.annealing.trace import Moment, Trace
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import Interrupted, InvalidOptionError
from kappamax.fibers.markov_basis import MoveSet, basic_moves, minimal_moves
from kappamax.io import Ratings
from kappamax.maximum.price_bounds import settles
from kappamax.maximum.problem import Watch, problem_for
from kappamax.maximum.solve import solve
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike

PROPOSALS = ("moves", "swaps")
UNITS = ("counts", "proportions")
MOVE_SETS = {"basic": basic_moves, "minimal": minimal_moves}


def anneal(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    proposal: str = "moves",
    moves: str | MoveSet = "basic",
    schedule: Schedule | None = None,
    temperature_unit: str = "counts",
    stopping: Stopping | None = None,
    max_steps: int | None = None,
    sweep: str = "once",
    trace: int | None = None,
    restarts: int = 1,
    n_jobs: int = 1,
    bound_time: float | None = 2.0,
    rng: np.random.Generator | int | None = None,
    progress: Callable[[int], None] | None = None,
    watch: Callable[[Moment], None] | None = None,
    categories: Sequence[Label] | None = None,
) -> Annealing:
    """Search for the table of largest agreement with the observed margins by simulated annealing (figure 5).

    `max_kappa` finds the maximum, with a proof or a bound; annealing shows what a walk along moves reaches, and how
    soon.

    Parameters
    ----------
    *ratings : a Table, a frame, or two or more label arrays
    weights, coefficient, categories
        As for `max_kappa`.
    proposal : "moves" or "swaps"
        "moves" is the paper's: a move drawn from `moves`, made if no count falls below zero. "swaps" picks two subjects
        and exchanges some raters' ratings between them: always possible, at the same cost for any number of possible
        patterns, and with missing ratings too.
    moves : "basic", "minimal" or a MoveSet
        What the paper's proposal draws from.
    schedule : Geometric, Linear, Logarithmic or Constant
        Temperatures; `Geometric(1, 0.94)` if left out, which reproduces the paper's study.
    temperature_unit : "counts" or "proportions"
        Whether a change of agreement is divided by the temperature in subjects (as the paper's study must have done)
        or as a share of all subjects (as its formula says).
    stopping : StaleAgreement, StaleMoves or FixedSteps
        `StaleAgreement()` if left out: c = max(10 #M, 1000) steps without a change of agreement. For swaps #M is the
        number of swaps by one rater, r N (N - 1) / 2.
    max_steps : int, optional
        Steps after which to stop in any case; ten million for swaps if left out, for which c can be astronomical.
    sweep : "once", "all" or "none"
        The last step: moves with two +1 on the diagonal, each once as in the pseudo-code, or until none applies.
    trace : int, optional
        Keep step, temperature, agreement and acceptance after every so many steps.
    restarts, n_jobs : int
        Independent searches from the observed table, of which the best is returned, and processes that share them.
    bound_time : float or None
        Seconds the exact solver may take to say how far the result may be from the maximum; None for no limit.
    rng : int, Generator or None
    progress : callable, optional
        Called with the number of steps done, with one process.
    watch : callable, optional
        Called with every entry of the trace and the table at it, with one process.

    Raises
    ------
    NotSupportedError
        If moves cannot be listed, or ratings are missing, and the proposal is "moves"; or if rearranging the ratings
        changes what the coefficient expects by chance.
    Interrupted
        On Ctrl-C; `.best` is the best of the searches so far, the one that was stopped included.

    Examples
    --------
    >>> import kappamax as km
    >>> found = km.anneal(km.example("rapallo2022"), weights="sqrt", rng=1)
    >>> round(found.reached, 4), found.proven
    (0.7528, True)
    """
    objective = as_objective(*ratings, weights=weights, coefficient=coefficient, categories=categories)
    objective.value(objective.score)  # undefined before anything else
    search = Search(
        objective=objective,
        proposal=as_choice("proposal", proposal, PROPOSALS),
        moves=_move_set(moves, objective.table),
        schedule=Geometric() if schedule is None else schedule,
        unit=as_choice("temperature_unit", temperature_unit, UNITS),
        stopping=StaleAgreement() if stopping is None else stopping,
        max_steps=None if max_steps is None else as_whole_number("max_steps", max_steps, 1),
        sweep=as_choice("sweep", sweep, SWEEPS),
        trace=None if trace is None else as_whole_number("trace", trace, 1),
    )
    require_settings(search.schedule, search.stopping)
    require_time_limit("bound_time", bound_time)
    require_end(search.patience, search.limit)
    generators = as_generator(rng).spawn(as_whole_number("restarts", restarts, 1))
    problem_for(objective, 1)  # refuses coefficients whose chance term moves with the ratings
    if search.proposal == "moves":
        require_listable(search.moves, objective.table.n_missing)
    ends: list[SearchEnd] = []
    try:
        callbacks = (progress, watch) if n_jobs == 1 else (None, None)
        for end in run_tasks(run_search, ((search, own, *callbacks) for own in generators), n_jobs):
            ends.append(end)
    except KeyboardInterrupt as stopped:
        if isinstance(stopped, Interrupted):
            ends.append(stopped.best)
        if not ends:
            raise
        raise Interrupted(_annealing(search, ends, None)) from None
    try:
        return _annealing(search, ends, Watch(bound_time))
    except Interrupted:  # the search is over, only its bound is not
        raise Interrupted(_annealing(search, ends, None)) from None


@dataclass(frozen=True, repr=False)
class Annealing(Result):
    """Where simulated annealing ended; nothing is rounded.

    Attributes
    ----------
    value : float
        The observed coefficient.
    reached : float
        The coefficient of `table`, the largest at which a search ended; `exact_reached` is the same as a fraction
        where it is one.
    steps : int
        T: all steps up to and including the last; those of the final sweep do not count.
    settled : int
        The step of the last change that the stopping rule counts.
    accepted : int
        Steps that changed the table.
    swept : int
        Moves the final sweep made.
    n_moves, patience : int
        What is drawn from (#M), and the c of the stopping rule, 0 for none.
    stopped : "stale", "max_steps" or "interrupted"
    proven : bool
        Whether it is proven that no table with these margins, and the same sets of raters, has a larger value.
    bound : float
        No table has a larger value than this; `gap` is what is left between.
    restarts : sequence of dict
        The value and the steps of every search.
    table : Table
        The table the best search ended at.
    trace : Trace or None
    """

    coefficient: str
    title: str
    weights: str
    proposal: str
    n_moves: int
    patience: int
    value: float
    reached: float
    exact_reached: Fraction | None
    proven: bool
    bound: float
    gap: float
    steps: int
    settled: int
    accepted: int
    swept: int
    stopped: str
    restarts: tuple[dict[str, Any], ...]
    table: Table = field(repr=False)
    trace: Trace | None = field(repr=False)
    objective: Objective = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Every field but the inner workings, as plain data for JSON."""
        names = [name for name in self.__dataclass_fields__ if name != "objective"]
        return {name: plain(getattr(self, name)) for name in names}

    def _rows(self) -> list[tuple[str, str]]:
        proof = "the proven maximum" if self.proven else f"the maximum is at most {numbers.decimal(self.bound)}"
        return [
            (f"{self.title}, {self.weights}", numbers.decimal(self.value)),
            ("reached by annealing", f"{numbers.decimal(self.reached)} ({proof})"),
            ("proposal", f"{self.proposal}, {numbers.count(self.n_moves)} to draw from"),
            ("steps", f"{numbers.count(self.steps)}, the last change at {numbers.count(self.settled)}"),
            ("searches", numbers.count(len(self.restarts))),
        ]


def _annealing(search: Search, ends: list[SearchEnd], watch: Watch | None) -> Annealing:
    """The best of some searches beside what the exact solver proves."""
    objective = search.objective
    best = min(ends, key=lambda end: end.score)
    problem = problem_for(objective, 1)
    if watch is None:
        bound, proven = RootSum(), best.score == 0  # no table disagrees less than not at all
    else:
        bound = max(solve(problem, watch).bound, RootSum())  # a solver out of time may know less than that
        proven = settles(problem, best.score, bound)
    top, largest = objective.value(best.score), objective.value(bound)
    return Annealing(
        coefficient=objective.coefficient.name,
        title=objective.coefficient.title,
        weights=objective.weights.name,
        proposal=search.proposal,
        n_moves=search.n_moves,
        patience=search.patience,
        value=objective.value(objective.score),
        reached=top,
        exact_reached=objective.exact_value(best.score),
        proven=proven,
        bound=top if proven else largest,
        gap=0.0 if proven else largest - top,
        steps=best.steps,
        settled=best.settled,
        accepted=best.accepted,
        swept=best.swept,
        stopped=best.stopped,
        restarts=tuple({"reached": objective.value(end.score), "steps": end.steps} for end in ends),
        table=best.table,
        trace=best.trace,
        objective=objective,
    )


def _move_set(moves: str | MoveSet, table: Table) -> MoveSet:
    if not isinstance(moves, MoveSet):
        moves = MOVE_SETS[as_choice("moves", moves, tuple(MOVE_SETS))](table.n_categories, table.n_raters)
    if (moves.n_categories, moves.n_raters) != (table.n_categories, table.n_raters):
        raise InvalidOptionError(
            f"moves must be for {table.n_categories} categories and {table.n_raters} raters; got {moves!r}."
        )
    return moves
