"""Define the temperature schedules of annealing searches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from kappamax._typing import Floats
from kappamax._validate import as_finite_number, as_whole_number
from kappamax.annealing.settings import Setting, setting_from
from kappamax.errors import InvalidOptionError

COLDEST = 1e-290  # lower temperatures are treated as zero
_POWERS_PER_BLOCK = 128


class Schedule(Setting):
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


SCHEDULES: dict[str, Any] = {one.kind: one for one in (Geometric, Linear, Logarithmic, Constant)}


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
    schedule: Schedule = setting_from("schedule", data, SCHEDULES)
    return schedule


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
