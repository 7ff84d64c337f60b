"""Define the settings objects of `anneal`, which describe how a search proposes changes, cools and stops."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from kappamax._validate import as_choice, as_whole_number
from kappamax.annealing.diagonal_sweep import SWEEPS
from kappamax.annealing.schedules import Geometric, Schedule
from kappamax.annealing.stopping_rules import StaleAgreement, Stopping
from kappamax.errors import InvalidOptionError
from kappamax.fibers.markov_basis import MoveSet, basic_moves, minimal_moves

UNITS = ("counts", "proportions")
MOVE_SETS = {"basic": basic_moves, "minimal": minimal_moves}
SWAP_STEPS = 10_000_000


@dataclass(frozen=True, kw_only=True)
class AnnealingMethod:
    """Base class of the methods, with the settings that both of them have."""

    proposal: ClassVar[str]

    schedule: Schedule = field(default_factory=Geometric)
    stopping: Stopping = field(default_factory=StaleAgreement)
    max_steps: int | None = None
    temperature_unit: str = "counts"
    sweep: str = "once"

    def __post_init__(self) -> None:
        require_settings(self.schedule, self.stopping)
        if self.max_steps is not None:
            object.__setattr__(self, "max_steps", as_whole_number("max_steps", self.max_steps, 1))
        object.__setattr__(self, "temperature_unit", as_choice("temperature_unit", self.temperature_unit, UNITS))
        object.__setattr__(self, "sweep", as_choice("sweep", self.sweep, SWEEPS))

    @property
    def limit(self) -> int | None:
        """Number of steps after which a search stops in any case; None if there is no such number."""
        limits = (self.max_steps, self.stopping.limit)
        return min((limit for limit in limits if limit is not None), default=None)


@dataclass(frozen=True, kw_only=True)
class MoveMethod(AnnealingMethod):
    """Annealing method that proposes moves, as in the paper.

    A step draws a move at random. The move is rejected if it would make a count negative.

    Parameters
    ----------
    moves : {"basic", "minimal"} or MoveSet
        Set of moves that a step draws from, default "basic".
    schedule : Schedule
        Temperature of each step, default ``Geometric(1, 0.94)``, which reproduces the study of the paper.
    stopping : Stopping
        Rule that ends a search, default ``StaleAgreement()``, whose patience depends on the number of moves in the set.
    max_steps : int, optional
        Maximum number of steps of a search. By default there is no maximum.
    temperature_unit : {"counts", "proportions"}
        Unit of the change of agreement that is divided by the temperature. "counts", the default, measures it in
        subjects, as in the study of the paper. "proportions" measures it as a share of all subjects, as in the formula
        of the paper.
    sweep : {"once", "all", "none"}
        Final sweep of moves that add two subjects to the diagonal. "once", the default, makes each of these moves at
        most once, as in the pseudo-code of the paper; "all" repeats them until none applies; "none" omits the sweep.

    Raises
    ------
    InvalidOptionError
        If a setting is out of range or has an unknown value.

    Examples
    --------
    >>> import kappamax as km
    >>> slow = km.annealing.MoveMethod(moves="minimal", schedule=km.annealing.Linear(2, 200))
    >>> round(km.anneal(km.example("rapallo2022"), weights="linear", method=slow, rng=1).reached, 4)
    0.7511
    """

    proposal: ClassVar[str] = "moves"

    moves: str | MoveSet = "basic"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.moves, MoveSet):
            object.__setattr__(self, "moves", as_choice("moves", self.moves, tuple(MOVE_SETS)))

    def move_set(self, n_categories: int, n_raters: int) -> MoveSet:
        """Return the set of moves for tables of a given size.

        Parameters
        ----------
        n_categories, n_raters : int
            Numbers of categories and raters of the tables.

        Returns
        -------
        MoveSet

        Raises
        ------
        InvalidOptionError
            If `moves` is a set of moves for tables of another size.
        """
        if not isinstance(self.moves, MoveSet):
            return MOVE_SETS[self.moves](n_categories, n_raters)
        if (self.moves.n_categories, self.moves.n_raters) != (n_categories, n_raters):
            raise InvalidOptionError(
                f"moves must be for {n_categories} categories and {n_raters} raters; got {self.moves!r}."
            )
        return self.moves


@dataclass(frozen=True, kw_only=True)
class SwapMethod(AnnealingMethod):
    """Annealing method that proposes swaps of the ratings of some raters between two subjects.

    A swap is always possible and preserves the margins, even if ratings are missing. Its cost does not depend on the
    number of possible patterns.

    Parameters
    ----------
    schedule : Schedule
        Temperature of each step, default ``Geometric(1, 0.94)``, which reproduces the study of the paper.
    stopping : Stopping
        Rule that ends a search, default ``StaleAgreement()``, whose patience depends on the number r N (N - 1) / 2 of
        swaps by one rater.
    max_steps : int, optional
        Maximum number of steps of a search. By default it is ten million, unless the stopping rule has a maximum.
    temperature_unit : {"counts", "proportions"}
        Unit of the change of agreement that is divided by the temperature. "counts", the default, measures it in
        subjects, as in the study of the paper. "proportions" measures it as a share of all subjects, as in the formula
        of the paper.
    sweep : {"once", "all", "none"}
        Final sweep of moves that add two subjects to the diagonal. "once", the default, makes each of these moves at
        most once, as in the pseudo-code of the paper; "all" repeats them until none applies; "none" omits the sweep.

    Raises
    ------
    InvalidOptionError
        If a setting is out of range or has an unknown value.

    Examples
    --------
    >>> import kappamax as km
    >>> swaps = km.annealing.SwapMethod(max_steps=20_000)
    >>> round(km.anneal(km.example("rapallo2022"), weights="sqrt", method=swaps, rng=1).reached, 4)
    0.7528
    """

    proposal: ClassVar[str] = "swaps"

    @property
    def limit(self) -> int:
        """Number of steps after which a search stops in any case."""
        return super().limit or SWAP_STEPS


METHODS: dict[str, type[AnnealingMethod]] = {"moves": MoveMethod, "swaps": SwapMethod}


def as_method(method: Any) -> AnnealingMethod:
    """Return the method that is given as an object or by its name."""
    if isinstance(method, AnnealingMethod):
        return method
    if not isinstance(method, str):
        raise InvalidOptionError(f"method must be 'moves', 'swaps', a MoveMethod or a SwapMethod; got {method!r}.")
    return METHODS[as_choice("method", method, tuple(METHODS))]()


def require_settings(schedule: object, stopping: object) -> None:
    """Require that a schedule and a stopping rule are instances with the necessary methods, not classes."""
    for argument, value, example, method in (
        ("schedule", schedule, "Geometric(1, 0.94)", "temperatures"),
        ("stopping", stopping, "StaleAgreement()", "patience_for"),
    ):
        if isinstance(value, type) or not (hasattr(value, method) and hasattr(value, "to_dict")):
            raise InvalidOptionError(f"{argument} must be an object such as {example}; got {value!r}.")
