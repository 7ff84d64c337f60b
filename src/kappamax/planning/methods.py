"""Describe how a number of subjects is found: the settings objects of `sample_size`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kappamax._validate import as_choice, as_whole_number
from kappamax.errors import InvalidOptionError

JOINTS = ("mixture", "widest")
VARIANCES = ("null", "estimate")
_LEAST_DRAWS = 100


@dataclass(frozen=True, kw_only=True)
class PlanningMethod:
    """Base class of the methods: the settings that both of them have."""

    name: ClassVar[str]

    joint: str = "mixture"
    variance: str = "null"
    n_draws: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "joint", as_choice("joint", self.joint, JOINTS))
        object.__setattr__(self, "variance", as_choice("variance", self.variance, VARIANCES))
        if self.n_draws is not None:
            object.__setattr__(self, "n_draws", self._as_n_draws(self.n_draws))

    def _as_n_draws(self, n_draws: int) -> int:
        """Return a number of studies that is large enough to estimate a width or a power."""
        draws = as_whole_number("n_draws", n_draws, 0)
        if draws < _LEAST_DRAWS:
            raise InvalidOptionError(f"n_draws must be at least {_LEAST_DRAWS}; got {draws}.")
        return draws


@dataclass(frozen=True, kw_only=True)
class Formula(PlanningMethod):
    """Find the number of subjects from the large-sample standard error, and check it by simulated studies.

    Parameters
    ----------
    joint : {"mixture", "widest"}
        Assumed table with the given margins and value: a mixture of independence and the table of largest agreement
        (default), or the table with the largest standard error (Flack et al. 1988).
    variance : {"null", "estimate"}
        Standard error that the test uses: that of the coefficient if the null value is true (default; Cantor 1996,
        Flack et al. 1988, R's irr), or the one estimated from the study, as `value_test` does.
    n_draws : int, optional
        Number of simulated studies that check the answer of the formula. 0 leaves the check out. Default: 10,000, or
        fewer where there are thousands of possible patterns.
    """

    name: ClassVar[str] = "formula"

    def _as_n_draws(self, n_draws: int) -> int:
        draws = as_whole_number("n_draws", n_draws, 0)
        if 0 < draws < _LEAST_DRAWS:
            raise InvalidOptionError(f"n_draws must be at least {_LEAST_DRAWS}, or 0; got {draws}.")
        return draws


@dataclass(frozen=True, kw_only=True)
class Simulation(PlanningMethod):
    """Find the number of subjects from simulated studies of several sizes.

    Parameters
    ----------
    joint : {"mixture", "widest"}
        Assumed table with the given margins and value: a mixture of independence and the table of largest agreement
        (default), or the table with the largest standard error (Flack et al. 1988).
    variance : {"null", "estimate"}
        Standard error that the test uses: that of the coefficient if the null value is true (default), or the one
        estimated from the study, as `value_test` does.
    n_draws : int, optional
        Number of simulated studies for each number of subjects tried. Default: 10,000, or fewer where there are
        thousands of possible patterns.
    """

    name: ClassVar[str] = "simulation"


METHODS: dict[str, type[PlanningMethod]] = {"formula": Formula, "simulation": Simulation}


def as_method(method: Any) -> PlanningMethod:
    """Return a method given as an object or by its name."""
    if isinstance(method, PlanningMethod):
        return method
    if not isinstance(method, str):
        raise InvalidOptionError(f"method must be 'formula', 'simulation', a Formula or a Simulation; got {method!r}.")
    return METHODS[as_choice("method", method, tuple(METHODS))]()
