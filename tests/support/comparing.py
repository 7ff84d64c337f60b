"""Compare numbers of the library with exact numbers computed from the definitions."""

from __future__ import annotations

from fractions import Fraction
from math import ulp

#: largest relative error of a weight computed in doubles from an angle, a sine, a square and a division
_REAL_WEIGHT_ERROR = Fraction(16, 2**52)


def assert_number(said: float, true: Fraction, *, ulps: int = 1, scale: Fraction | int = 0) -> None:
    """Assert that a double is within `ulps` units in the last place of the true number, or of a larger `scale`."""
    size = max(abs(true), Fraction(scale))
    assert abs(Fraction(said) - true) <= ulps * Fraction(ulp(float(size))), f"{said!r} is not {float(true)!r}"


def assert_coefficient(said: float, observed: Fraction, expected: Fraction, arithmetic: str) -> None:
    """Assert that a coefficient is correct to the last place, or within the error of weights held as doubles."""
    true = 1 - observed / expected
    if arithmetic == "real":
        bound = _REAL_WEIGHT_ERROR * (1 + 2 * observed / expected)
        assert abs(Fraction(said) - true) <= bound, f"{said!r} is not {float(true)!r}"
    else:
        assert_number(said, true)


def assert_probability(said: float, true: Fraction, n_subjects: int) -> None:
    """Assert that the relative error of a probability is about 1e-15 per subject, as the documentation states."""
    bound = true * (n_subjects + 4) * Fraction(4, 2**52)
    assert abs(Fraction(said) - true) <= bound, f"{said!r} is not {float(true)!r}"


def assert_shown(said: str, true: Fraction | float, *, digits: int = 4) -> None:
    """Assert that a number in a sentence is the true number, rounded to `digits` digits."""
    slack = Fraction(1, 2 * 10**digits) + Fraction(1, 10**12)
    assert abs(Fraction(said.replace(",", "")) - Fraction(true)) <= slack, f"{said} is not {float(true)}"
