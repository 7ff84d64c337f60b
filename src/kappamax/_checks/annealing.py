"""Settings of annealing in, clean values or a clear error out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from kappamax._validate import as_choice, as_finite_number, as_whole_number
from kappamax.display.text import listing
from kappamax.errors import InvalidOptionError, NotSupportedError


def above_zero(argument: str, value: float) -> None:
    """A finite number above zero."""
    if not as_finite_number(argument, value) > 0:
        raise InvalidOptionError(f"{argument} must be > 0; got {value!r}.")


def not_below_zero(argument: str, value: float) -> None:
    """A finite number, zero or above."""
    if not as_finite_number(argument, value) >= 0:
        raise InvalidOptionError(f"{argument} must be >= 0; got {value!r}.")


def share(argument: str, value: float) -> None:
    """A number above 0 and at most 1."""
    if not 0 < as_finite_number(argument, value) <= 1:
        raise InvalidOptionError(f"{argument} must be above 0 and at most 1; got {value!r}.")


def patience(value: int | None) -> None:
    """A number of steps, or none."""
    if value is not None:
        as_whole_number("patience", value, 1)


def made(argument: str, data: Any, kinds: Mapping[str, Any]) -> Any:
    """One of some settings from its kind and numbers."""
    if not isinstance(data, Mapping):
        raise InvalidOptionError(f"{argument} must be a table with a kind, one of {listing(kinds)}; got {data!r}.")
    kind = kinds[as_choice(f"{argument}.kind", data.get("kind"), tuple(kinds))]
    numbers = {name: value for name, value in data.items() if name != "kind"}
    known = [field.name for field in fields(kind)]
    for name in numbers:
        if name not in known:
            raise InvalidOptionError(f"{argument} {kind.kind!r} takes {listing(known)}; got {name!r}.")
    return kind(**numbers)


def a_setting(argument: str, value: Any, example: str, methods: tuple[str, ...]) -> None:
    """An object of one of the kinds for schedules or stopping rules."""
    if isinstance(value, type) or not all(hasattr(value, method) for method in methods):
        raise InvalidOptionError(f"{argument} must be an object such as {example}; got {value!r}.")


def moves_of_design(moves: Any, n_categories: int, n_raters: int) -> None:
    """A set of moves for the table's design."""
    if (moves.n_categories, moves.n_raters) != (n_categories, n_raters):
        raise InvalidOptionError(f"moves must be for {n_categories} categories and {n_raters} raters; got {moves!r}.")


def moves_apply(n_missing: int, n_moves: int, limit: int) -> None:
    """The paper's proposal needs complete ratings and moves that can be listed."""
    if n_missing:
        raise NotSupportedError(
            f"moves are drawn for complete ratings; {n_missing} are missing. proposal='swaps' works with gaps."
        )
    if n_moves > limit:
        raise NotSupportedError(
            f"drawing moves needs a list of them: there are {float(n_moves):.3g} and the limit is {limit:,}. "
            "proposal='swaps' works for any design."
        )


def pairwise(group_size: int) -> None:
    """Swaps and moves are judged by pairs of raters."""
    if group_size > 2:
        raise NotSupportedError(f"annealing works with pairwise agreement; got {group_size} raters at a time.")


def stops(patience: int, limit: int | None) -> None:
    """Some rule ends the search."""
    if not patience and limit is None:
        raise InvalidOptionError("the search would never stop: give max_steps or a stopping rule.")
