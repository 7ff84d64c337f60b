"""Compare what the library says with what the definitions give."""

from __future__ import annotations

from fractions import Fraction
from math import ulp

#: Relative error that a weight held as a double may have: an angle and a sine, a square and a division
_REAL_WEIGHT_ERROR = Fraction(16, 2**52)


def assert_number(said: float, true: Fraction, *, ulps: int = 1, scale: Fraction | int = 0) -> None:
    """The double is within so many units in the last place of the true number (or of `scale`, if that is larger)."""
    size = max(abs(true), Fraction(scale))
    assert abs(Fraction(said) - true) <= ulps * Fraction(ulp(float(size))), f"{said!r} is not {float(true)!r}"


def assert_coefficient(said: float, observed: Fraction, expected: Fraction, arithmetic: str) -> None:
    """A coefficient is right: to the last place, or as far as weights held as doubles allow."""
    true = 1 - observed / expected
    if arithmetic == "real":
        bound = _REAL_WEIGHT_ERROR * (1 + 2 * observed / expected)
        assert abs(Fraction(said) - true) <= bound, f"{said!r} is not {float(true)!r}"
    else:
        assert_number(said, true)


def assert_probability(said: float, true: Fraction, n_subjects: int) -> None:
    """A probability is right to some 1e-15 of itself per subject, as the documentation says."""
    bound = true * (n_subjects + 4) * Fraction(4, 2**52)
    assert abs(Fraction(said) - true) <= bound, f"{said!r} is not {float(true)!r}"


def assert_shown(said: str, true: Fraction | float, *, digits: int = 4) -> None:
    """A number in a sentence is the true one, rounded to so many digits."""
    slack = Fraction(1, 2 * 10**digits) + Fraction(1, 10**12)
    assert abs(Fraction(said.replace(",", "")) - Fraction(true)) <= slack, f"{said} is not {float(true)}"
