"""Round numbers and write them as text."""

from __future__ import annotations

from decimal import Decimal
from math import ceil, floor, isnan, log10

_BEYOND_DOUBLES = 10**300


def decimal(value: float | None, digits: int = 4) -> str:
    """Return a number with a fixed number of decimals, default 4, or "undefined" for None and NaN."""
    if value is None or isnan(value):
        return "undefined"
    shown = f"{value:.{digits}f}"
    return shown.lstrip("-") if float(shown) == 0 else shown


def decimals(*values: float | None) -> list[str]:
    """Return every value formatted by `decimal`."""
    return [decimal(value) for value in values]


def interval(ends: tuple[float, float] | None, digits: int = 4) -> str:
    """Return an interval as text such as "0.1000 to 0.2000", or "undefined" for None."""
    if ends is None:
        return "undefined"
    return f"{decimal(ends[0], digits)} to {decimal(ends[1], digits)}"


def percent(share: float) -> str:
    """Return a proportion as a percentage such as "67.3%"."""
    return f"{100 * share:.1f}%"


def share(value: float, ratio: float) -> str:
    """Return the ratio of a value to its maximum in percent, or "-" for a negative value, which is not a share."""
    return "-" if value < 0 else percent(ratio)


def pvalue(p: float | None, *, at_most: bool = False) -> str:
    """Return a p-value or another probability with four decimals, "< 0.0001" if it is smaller, "undefined" for None.

    If the p-value is only known to be at most `p`, this bound is written with one digit, rounded up: "<= 0.0004".
    """
    if p is None or isnan(p):
        return "undefined"
    if at_most:
        place = -floor(log10(p))
        digit = ceil(round(p * 10**place, 9))
        if digit == 10:
            digit, place = 1, place - 1
        return f"<= {digit / 10**place:.{place}f}"
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def small(number: float) -> str:
    """Return a number between 0 and 1 with four decimals, or with two digits ("1.2e-9") if it is below 0.0001."""
    if 0 < number < 0.0001:
        digits, exponent = f"{number:.1e}".split("e")
        return f"{digits}e{int(exponent)}"
    return f"{number:.4f}"


def equation(name: str, shown: str) -> str:
    """Return a statement such as "p = 0.0123", "p < 0.0001" or "p <= 0.0004" about a number as it is shown."""
    return f"{name} {shown}" if shown.startswith("<") else f"{name} = {shown}"


def count(number: int) -> str:
    """Return a whole number with separated thousands, such as "7,477"."""
    return f"{number:,}"


def rough(number: int, digits: int = 3) -> str:
    """Return a whole number of any size with a few digits, default three, such as "1.18e+21" or "2.07e+315"."""
    if abs(number) < _BEYOND_DOUBLES:
        return f"{float(number):.{digits}g}"
    return f"{Decimal(number):.{digits - 1}e}"
