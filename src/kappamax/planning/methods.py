"""Define the settings objects of `sample_size`, which describe how the number of subjects is found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kappamax._validate import MOST_DRAWS, as_choice, as_whole_number
from kappamax.errors import InvalidOptionError

JOINTS = ("mixture", "widest")
VARIANCES = ("null", "estimate", "exact")
_LEAST_DRAWS = 100


@dataclass(frozen=True, kw_only=True)
class PlanningMethod:
    """Base class of the methods, with the settings that both of them have."""

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
        """Return a number of simulated studies, after checking that it is large enough."""
        draws = as_whole_number("n_draws", n_draws, 0, MOST_DRAWS)
        if draws < _LEAST_DRAWS:
            raise InvalidOptionError(f"n_draws must be at least {_LEAST_DRAWS}; got {draws}.")
        return draws


@dataclass(frozen=True, kw_only=True)
class Formula(PlanningMethod):
    """Method that finds the number of subjects by a formula and checks it by simulated studies.

    The width of an interval is that of the adjusted interval of a study with the proportions of the assumed table. The
    power of a test follows from large-sample standard errors.

    Parameters
    ----------
    joint : {"mixture", "widest"}
        Assumed table with the given margins and value. "mixture", the default, is a mixture of the table of independent
        raters and the table of largest agreement. "widest" is the table with the largest standard error (Flack et al.
        1988).
    variance : {"null", "estimate", "exact"}
        Standard error that the test uses. "null", the default, is the standard error of the coefficient if the null
        value is true (Cantor 1996, Flack et al. 1988, R's irr), as in `value_test`, or, for clusters, the standard
        error of the adjusted interval, which `value_test` uses for them. "estimate" is the standard error
        that is estimated from the study, as in ``value_test(..., method="estimate")``. "exact" plans the exact test
        against chance, `exact_test`, which has no standard error, for ``null=0``. The formula is the one for "null",
        and the simulated studies carry out the exact test.
    n_draws : int, optional
        Number of simulated studies that check the result of the formula, at least 100, or 0 to omit the check. The
        default lies between 1,000 and 10,000, depending on the number of possible patterns; it is 1,000 for exact
        tests and 0 for clusters.

    Raises
    ------
    InvalidOptionError
        If a setting is out of range or has an unknown value.
    """

    name: ClassVar[str] = "formula"

    def _as_n_draws(self, n_draws: int) -> int:
        draws = as_whole_number("n_draws", n_draws, 0, MOST_DRAWS)
        if 0 < draws < _LEAST_DRAWS:
            raise InvalidOptionError(f"n_draws must be at least {_LEAST_DRAWS}, or 0; got {draws}.")
        return draws


@dataclass(frozen=True, kw_only=True)
class Simulation(PlanningMethod):
    """Method that finds the number of subjects from simulated studies of several sizes, for independent subjects.

    Parameters
    ----------
    joint : {"mixture", "widest"}
        Assumed table with the given margins and value. "mixture", the default, is a mixture of the table of independent
        raters and the table of largest agreement. "widest" is the table with the largest standard error (Flack et al.
        1988).
    variance : {"null", "estimate", "exact"}
        Standard error that the test uses. "null", the default, is the standard error of the coefficient if the null
        value is true, as in `value_test`. "estimate" is the standard error that is estimated from the study, as in
        ``value_test(..., method="estimate")``. "exact" plans the exact test against chance, `exact_test`, for
        ``null=0``.
    n_draws : int, optional
        Number of simulated studies for each number of subjects that is tried, at least 100. The default lies between
        1,000 and 10,000, depending on the number of possible patterns; it is 1,000 for exact tests.

    Raises
    ------
    InvalidOptionError
        If a setting is out of range or has an unknown value.
    """

    name: ClassVar[str] = "simulation"


METHODS: dict[str, type[PlanningMethod]] = {"formula": Formula, "simulation": Simulation}


def as_method(method: Any) -> PlanningMethod:
    """Return the method that is given as an object or by its name."""
    if isinstance(method, PlanningMethod):
        return method
    if not isinstance(method, str):
        raise InvalidOptionError(f"method must be 'formula', 'simulation', a Formula or a Simulation; got {method!r}.")
    return METHODS[as_choice("method", method, tuple(METHODS))]()
