"""Record what the paper states, what we compute, and the verdict on the comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kappamax._result import Result
from kappamax.display import numbers
from kappamax.table import Table

NAMED_WEIGHTS = ("unweighted", "linear", "quadratic", "sqrt")
#: possible verdicts; an item is "changed" if our result differs from the known one
STATUSES = ("reproduced", "corrected", "not reproduced", "not determined", "changed")


@dataclass(frozen=True, repr=False)
class Verdict(Result):
    """Comparison of an item of the paper with our result.

    Attributes
    ----------
    where : str
        Place in the paper.
    what : str
        Subject of the statement.
    published, ours : str
        Published value and our value.
    status : "reproduced", "corrected", "not reproduced", "not determined" or "changed"
        Verdict. A simulated figure is "not reproduced" if it lies beyond the cut-off and "not determined" if the paper
        does not give its settings. An item is "changed" if our result differs from the known one.
    reason : str or None
        Reason why our value differs.
    """

    where: str
    what: str
    published: str
    ours: str
    status: str
    reason: str | None = None


Check = Callable[[], Iterator[Verdict]]


def same(where: str, what: str, published: Any, ours: Any) -> Verdict:
    """Return the verdict on a value, which is reproduced if the published value equals ours."""
    return Verdict(where, what, _shown(published), _shown(ours), "reproduced" if published == ours else "changed")


def holds(where: str, what: str, outcomes: Iterable[bool]) -> Verdict:
    """Return the verdict on a statement, which is reproduced if there are cases and it holds in all of them."""
    found = [bool(outcome) for outcome in outcomes]
    ours = f"holds in {numbers.count(sum(found))} of {numbers.count(len(found))} cases"
    return Verdict(where, what, "holds", ours, "reproduced" if found and all(found) else "changed")


def corrected(where: str, what: str, published: Any, ours: Any, known: Any, reason: str) -> Verdict:
    """Return the verdict on a value for which the known correct value differs from the published one."""
    status = "corrected" if ours == known and ours != published else "changed"
    return Verdict(where, what, _shown(published), _shown(ours), status, reason)


def random_tables(k: int, r: int, n: int, size: int = 5) -> list[Table]:
    """Return `size` tables of random ratings of n subjects by r raters in k categories, the same at every call."""
    rng = np.random.default_rng(1)
    drawn = [rng.integers(k, size=(n, r)) for _ in range(size)]
    return [Table(codes, np.ones(n, dtype=int), list(range(1, k + 1)), ordered=True) for codes in drawn]


def _shown(value: Any) -> str:
    """Return a value as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return numbers.count(value) if isinstance(value, int) else str(value)
