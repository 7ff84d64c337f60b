"""Read the scores of ordered groups, such as weeks, from their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import NamedTuple

_NUMBER = re.compile(r"[-+]?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_UNSIGNED = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?")


class Scores(NamedTuple):
    """Scores of groups, and the unit in which they are measured, such as "week"."""

    values: list[float]
    unit: str


def scores_of(names: Sequence[str]) -> Scores:
    """Return the scores of groups by their names.

    Dates such as 2026-03-31 are counted in days, weeks such as 2026-W07 in weeks, months such as 2026-03 in months and
    quarters such as 2026-Q1 in quarters, from the first one. Numbers, also with the same text around all of them as in
    "week 3", are the scores themselves. The scores of other names are their positions.
    """
    for unit, read in _CALENDAR.items():
        found = [read(name.strip()) for name in names]
        known = [score for score in found if score is not None]
        if len(known) == len(names):
            return Scores([score - min(known) for score in known], unit)
    if all(_NUMBER.fullmatch(name) for name in names):
        return Scores([float(name) for name in names], "unit")
    parts = _without_common_text(names)
    if all(_UNSIGNED.fullmatch(part) for part in parts):
        return Scores([float(part) for part in parts], "unit")
    return Scores([float(i + 1) for i in range(len(names))], "group")


def _without_common_text(names: Sequence[str]) -> list[str]:
    """Return names without the text before and after the part in which they differ; numbers are not divided."""
    before = re.sub(r"([0-9]+\.)?[0-9]*$", "", _common_start(names))
    rest = [name[len(before) :] for name in names]
    after = re.sub(r".*[0-9]", "", _common_start([part[::-1] for part in rest])[::-1], flags=re.DOTALL)
    return [part.removesuffix(after) for part in rest]


def _common_start(names: Sequence[str]) -> str:
    """Return the longest text with which all names begin."""
    first, last = min(names), max(names)
    pairs = enumerate(zip(first, last, strict=False))
    return first[: next((i for i, (a, b) in pairs if a != b), min(len(first), len(last)))]


def _day(name: str) -> float | None:
    try:
        return float(date.fromisoformat(name).toordinal()) if re.fullmatch(r"\d{4}-\d\d-\d\d", name) else None
    except ValueError:  # no such day
        return None


def _week(name: str) -> float | None:
    found = re.fullmatch(r"(\d{4})-?W(\d\d?)", name)
    try:
        return date.fromisocalendar(int(found[1]), int(found[2]), 1).toordinal() / 7 if found else None
    except ValueError:  # no such week
        return None


def _month(name: str) -> float | None:
    found = re.fullmatch(r"(\d{4})-(0[1-9]|1[0-2])", name)
    return 12.0 * int(found[1]) + int(found[2]) if found else None


def _quarter(name: str) -> float | None:
    found = re.fullmatch(r"(\d{4})-?Q([1-4])", name)
    return 4.0 * int(found[1]) + int(found[2]) if found else None


_CALENDAR: dict[str, Callable[[str], float | None]] = {"day": _day, "week": _week, "month": _month, "quarter": _quarter}
