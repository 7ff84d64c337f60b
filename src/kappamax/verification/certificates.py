"""Verify the largest and smallest coefficient claimed by a result, a document or a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from kappamax._result import Result
from kappamax.errors import KappamaxError, UnreadableFileError
from kappamax.verification.check import check
from kappamax.verification.parse import shown

__all__ = ["Verification", "read_certificate", "verify"]


class Certified(Protocol):
    """A result that can write down what it claims and why."""

    def certificate(self) -> dict[str, Any]:
        """The claims and their proof as plain data."""


def verify(claim: Certified | Mapping[str, Any] | str | Path) -> Verification:
    """Check a maximum and minimum without a solver, trusting nothing but the observed ratings and the weights.

    Every claim is checked: that the tables have the observed margins and the same sets of raters, every number from
    its definition, and that no table goes further. For the last, prices must leave no pattern that undercuts them; a
    proof by search is searched again, by a search of the checker's own.

    Parameters
    ----------
    claim : Maximum, dict, str or Path
        A result of `max_kappa`, its `certificate()`, or the name of a file that holds one as JSON.

    Returns
    -------
    Verification
        `holds` is true if every claim was checked and holds.

    Examples
    --------
    >>> import kappamax as km
    >>> km.verify(km.max_kappa(km.example("rapallo2022"), weights="sqrt")).holds
    True
    """
    faults, unchecked = check(_document(claim))
    return Verification(not faults and not unchecked, tuple(faults), tuple(unchecked))


@dataclass(frozen=True, repr=False)
class Verification(Result):
    """Whether all claims hold.

    Attributes
    ----------
    holds : bool
        Whether every claim was checked and holds; also the truth value of the object.
    faults : tuple of str
        Claims that do not hold.
    unchecked : tuple of str
        Claims that were not checked, since that would take more work than the checker's limits allow.
    """

    holds: bool
    faults: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.holds


def read_certificate(path: str | Path) -> Any:
    """The document in a file, as `json` reads it."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"), object_pairs_hook=_mapping)
    except OSError as error:
        raise UnreadableFileError(f"{path} cannot be read: {error.strerror or error}.") from None
    except _Repeated as error:
        raise UnreadableFileError(f"{path} has the key {shown(error.args[0])} twice in one place.") from None
    except (ValueError, RecursionError):
        raise UnreadableFileError(f"{path} is not a JSON document.") from None


class _Repeated(Exception):  # noqa: N818  # becomes an UnreadableFileError
    """A key that occurs twice: readers of JSON differ in which of the two they show."""


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object whose keys all differ."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Repeated(key)
        found[key] = value
    return found


def _document(claim: Any) -> Any:
    """What is claimed, as plain data; an object that does not fit together has no certificate."""
    if isinstance(claim, str | Path):
        return read_certificate(claim)
    if not hasattr(claim, "certificate"):
        return claim
    try:
        return claim.certificate()
    except (KappamaxError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        return {"format": f"none: {error}"}
