"""Round numbers and write them as text."""

from __future__ import annotations

from math import isnan


def decimal(value: float | None, digits: int = 4) -> str:
    """A coefficient or standard error with a fixed number of digits; "undefined" for None."""
    if value is None or isnan(value):
        return "undefined"
    shown = f"{value:.{digits}f}"
    return shown.lstrip("-") if float(shown) == 0 else shown


def decimals(*values: float | None) -> list[str]:
    """Return every value as `decimal` shows it."""
    return [decimal(value) for value in values]


def interval(ends: tuple[float, float] | None, digits: int = 4) -> str:
    """An interval as "0.1 to 0.2"."""
    if ends is None:
        return "undefined"
    return f"{decimal(ends[0], digits)} to {decimal(ends[1], digits)}"


def percent(share: float) -> str:
    """A share of one as a percentage: "67.3%"."""
    return f"{100 * share:.1f}%"


def pvalue(p: float | None) -> str:
    """A p-value or another probability with four digits; "< 0.0001" for smaller ones, "undefined" for None."""
    if p is None or isnan(p):
        return "undefined"
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def count(number: int) -> str:
    """A whole number with thousands separated."""
    return f"{number:,}"
