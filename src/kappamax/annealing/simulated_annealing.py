"""Search for the table of largest agreement by simulated annealing, and bound its distance from the maximum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from kappamax._parallel import run_tasks
from kappamax._progress import ProgressLike, as_progress
from kappamax._result import Result, plain, public_fields
from kappamax._rootsum import RootSum
from kappamax._validate import as_generator, as_whole_number, require_time_limit
from kappamax.annealing.methods import AnnealingMethod, as_method
from kappamax.annealing.move_walk import require_listable
from kappamax.annealing.search import Search, SearchEnd, run_search
from kappamax.annealing.stopping_rules import require_end
from kappamax.annealing.trace import Moment, Trace
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers
from kappamax.errors import Interrupted
from kappamax.io import Ratings
from kappamax.maximum.price_bounds import settles
from kappamax.maximum.problem import Watch, problem_for
from kappamax.maximum.solve import solve
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike

_MOST_RESTARTS = 100_000
_MOST_STEPS_PER_ENTRY = 1_000_000  # of a trace


def anneal(
    *ratings: Ratings,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    method: str | AnnealingMethod = "moves",
    restarts: int = 1,
    trace: int | None = None,
    bound_time: float | None = 2.0,
    n_jobs: int = 1,
    rng: np.random.Generator | int | None = None,
    progress: ProgressLike = None,
    watch: Callable[[Moment], None] | None = None,
    categories: Sequence[Label] | None = None,
) -> Annealing:
    """Search for the table of largest agreement with the observed margins by simulated annealing.

    The search is the algorithm of figure 5 of the source paper. It shows which value a random walk reaches and after
    how many steps. Use `max_kappa` to compute the maximum itself, with a proof or a bound.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        The observed ratings, from which the search starts.
    weights : str, Weights or mapping
        Disagreement weights, default "unweighted"; `kappa` lists the names.
    coefficient : str
        Name of the coefficient to maximise, default "kappa".
    method : {"moves", "swaps"}, MoveMethod or SwapMethod
        Method of the search. "moves", the default, draws from a set of moves, as in the paper. "swaps" exchanges
        ratings between two subjects and also works with missing ratings and with many categories or raters. Pass
        ``annealing.MoveMethod(...)`` or ``annealing.SwapMethod(...)`` to choose the cooling schedule, the stopping rule
        and the other settings.
    restarts : int
        Number of independent searches from the observed table, of which the best is returned, default 1.
    trace : int, optional
        Number of steps after each of which step, temperature, agreement and acceptance rate are recorded. By default
        no trace is recorded.
    bound_time : float or None
        Maximum time in seconds that the exact solver may take to bound the distance from the maximum, default 2. None
        sets no limit.
    n_jobs : int
        Number of processes that share the searches, default 1. The result does not depend on it.
    rng : int, numpy.random.Generator or None
        Seed or source of randomness. None, the default, draws a fresh seed.
    progress : callable or True, optional
        True shows the progress on standard error; a function is called as ``progress(done, total, message)`` with the
        number of steps. It is called only if `n_jobs` is 1.
    watch : callable, optional
        Function that is called with every entry of the trace and the table at that step, as a `Moment`. It is called
        only if `n_jobs` is 1.
    categories : sequence, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    Annealing
        The best table found, its value, and a bound on the maximum.

    Raises
    ------
    NotSupportedError
        If the method is "moves" and there are too many moves to list or ratings are missing, or if rearranging the
        ratings changes the expected agreement of the coefficient.
    UndefinedKappaError
        If all raters used a single category, or only categories between which the weights are zero.
    InvalidOptionError
        If an option is out of range or has an unknown value, or if the search would never stop.
    Interrupted
        If Ctrl-C stops the search. The attribute `best` of the exception is the best of the searches so far, including
        the one that was stopped.

    Examples
    --------
    >>> import kappamax as km
    >>> found = km.anneal(km.example("rapallo2022"), weights="sqrt", rng=1)
    >>> round(found.reached, 4), found.proven
    (0.7528, True)
    """
    objective = as_objective(*ratings, weights=weights, coefficient=coefficient, categories=categories)
    objective.value(objective.score)  # raises if the coefficient is undefined
    search = Search(
        objective,
        as_method(method),
        None if trace is None else as_whole_number("trace", trace, 1, _MOST_STEPS_PER_ENTRY),
    )
    moves = search.moves
    require_time_limit("bound_time", bound_time)
    progress = as_progress(progress)
    require_end(search.patience, search.method.limit, objective.table.n_subjects)
    generators = as_generator(rng).spawn(as_whole_number("restarts", restarts, 1, _MOST_RESTARTS))
    problem_for(objective, 1)  # raises if rearranging the ratings changes the expected disagreement
    if moves is not None:
        require_listable(moves, objective.table.n_missing)
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
    except Interrupted:  # the searches are complete, but the bound is not
        raise Interrupted(_annealing(search, ends, None)) from None


@dataclass(frozen=True, repr=False)
class Annealing(Result):
    """Result of a search by simulated annealing, with unrounded numbers.

    Attributes
    ----------
    coefficient, title, weights : str
        Short name of the coefficient, its name as a title, and the name of the weights.
    proposal : {"moves", "swaps"}
        Kind of change that a step proposes.
    n_moves : int
        Number of moves, or of swaps by one rater, that a step draws from (#M in the paper).
    patience : int
        Number of steps without success after which a search stops (c in the paper); 0 if there is no such rule.
    value : float
        Observed value of the coefficient.
    reached : float
        Value of the coefficient in `table`, which is the largest value at which a search ended.
    exact_reached : Fraction or None
        The same value as a fraction; None if it is not rational.
    proven : bool
        Whether it is proven that no table with the observed margins and the observed set of raters of each subject has
        a larger value.
    bound : float
        Proven upper bound on the coefficient of all these tables.
    gap : float
        Difference ``bound - reached``; 0 if `proven` is true.
    steps : int
        Number of steps of the best search (T in the paper), without the moves of the final sweep.
    settled : int
        Number of the last step that was a success for the stopping rule.
    accepted : int
        Number of steps that changed the table.
    swept : int
        Number of moves that the final sweep made.
    stopped : {"stale", "max_steps", "interrupted"}
        Reason why the best search stopped.
    restarts : tuple of dict
        Value reached and number of steps of every search.
    table : Table
        Table at which the best search ended.
    trace : Trace or None
        Trace of the best search; None if no trace was requested.
    objective : Objective
        The observed table, the weights and the coefficient.
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
        """Return all fields except the objective as plain data for JSON.

        Returns
        -------
        dict
        """
        names = [one.name for one in public_fields(self) if one.name != "objective"]
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
    """Return the best of several searches, with the bound that the exact solver proves."""
    objective = search.objective
    best = min(ends, key=lambda end: end.score)
    problem = problem_for(objective, 1)
    if watch is None:
        bound, proven = RootSum(), best.score == 0  # zero is a lower bound on the disagreement of every table
    else:
        bound = max(solve(problem, watch).bound, RootSum())  # a solver that ran out of time may have a weaker bound
        proven = settles(problem, best.score, bound)
    top, largest = objective.value(best.score), objective.value(bound)
    return Annealing(
        coefficient=objective.coefficient.name,
        title=objective.coefficient.title,
        weights=objective.weights.name,
        proposal=search.method.proposal,
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
        _data=objective.table.data,
    )
