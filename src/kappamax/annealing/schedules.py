"""Define the temperature of every step of an annealing search, and when the search stops.

All settings are frozen dataclasses. `to_dict`, `schedule_from` and `stopping_from` convert them to plain data and back,
so that a study can be written in a TOML file and a checkpoint knows which settings it belongs to.
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

COLDEST = 1e-290  # lower temperatures are zero
_POWERS_PER_BLOCK = 128


class _Setting:
    """A setting that turns into plain data under the name of its kind."""

    kind = ""

    def to_dict(self) -> dict[str, Any]:
        """The kind and every number, without those left to default to None."""
        numbers = {name: value for name, value in asdict(self).items() if value is not None}  # type: ignore[call-overload]  # subclasses are dataclasses
        return {"kind": self.kind} | numbers


class Schedule(_Setting):
    """Temperatures that fall."""

    def temperatures(self, first: int, n: int) -> Floats:
        """The temperatures of n steps, of which `first` (counted from 0) is the first."""
        raise NotImplementedError


@dataclass(frozen=True)
class Geometric(Schedule):
    """tau_b = start * factor^b, the paper's form; its study is reproduced by the defaults.

    The first step has temperature `start`, as in the paper's pseudo-code.

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
    """From `start` down to zero in `steps` equal steps, then zero: only moves that do not lower agreement.

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
    """tau_b = start * log(2) / log(b + 2), the slowest classical form: the theory's guarantee, rarely its speed.

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
    """The same temperature throughout; at zero, no step lowers agreement."""

    temperature: float = 0.0
    kind = "constant"

    def __post_init__(self) -> None:
        if not as_finite_number("temperature", self.temperature) >= 0:
            raise InvalidOptionError(f"temperature must be >= 0; got {self.temperature!r}.")

    def temperatures(self, first: int, n: int) -> Floats:
        """See `Schedule`."""
        return np.full(n, float(self.temperature))


class Stopping(_Setting):
    """When a search ends; `by_agreement` says whether a step succeeds if agreement changes or if the table does."""

    by_agreement = True

    @property
    def limit(self) -> int | None:
        """Steps after which to stop in any case."""
        return None

    def patience_for(self, n_neighbours: int) -> int:
        """Steps in a row without success after which to stop; 0 for no such rule."""
        return 0


@dataclass(frozen=True)
class StaleAgreement(Stopping):
    """Stop after c steps in a row that leave agreement as it was: the rule of the paper's study.

    c is `patience`, or max(10 #M, 1000) if left out, with #M the number of moves to choose from. A move that is made
    and does not change agreement counts as a step without a change.
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
    """Stop after so many steps in a row in which the table stayed as it was: the paper's rule for small problems."""

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
    """Stop after so many steps, whatever happened: the paper's pseudo-code, B steps."""

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
    """Return a schedule from plain data such as {"kind": "geometric", "start": 1.0, "factor": 0.94}."""
    schedule: Schedule = _from_plain("schedule", data, SCHEDULES)
    return schedule


def stopping_from(data: Mapping[str, Any]) -> Stopping:
    """Return a stopping rule from plain data such as {"kind": "stale-moves", "patience": 1000}."""
    stopping: Stopping = _from_plain("stopping", data, STOPPINGS)
    return stopping


def require_settings(schedule: object, stopping: object) -> None:
    """Require a schedule and a stopping rule: objects with their methods, not classes."""
    for argument, value, example, method in (
        ("schedule", schedule, "Geometric(1, 0.94)", "temperatures"),
        ("stopping", stopping, "StaleAgreement()", "patience_for"),
    ):
        if isinstance(value, type) or not (hasattr(value, method) and hasattr(value, "to_dict")):
            raise InvalidOptionError(f"{argument} must be an object such as {example}; got {value!r}.")


def require_end(patience: int, limit: int | None) -> None:
    """Require that patience or a limit of steps ends a search."""
    if not patience and limit is None:
        raise InvalidOptionError("the search would never stop: give max_steps or a stopping rule.")


def _from_plain(argument: str, data: Any, kinds: Mapping[str, Any]) -> Any:
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


def _require_above_zero(argument: str, value: float) -> None:
    if not as_finite_number(argument, value) > 0:
        raise InvalidOptionError(f"{argument} must be > 0; got {value!r}.")


def _geometric(start: float, factor: float, first: int, n: int) -> Floats:
    """Temperatures start * factor^b of n steps, as start f^(128 q) times f^j: the same for a step in any company."""
    blocks = np.arange(first // _POWERS_PER_BLOCK, (first + n) // _POWERS_PER_BLOCK + 1, dtype=float)
    warmest = start * factor ** (_POWERS_PER_BLOCK * blocks)
    found = warmest[:, None] * factor ** np.arange(_POWERS_PER_BLOCK, dtype=float)
    return found.ravel()[first % _POWERS_PER_BLOCK :][:n]
