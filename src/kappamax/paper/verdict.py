"""Record what the paper says beside what we compute, with the verdict on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kappamax._result import Result
from kappamax.display import numbers
from kappamax.table import Table

NAMED_WEIGHTS = ("unweighted", "linear", "quadratic", "sqrt")
#: "changed" is what an item with a known verdict becomes when we compute something else than before
STATUSES = ("reproduced", "corrected", "not reproduced", "not determined", "changed")


@dataclass(frozen=True, repr=False)
class Verdict(Result):
    """One item of the paper: what it says, what we find, and how the two compare.

    Attributes
    ----------
    where : str
        Place in the paper.
    what : str
        Subject of the statement.
    published, ours : str
        What the paper says, and what we find.
    status : "reproduced", "corrected", "not reproduced", "not determined" or "changed"
        "not reproduced" is a simulated figure beyond the cut-off, "not determined" one whose settings the paper does
        not give, "changed" an item that no longer has the verdict it should have.
    reason : str or None
        Why ours differs.
    """

    where: str
    what: str
    published: str
    ours: str
    status: str
    reason: str | None = None


Check = Callable[[], Iterator[Verdict]]


def same(where: str, what: str, published: Any, ours: Any) -> Verdict:
    """Return the verdict on an item that is reproduced if both values are equal."""
    return Verdict(where, what, _shown(published), _shown(ours), "reproduced" if published == ours else "changed")


def holds(where: str, what: str, outcomes: Iterable[bool]) -> Verdict:
    """Return the verdict on a statement that is reproduced if it holds in all of one or more cases tried."""
    found = [bool(outcome) for outcome in outcomes]
    ours = f"holds in {numbers.count(sum(found))} of {numbers.count(len(found))} cases"
    return Verdict(where, what, "holds", ours, "reproduced" if found and all(found) else "changed")


def corrected(where: str, what: str, published: Any, ours: Any, known: Any, reason: str) -> Verdict:
    """Return the verdict on an item for which we know another value than the paper."""
    status = "corrected" if ours == known and ours != published else "changed"
    return Verdict(where, what, _shown(published), _shown(ours), status, reason)


def random_tables(k: int, r: int, n: int, size: int = 5) -> list[Table]:
    """Return tables of random ratings by r raters of n subjects on k categories, the same ones at every call."""
    rng = np.random.default_rng(1)
    drawn = [rng.integers(k, size=(n, r)) for _ in range(size)]
    return [Table(codes, np.ones(n, dtype=int), list(range(1, k + 1)), ordered=True) for codes in drawn]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return numbers.count(value) if isinstance(value, int) else str(value)
