"""Define temperature schedules and stopping rules of annealing searches.

All settings are frozen dataclasses. `to_dict`, `schedule_from` and `stopping_from` convert them to plain data and back,
so that a study can be described in a TOML file and a checkpoint records the settings that it belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import log
from typing import Any

import numpy as np

from kappamax._typing import Floats
from kappamax._validate import as_choice, as_finite_number, as_whole_number
from kappamax.display.text import listing
from kappamax.errors import InvalidOptionError

COLDEST = 1e-290  # lower temperatures are treated as zero
_POWERS_PER_BLOCK = 128


class _Setting:
    """Base class of the settings, which can be converted to plain data."""

    kind = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the kind and the parameters of the setting as plain data, without parameters that are None.

        Returns
        -------
        dict
            The key `kind` holds the name of the kind, such as "geometric".
        """
        numbers = {name: value for name, value in asdict(self).items() if value is not None}  # type: ignore[call-overload]  # subclasses are dataclasses
        return {"kind": self.kind} | numbers


class Schedule(_Setting):
    """Base class of temperature schedules."""

    def temperatures(self, first: int, n: int) -> Floats:
        """Return the temperatures of n consecutive steps.

        Parameters
        ----------
        first : int
            Index of the first of these steps, counted from 0.
        n : int
            Number of steps.

        Returns
        -------
        floats, shape (n,)
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Geometric(Schedule):
    """Geometric schedule tau_b = start * factor^b, as in the paper.

    The defaults reproduce the study of the paper. The first step, b = 0, has temperature `start`, as in the pseudo-code
    of the paper.

    Parameters
    ----------
    start : float, optional
        Temperature of the first step, above 0, default 1.
    factor : float, optional
        Factor by which the temperature is multiplied after each step, above 0 and at most 1, default 0.94.

    Raises
    ------
    InvalidOptionError
        If a parameter is out of range.

    Examples
    --------
    >>> Geometric(10, 0.5).temperatures(0, 4).tolist()
    [10.0, 5.0, 2.5, 1.25]
    """

    start: float = 1.0
    factor: float = 0.94
    kind = "geometric"

    def __post_init__(self) -> None:
        _require_above_zero("start", self.start)
        if not 0 < as_finite_number("factor", self.factor) <= 1:
            raise InvalidOptionError(f"factor must be above 0 and at most 1; got {self.factor!r}.")

    def temperatures(self, first: int, n: int) -> Floats:
        """See `Schedule`."""
        warm = n if self.factor == 1 else min(n, max(0, int(log(COLDEST / self.start) / log(self.factor)) - first))
        found = _geometric(self.start, self.factor, first, warm)
        return found if warm == n else np.concatenate([found, np.zeros(n - warm)])


@dataclass(frozen=True)
class Linear(Schedule):
    """Linear schedule from `start` down to zero.

    The temperature falls by the same amount in each of `steps` steps and then remains zero. At temperature zero, moves
    that lower agreement are rejected.

    Parameters
    ----------
    start : float, optional
        Temperature of the first step, above 0, default 1.
    steps : int, optional
        Number of steps until the temperature is zero, default 100.

    Raises
    ------
    InvalidOptionError
        If a parameter is out of range.

    Examples
    --------
    >>> Linear(1, 4).temperatures(2, 4).tolist()
    [0.5, 0.25, 0.0, 0.0]
    """

    start: float = 1.0
    steps: int = 100
    kind = "linear"

    def __post_init__(self) -> None:
        _require_above_zero("start", self.start)
        as_whole_number("steps", self.steps, 1)

    def temperatures(self, first: int, n: int) -> Floats:
        """See `Schedule`."""
        left = 1 - np.arange(first, first + n) / self.steps
        return np.asarray(self.start * left.clip(min=0))


@dataclass(frozen=True)
class Logarithmic(Schedule):
    """Logarithmic schedule tau_b = start * log(2) / log(b + 2), where b = 0 is the first step.

    This is the slowest of the classical schedules. Theorems on the convergence of annealing need such a schedule, but
    in practice it usually takes many steps.

    Parameters
    ----------
    start : float, optional
        Temperature of the first step, above 0, default 1.

    Raises
    ------
    InvalidOptionError
        If `start` is not above 0.

    Examples
    --------
    >>> Logarithmic(1).temperatures(0, 3).round(3).tolist()
    [1.0, 0.631, 0.5]
    """

    start: float = 1.0
    kind = "logarithmic"

    def __post_init__(self) -> None:
        _require_above_zero("start", self.start)

    def temperatures(self, first: int, n: int) -> Floats:
        """See `Schedule`."""
        return np.asarray(self.start * log(2) / np.log(np.arange(first, first + n) + 2.0))


@dataclass(frozen=True)
class Constant(Schedule):
    """Schedule with a constant temperature.

    Parameters
    ----------
    temperature : float, optional
        Temperature of all steps, at least 0, default 0. At temperature zero, moves that lower agreement are rejected.

    Raises
    ------
    InvalidOptionError
        If `temperature` is below 0.

    Examples
    --------
    >>> Constant(0.5).temperatures(10, 2).tolist()
    [0.5, 0.5]
    """

    temperature: float = 0.0
    kind = "constant"

    def __post_init__(self) -> None:
        if not as_finite_number("temperature", self.temperature) >= 0:
            raise InvalidOptionError(f"temperature must be >= 0; got {self.temperature!r}.")

    def temperatures(self, first: int, n: int) -> Floats:
        """See `Schedule`."""
        return np.full(n, float(self.temperature))


class Stopping(_Setting):
    """Base class of stopping rules.

    Attributes
    ----------
    by_agreement : bool
        Whether a step counts as a success if it changes agreement (True) or if it changes the table (False).
    limit : int or None
        Maximum number of steps; None if there is no maximum.
    """

    by_agreement = True

    @property
    def limit(self) -> int | None:
        """Maximum number of steps; None if there is no maximum."""
        return None

    def patience_for(self, n_neighbours: int) -> int:
        """Return the number of consecutive steps without success after which the search stops.

        Parameters
        ----------
        n_neighbours : int
            Number of moves that a step draws from.

        Returns
        -------
        int
            Number of steps; 0 if there is no such number.
        """
        return 0


@dataclass(frozen=True)
class StaleAgreement(Stopping):
    """Stop after c consecutive steps that do not change agreement, as in the study of the paper.

    A move that is made but does not change agreement counts as a step without a change.

    Parameters
    ----------
    patience : int, optional
        The number c, at least 1. The default is max(10 #M, 1000), where #M is the number of moves that a step draws
        from.

    Raises
    ------
    InvalidOptionError
        If `patience` is not a whole number of at least 1.

    Examples
    --------
    >>> StaleAgreement().patience_for(72), StaleAgreement(50).patience_for(72)
    (1000, 50)
    """

    patience: int | None = None
    kind = "stale-agreement"

    def __post_init__(self) -> None:
        if self.patience is not None:
            as_whole_number("patience", self.patience, 1)

    def patience_for(self, n_neighbours: int) -> int:
        """See `Stopping`."""
        return max(10 * n_neighbours, 1000) if self.patience is None else self.patience


@dataclass(frozen=True)
class StaleMoves(Stopping):
    """Stop after a number of consecutive steps that do not change the table, as in the paper for small problems.

    Parameters
    ----------
    patience : int, optional
        Number of steps, at least 1, default 1000.

    Raises
    ------
    InvalidOptionError
        If `patience` is not a whole number of at least 1.
    """

    patience: int = 1000
    kind = "stale-moves"
    by_agreement = False

    def __post_init__(self) -> None:
        if self.patience is not None:
            as_whole_number("patience", self.patience, 1)

    def patience_for(self, n_neighbours: int) -> int:
        """See `Stopping`."""
        return self.patience


@dataclass(frozen=True)
class FixedSteps(Stopping):
    """Stop after a fixed number of steps, as in the pseudo-code of the paper.

    Parameters
    ----------
    steps : int, optional
        Number of steps (B in the paper), at least 1, default 10,000.

    Raises
    ------
    InvalidOptionError
        If `steps` is not a whole number of at least 1.
    """

    steps: int = 10_000
    kind = "fixed-steps"

    def __post_init__(self) -> None:
        as_whole_number("steps", self.steps, 1)

    @property
    def limit(self) -> int:
        """See `Stopping`."""
        return self.steps


SCHEDULES: dict[str, Any] = {one.kind: one for one in (Geometric, Linear, Logarithmic, Constant)}
STOPPINGS: dict[str, Any] = {one.kind: one for one in (StaleAgreement, StaleMoves, FixedSteps)}


def schedule_from(data: Mapping[str, Any]) -> Schedule:
    """Return the schedule that is described by plain data.

    Parameters
    ----------
    data : mapping
        Kind and parameters of the schedule, such as {"kind": "geometric", "start": 1.0, "factor": 0.94}.

    Returns
    -------
    Schedule

    Raises
    ------
    InvalidOptionError
        If there is no such kind, or a parameter is unknown or out of range.
    """
    schedule: Schedule = _from_plain("schedule", data, SCHEDULES)
    return schedule


def stopping_from(data: Mapping[str, Any]) -> Stopping:
    """Return the stopping rule that is described by plain data.

    Parameters
    ----------
    data : mapping
        Kind and parameters of the rule, such as {"kind": "stale-moves", "patience": 1000}.

    Returns
    -------
    Stopping

    Raises
    ------
    InvalidOptionError
        If there is no such kind, or a parameter is unknown or out of range.
    """
    stopping: Stopping = _from_plain("stopping", data, STOPPINGS)
    return stopping


def require_settings(schedule: object, stopping: object) -> None:
    """Require that a schedule and a stopping rule are instances with the necessary methods, not classes."""
    for argument, value, example, method in (
        ("schedule", schedule, "Geometric(1, 0.94)", "temperatures"),
        ("stopping", stopping, "StaleAgreement()", "patience_for"),
    ):
        if isinstance(value, type) or not (hasattr(value, method) and hasattr(value, "to_dict")):
            raise InvalidOptionError(f"{argument} must be an object such as {example}; got {value!r}.")


def require_end(patience: int, limit: int | None) -> None:
    """Require that a search ends, because of its patience or its maximum number of steps."""
    if not patience and limit is None:
        raise InvalidOptionError(
            "the search would never stop. Set max_steps, or pass a stopping rule with a patience or a maximum."
        )


def _from_plain(argument: str, data: Any, kinds: Mapping[str, Any]) -> Any:
    """Return the setting that is described by its kind and parameters."""
    if not isinstance(data, Mapping):
        raise InvalidOptionError(f"{argument} must be a mapping whose kind is one of {listing(kinds)}; got {data!r}.")
    kind = kinds[as_choice(f"{argument}.kind", data.get("kind"), tuple(kinds))]
    numbers = {name: value for name, value in data.items() if name != "kind"}
    known = [field.name for field in fields(kind)]
    for name in numbers:
        if name not in known:
            raise InvalidOptionError(f"{argument} {kind.kind!r} has no parameter {name!r}; it has {listing(known)}.")
    return kind(**numbers)


def _require_above_zero(argument: str, value: float) -> None:
    if not as_finite_number(argument, value) > 0:
        raise InvalidOptionError(f"{argument} must be > 0; got {value!r}.")


def _geometric(start: float, factor: float, first: int, n: int) -> Floats:
    """Return the temperatures start * factor^b of n consecutive steps.

    Each is computed as (start * factor^(128 q)) * factor^j, where b = 128 q + j and j < 128. The temperature of a step
    therefore does not depend on the other steps that are computed with it.
    """
    blocks = np.arange(first // _POWERS_PER_BLOCK, (first + n) // _POWERS_PER_BLOCK + 1, dtype=float)
    warmest = start * factor ** (_POWERS_PER_BLOCK * blocks)
    found = warmest[:, None] * factor ** np.arange(_POWERS_PER_BLOCK, dtype=float)
    return found.ravel()[first % _POWERS_PER_BLOCK :][:n]
