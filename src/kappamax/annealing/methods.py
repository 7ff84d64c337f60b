"""Describe how an annealing search proposes, cools and stops: the settings objects of `anneal`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from kappamax._validate import as_choice, as_whole_number
from kappamax.annealing.diagonal_sweep import SWEEPS
from kappamax.annealing.schedules import Geometric, Schedule, StaleAgreement, Stopping, require_settings
from kappamax.errors import InvalidOptionError
from kappamax.fibers.markov_basis import MoveSet, basic_moves, minimal_moves

UNITS = ("counts", "proportions")
MOVE_SETS = {"basic": basic_moves, "minimal": minimal_moves}
SWAP_STEPS = 10_000_000


@dataclass(frozen=True, kw_only=True)
class AnnealingMethod:
    """Base class of the methods: the settings that both of them have."""

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
        """Number of steps after which a search stops in any case, or None."""
        limits = (self.max_steps, self.stopping.limit)
        return min((limit for limit in limits if limit is not None), default=None)


@dataclass(frozen=True, kw_only=True)
class MoveMethod(AnnealingMethod):
    """Anneal by moves, as in the paper: draw a move and make it if no count falls below zero.

    Parameters
    ----------
    moves : {"basic", "minimal"} or MoveSet
        Set of moves that a step draws from, default "basic".
    schedule : Schedule
        Temperature of each step, default ``Geometric(1, 0.94)``, with which the paper's study is reproduced.
    stopping : Stopping
        Rule that ends a search, default ``StaleAgreement()``. Its patience depends on the number of
        moves in the set.
    max_steps : int, optional
        Largest number of steps of a search. There is no limit by default.
    temperature_unit : {"counts", "proportions"}
        Whether the change of agreement is measured in subjects ("counts", default, as in the paper's study) or as a
        share of all subjects ("proportions", as in the paper's formula) before it is divided by the temperature.
    sweep : {"once", "all", "none"}
        Final sweep of moves that add two subjects to the diagonal: try each of these moves once (default, as in the
        paper's pseudo-code), repeat until none applies, or leave the sweep out.

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
            Size of the table.

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
    """Anneal by swaps: exchange the ratings of some raters between two subjects.

    A swap is always possible, costs the same for any number of categories and raters, and keeps the margins also where
    ratings are missing.

    Parameters
    ----------
    schedule : Schedule
        Temperature of each step, default ``Geometric(1, 0.94)``, with which the paper's study is reproduced.
    stopping : Stopping
        Rule that ends a search, default ``StaleAgreement()``. Its patience depends on the number of
        swaps by one rater, r N (N - 1) / 2.
    max_steps : int, optional
        Largest number of steps of a search. Default: ten million, unless the stopping rule has a
        limit of its own.
    temperature_unit : {"counts", "proportions"}
        Whether the change of agreement is measured in subjects ("counts", default, as in the paper's study) or as a
        share of all subjects ("proportions", as in the paper's formula) before it is divided by the temperature.
    sweep : {"once", "all", "none"}
        Final sweep of moves that add two subjects to the diagonal: try each of these moves once (default, as in the
        paper's pseudo-code), repeat until none applies, or leave the sweep out.

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
    """Return a method given as an object or by its name."""
    if isinstance(method, AnnealingMethod):
        return method
    if not isinstance(method, str):
        raise InvalidOptionError(f"method must be 'moves', 'swaps', a MoveMethod or a SwapMethod; got {method!r}.")
    return METHODS[as_choice("method", method, tuple(METHODS))]()
